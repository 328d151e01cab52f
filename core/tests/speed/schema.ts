import { z } from 'zod'
import { userEmail } from '../../base/input-fields/schema.ts'
import { TestSummary } from '../schema.ts'

export const GetTestSpeed = z.object({
  projectId: z.string(),
  /** Whose time is divided; the latest run of all tests by default. */
  runId: z.string().optional(),
  userEmail,
})
export type GetTestSpeed = z.infer<typeof GetTestSpeed>

const TestFileTime = z.object({ file: z.string().nullable(), ms: z.number(), tests: z.int() })
const NamedTest = TestSummary.pick({ testId: true, variant: true, suite: true, name: true, file: true })

export const TestSpeed = z.object({
  /** Null if no run of all tests has a result. */
  run: z
    .object({
      runId: z.string(),
      durationMs: z.int().nullable(),
      /** The time of its commands or uploads, by kind. */
      phases: z.array(z.object({ kind: z.string(), ms: z.int() })),
      /** The sum over its tests, which may run at the same time. */
      testMs: z.number().nullable(),
      /** The 25 files with the most time. */
      files: z.array(TestFileTime),
    })
    .nullable(),
  /** The sum of the median durations of all tests. */
  totalMs: z.number().nullable(),
  /** The 25 slowest tests and files, by median durations. */
  tests: z.array(NamedTest.extend({ p50Ms: z.number().nullable(), p95Ms: z.number().nullable() })),
  files: z.array(TestFileTime),
  /** Lasting changes of the duration among the 100 slowest tests, the latest first. */
  steps: z.array(
    NamedTest.extend({ at: z.iso.datetime(), beforeMs: z.number(), afterMs: z.number(), ratio: z.number() }),
  ),
})
export type TestSpeed = z.infer<typeof TestSpeed>

export const PlanShards = z.object({
  projectId: z.string(),
  count: z.int().min(1).max(500),
  /** Exactly these files are divided, also those that Assay has not seen; by default all that recent runs contain. */
  files: z.array(z.string().min(1).max(1_000)).min(1).max(10_000).optional(),
  userEmail,
})
export type PlanShards = z.infer<typeof PlanShards>

export const ShardPlan = z.object({
  shards: z.array(z.object({ index: z.int(), files: z.array(z.string()), ms: z.int(), tests: z.int() })),
  totalMs: z.int(),
  /** The expected time of the longest shard. */
  longestMs: z.int(),
  /** Files without a known duration: they count with the median time of a test of the project. */
  unmeasured: z.array(z.string()),
})
export type ShardPlan = z.infer<typeof ShardPlan>
