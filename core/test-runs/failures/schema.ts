import { z } from 'zod'
import { url } from '../../base/input-fields/schema.ts'
import { CoverageFigures, ReportedStatus, RunRef } from '../schema.ts'
import { RunError } from '../../../engines/verdicts/schema.ts'

export const GetFailures = RunRef.extend({
  /** The approximate maximum length of the answer. What does not fit is counted in `leftOut`. */
  maxCharacters: z.int().min(2_000).max(50_000).default(6_000),
})
export type GetFailures = z.infer<typeof GetFailures>

const RunPoint = z.object({
  runId: z.string(),
  /** Null for a run of a snapshot, whose commit is not in the repository. */
  commitSha: z.string().nullable(),
  createdAt: z.iso.datetime(),
})

/** What is known of the snapshot that a run tested. */
const TestedSnapshot = z.object({
  id: z.string(),
  /** The commit that was checked out; null if there was none, or if the snapshot was deleted. */
  headSha: z.string().nullable(),
  /** When the working tree was sent; null if the snapshot was deleted. */
  createdAt: z.iso.datetime().nullable(),
})
export type TestedSnapshot = z.infer<typeof TestedSnapshot>

/** Why a failure may not be caused by the change: the test is flaky. `tests.get` returns the evidence. */
export const Flakiness = z.object({
  /** A sentence. */
  reason: z.string(),
  /** Where it became flaky, as far as known. */
  sinceCommit: z.string().nullable(),
  /** Runs in which it failed or passed only after a failed attempt, in the last 30 days. */
  failures: z.int(),
  /** The share of its results on the default branch that failed or passed only after a failed attempt, from 0 to 1. */
  failureRate: z.number(),
})
export type Flakiness = z.infer<typeof Flakiness>

export const FailingTest = z.object({
  testId: z.string(),
  suite: z.string(),
  name: z.string(),
  file: z.string().nullable(),
  line: z.int().nullable(),
  since: RunPoint.extend({
    /** `new`: the test did not fail in the previous run that contains it. */
    kind: z.enum(['new', 'still_failing']),
    /** The number of consecutive runs in which the test failed, including this one. */
    runs: z.int(),
  }),
  flaky: Flakiness.nullable(),
  /** From CODEOWNERS of the project's branch. */
  owners: z.array(z.string()),
  /** The first stack frame in the code of the repository. */
  frame: z.object({ file: z.string(), line: z.int() }).nullable(),
  /** Shortened. testRuns.results returns the complete message. */
  message: z.string().nullable(),
  stack: z.array(z.string()),
})
export type FailingTest = z.infer<typeof FailingTest>

/** Tests that failed with the same error, apart from values that differ from run to run. */
export const FailureGroup = z.object({
  /** The first line of the message of the first example; empty if it has none. */
  message: z.string(),
  tests: z.int(),
  /** How many of these tests did not fail in the run that this one is compared with. */
  newTests: z.int(),
  /** Whether all examples are known to be flaky. */
  flaky: z.boolean(),
  examples: z.array(FailingTest),
  leftOut: z.int(),
})
export type FailureGroup = z.infer<typeof FailureGroup>

const TestNames = z.object({ count: z.int(), tests: z.array(z.string()), leftOut: z.int() })

/** The failures of a run in one answer: new failures first, flaky tests last. */
export const FailureDigest = z.object({
  runId: z.string(),
  url,
  status: ReportedStatus,
  branch: z.string().nullable(),
  commitSha: z.string().nullable(),
  /** Null for a commit of the repository. */
  snapshot: TestedSnapshot.nullable(),
  totalTests: z.int(),
  passedTests: z.int(),
  failedTests: z.int(),
  mutedTests: z.int(),
  skippedTests: z.int(),
  coverage: z.number().nullable(),
  coverageFigures: CoverageFigures.nullable(),
  duration: z.int().nullable(),
  /** Why the run has no result, with the end of the log. */
  error: RunError.extend({ log: z.array(z.string()) }).nullable(),
  warnings: z.array(z.string()),
  /** The previous completed run of the same branch, else of the project's branch. Null for the first run. */
  comparedWith: RunPoint.extend({
    branch: z.string().nullable(),
    failedTests: z.int(),
    /** Null if one of the two runs was restricted to some of the tests. */
    coverage: z.number().nullable(),
  }).nullable(),
  newFailures: z.int(),
  stillFailing: z.int(),
  groups: z.array(FailureGroup),
  leftOut: z.object({ groups: z.int(), tests: z.int() }),
  /** Tests that failed in the run that this one is compared with, and now passed. */
  fixed: TestNames,
  /** Tests that passed after a failed attempt. */
  passedAfterRetry: TestNames,
  /** Tests that failed but are muted by quarantine. They are in no group, and do not decide. */
  muted: TestNames,
  /** Tests that the run left out because they are in quarantine. They are among `skippedTests`. */
  leftOutByQuarantine: TestNames,
  /** How to rerun the failed tests. Null if no test failed. */
  rerun: z
    .object({
      /** For a checkout. Null if Assay does not know how to run the tests. */
      command: z.string().nullable(),
      procedure: z.literal('testRuns.rerunFailed'),
      input: z.object({ runId: z.string() }),
    })
    .nullable(),
})
export type FailureDigest = z.infer<typeof FailureDigest>
