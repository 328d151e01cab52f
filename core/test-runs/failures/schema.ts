import { z } from 'zod'
import { ReportedStatus, RunRef } from '../schema.ts'
import { RunError } from '../../../engines/verdicts/schema.ts'

export const GetFailures = RunRef.extend({
  /** How long the answer may about be; what does not fit is counted. */
  maxCharacters: z.int().min(2_000).max(50_000).default(6_000),
})
export type GetFailures = z.infer<typeof GetFailures>

const RunPoint = z.object({ runId: z.string(), commitSha: z.string().nullable(), createdAt: z.iso.datetime() })

/** Why a failure may say nothing about the change: what the test did in runs before. */
export const Flakiness = z.object({
  /** A sentence. */
  reason: z.string(),
  /** Those that were looked at, and had the test. */
  runs: z.int(),
  failedRuns: z.int(),
  /** How often it changed from passed to failed or back. */
  flips: z.int(),
  /** Runs in which it passed after an attempt that failed. */
  passedAfterRetry: z.int(),
  /** One on which it both passed and failed. */
  sameCommit: z.string().nullable(),
})
export type Flakiness = z.infer<typeof Flakiness>

export const FailingTest = z.object({
  testId: z.string(),
  suite: z.string(),
  name: z.string(),
  file: z.string().nullable(),
  line: z.int().nullable(),
  since: RunPoint.extend({
    /** `new` did not fail in the run before that had it. */
    kind: z.enum(['new', 'still_failing']),
    /** Runs in a row in which it failed, this one included. */
    runs: z.int(),
  }),
  flaky: Flakiness.nullable(),
  /** The first line of the stack that is the repository's own. */
  frame: z.object({ file: z.string(), line: z.int() }).nullable(),
  /** Cut; testRuns.results has the whole. */
  message: z.string().nullable(),
  stack: z.array(z.string()),
})
export type FailingTest = z.infer<typeof FailingTest>

/** Tests that failed with the same error, save for what differs from run to run. */
export const FailureGroup = z.object({
  message: z.string(),
  tests: z.int(),
  /** Of these, how many did not fail in the run that this one is compared with. */
  newTests: z.int(),
  /** All that are shown are known to be flaky. */
  flaky: z.boolean(),
  examples: z.array(FailingTest),
  leftOut: z.int(),
})
export type FailureGroup = z.infer<typeof FailureGroup>

const TestNames = z.object({ count: z.int(), tests: z.array(z.string()), leftOut: z.int() })

/** What went wrong in a run, in one answer: new failures first, tests known to be flaky last. */
export const FailureDigest = z.object({
  runId: z.string(),
  status: ReportedStatus,
  branch: z.string().nullable(),
  commitSha: z.string().nullable(),
  totalTests: z.int(),
  passedTests: z.int(),
  failedTests: z.int(),
  skippedTests: z.int(),
  coverage: z.number().nullable(),
  duration: z.int().nullable(),
  /** Why there is no verdict, with the end of the log. */
  error: RunError.extend({ log: z.array(z.string()) }).nullable(),
  warnings: z.array(z.string()),
  /** The completed run before it: of the same branch, else of the project's. Null where it is the first. */
  comparedWith: RunPoint.extend({
    branch: z.string().nullable(),
    failedTests: z.int(),
    coverage: z.number().nullable(),
  }).nullable(),
  newFailures: z.int(),
  stillFailing: z.int(),
  groups: z.array(FailureGroup),
  leftOut: z.object({ groups: z.int(), tests: z.int() }),
  /** Failed in the run that it is compared with, and passed. */
  fixed: TestNames,
  /** Passed, after an attempt that failed. */
  passedAfterRetry: TestNames,
  /** How to run again what failed; null where nothing did. */
  rerun: z
    .object({
      /** In a checkout; null where Assay does not know how the tests are run. */
      command: z.string().nullable(),
      procedure: z.literal('testRuns.rerunFailed'),
      input: z.object({ runId: z.string() }),
    })
    .nullable(),
})
export type FailureDigest = z.infer<typeof FailureDigest>
