import { z } from 'zod'
import { page, Pagination, url, userEmail } from '../base/input-fields/schema.ts'
import { Quarantine } from '../quarantine/schema.ts'
import { HealthRules, HealthRulesChange } from '../test-policy/schema.ts'

/**
 * `new`: too few results. `healthy`: nothing speaks against it. `flaky`: fails and passes without a change of the code.
 * `broken`: fails in every run of the default branch. `stale`: the project has run without it for a long time.
 */
export const Health = z.enum(['new', 'healthy', 'flaky', 'broken', 'stale'])
export type Health = z.infer<typeof Health>

export const HealthRule = z.enum([
  'few_results',
  'no_evidence',
  'same_commit',
  'retried',
  'isolated',
  'failures_in_a_row',
  'quiet',
  'passed_again',
  'confirmed_fix',
  'unseen',
])

/** A result that a rule refers to. */
export const EvidenceRun = z.object({
  runId: z.string(),
  at: z.iso.datetime(),
  commit: z.string().nullable(),
  failed: z.boolean(),
  /** Equal for failures with the same error. */
  fingerprint: z.string().nullable(),
})

export const LastFailure = z.object({
  runId: z.string(),
  at: z.iso.datetime(),
  branch: z.string().nullable(),
  commit: z.string().nullable(),
  fingerprint: z.string().nullable(),
  /** The beginning of the message. */
  message: z.string().nullable(),
})

/** A test with one variant, and its health. */
export const TestSummary = z.object({
  testId: z.string(),
  /** Empty, unless runs tell several variants of the test apart, such as operating systems. */
  variant: z.string(),
  url,
  suite: z.string(),
  name: z.string(),
  file: z.string().nullable(),
  /** From CODEOWNERS. */
  owners: z.array(z.string()),
  health: Health,
  rule: HealthRule,
  /** A sentence that says why. */
  reason: z.string(),
  /** Where the state began, as far as known. */
  since: EvidenceRun.pick({ at: true, commit: true }).extend({ runId: z.string().nullable() }).nullable(),
  quarantine: Quarantine.pick({ id: true, status: true, mode: true, expiresAt: true }).nullable(),
  /** Runs in which it failed or passed only after a failed attempt, in the last 30 days of the project's runs. */
  failures: z.int(),
  /** Failed runs in which it failed, and the people who started them. */
  blockedRuns: z.int(),
  blockedPeople: z.int(),
  /** `failures` times the sum of `blockedRuns` and `blockedPeople`. */
  impact: z.int(),
  /**
   * The share of its results on the default branch that failed or passed only after a failed attempt, from 0 to 1. Outages
   * do not count.
   */
  failureRate: z.number(),
  /**
   * Milliseconds of its latest 100 results that were not skipped, in the order of their runs. For a healthy test, Assay
   * computes them some minutes after a run.
   */
  p50Ms: z.number().nullable(),
  p95Ms: z.number().nullable(),
  firstSeenAt: z.iso.datetime(),
  /** Exact to a day. */
  lastSeenAt: z.iso.datetime(),
  lastFailure: LastFailure.nullable(),
})
export type TestSummary = z.infer<typeof TestSummary>

export const ListTests = z.object({
  projectId: z.string(),
  health: z.array(Health).min(1).max(5).optional(),
  /** `open`: muted or skipped now. `requested`: waits to be granted. */
  quarantine: z.enum(['active', 'requested', 'none']).optional(),
  /** An owner as CODEOWNERS names it. */
  owner: z.string().max(200).optional(),
  /** A part of the suite, name or file; case does not matter. */
  search: z.string().max(200).optional(),
  /** Lists only tests that are not healthy, or that failed in the last 30 days of the project's runs. */
  notable: z.boolean().optional(),
  /** `impact`: failures times blocked runs and people. `rate`: share of failures. `recent`: latest change of health. `slowest`: median duration. */
  sort: z.enum(['impact', 'rate', 'recent', 'slowest', 'name']).default('impact'),
  ...page,
  userEmail,
})
export type ListTests = z.infer<typeof ListTests>

export const TestsPage = z.object({
  tests: z.array(TestSummary),
  /** Runs of the last 30 days in which so many tests failed that the whole run does not count. */
  outages: z.int(),
  /** The number of tests by health, whatever the filters. */
  counts: z.object({ new: z.int(), healthy: z.int(), flaky: z.int(), broken: z.int(), stale: z.int() }),
  /** The CODEOWNERS file that names the owners, with the first parts of it that have no effect. Null if there is none. */
  codeowners: z
    .object({
      path: z.string(),
      /** `line` is null if the problem concerns the whole file. */
      problems: z.array(z.object({ line: z.int().nullable(), message: z.string() })),
    })
    .nullable(),
  /** Tests in quarantine now, each variant on its own, and requests that wait. */
  quarantined: z.int(),
  requested: z.int(),
  pagination: Pagination,
})
export type TestsPage = z.infer<typeof TestsPage>

export const TestRef = z.object({
  projectId: z.string(),
  testId: z.guid(),
  /** Required only if the test has several variants. */
  variant: z.string().max(120).optional(),
  userEmail,
})
export type TestRef = z.infer<typeof TestRef>

/** One result in the strip of a test, newest first. */
export const StripResult = z.object({
  runId: z.string(),
  at: z.iso.datetime(),
  branch: z.string().nullable(),
  commit: z.string().nullable(),
  status: z.enum(['passed', 'failed', 'muted', 'retried']),
  /** Failures of an outage do not count: `mass`, `burst` or `incident of 60`. */
  outage: z.string().nullable(),
  durationMs: z.number().nullable(),
})

export const HealthChange = z.object({
  from: Health,
  to: Health,
  rule: HealthRule,
  reason: z.string(),
  evidence: z.array(EvidenceRun),
  runId: z.string().nullable(),
  at: z.iso.datetime(),
})

export const TestDay = z.object({
  day: z.iso.date(),
  /** Results that were not skipped. */
  runs: z.int(),
  /** Failures that decided; `muted` counts the others. */
  failures: z.int(),
  muted: z.int(),
  /** Passed only after a failed attempt. */
  retried: z.int(),
  p50Ms: z.number().nullable(),
  p95Ms: z.number().nullable(),
})

export const TestDetail = TestSummary.extend({
  /** The first 100 variants of the test, those that need attention most, by name. */
  variants: z.array(z.string()),
  variantCount: z.int(),
  evidence: z.array(EvidenceRun),
  /** For a flaky test: what is missing until it counts as healthy again. */
  missing: z.object({ passes: z.int(), days: z.number() }).nullable(),
  /** What to do next, in one or two sentences. */
  advice: z.string(),
  /** The latest 100 results that were not skipped, of all branches, newest first. */
  strip: z.array(StripResult),
  /** The latest 50 changes of health that Assay announced, newest first. */
  changes: z.array(HealthChange),
  /** The latest 20 quarantines: open ones first, each group newest first. */
  quarantines: z.array(Quarantine),
  /**
   * Counts and durations per day, for up to 400 days, oldest first, without runs of which nothing counts (`outage` is
   * `mass`). The current day is missing.
   */
  days: z.array(TestDay),
  /** Lasting changes of the duration. */
  steps: z.array(z.object({ at: z.iso.datetime(), beforeMs: z.number(), afterMs: z.number(), ratio: z.number() })),
  /** Errors of the failures in the strip, the most frequent first, without runs of which nothing counts. */
  errors: z.array(
    z.object({
      fingerprint: z.string().nullable(),
      message: z.string().nullable(),
      results: z.int(),
      latestRunId: z.string(),
    }),
  ),
  /** Tests that it probably was before it was renamed. `tests.merge` joins their histories. */
  renamedFrom: z.array(
    z.object({ testId: z.string(), suite: z.string(), name: z.string(), file: z.string().nullable() }),
  ),
  /** Tests whose histories it contains. */
  mergedFrom: z.array(
    z.object({ testId: z.string(), suite: z.string(), name: z.string(), file: z.string().nullable() }),
  ),
  /** Runs the test again in a checkout. Null if Assay does not know how. */
  rerunCommand: z.string().nullable(),
})
export type TestDetail = z.infer<typeof TestDetail>

export const PreviewPolicy = z.object({
  projectId: z.string(),
  /** Replaces these rules of the project's policy; the others stay. */
  health: HealthRulesChange,
  userEmail,
})
export type PreviewPolicy = z.infer<typeof PreviewPolicy>

const PreviewedTest = TestSummary.pick({ testId: true, variant: true, suite: true, name: true, file: true }).extend({
  /** Under the project's policy and under the previewed one. */
  current: Health,
  previewed: Health,
  reason: z.string(),
})

export const PolicyPreview = z.object({
  rules: HealthRules,
  /** The time and the runs that were judged. */
  days: z.int(),
  runs: z.int(),
  /** Tests that failed or were retried at least once; the others do not differ. */
  notable: z.int(),
  /** Fewer than `notable` if there was no time for all of them. They are then a random sample. */
  examined: z.int(),
  current: TestsPage.shape.counts,
  previewed: TestsPage.shape.counts,
  /** Changes of health in that time, as many as would have been announced. */
  currentChanges: z.int(),
  previewedChanges: z.int(),
  /** The first 100 tests whose health differs. */
  differences: z.array(PreviewedTest),
  leftOut: z.int(),
})
export type PolicyPreview = z.infer<typeof PolicyPreview>

export const MergeTests = z.object({
  projectId: z.string(),
  /** The test under its earlier name. */
  from: z.guid(),
  into: z.guid(),
  userEmail,
})
export type MergeTests = z.infer<typeof MergeTests>
