import { z } from 'zod'
import { branch, page, Pagination, url, userEmail } from '../../base/input-fields/schema.ts'

export const CaseStatus = z.enum(['passed', 'failed', 'skipped'])

export const Attempt = z.object({
  status: CaseStatus,
  durationMs: z.number().nullable(),
  message: z.string().nullable(),
})

/** Equal for failures of one cause. Set for tests that failed and for those that passed after a failed attempt. */
const fingerprint = z.string().nullable()

export const TestResult = z.object({
  /** The id of the test, which is the same in every run of the project. */
  testId: z.string(),
  suite: z.string(),
  name: z.string(),
  file: z.string().nullable(),
  line: z.int().nullable(),
  status: CaseStatus,
  durationMs: z.number().nullable(),
  message: z.string().nullable(),
  stack: z.string().nullable(),
  /** Attempts before the last one. */
  attempts: z.array(Attempt),
  flaky: z.boolean(),
  /** Whether the failure does not decide, because the test was in quarantine. */
  muted: z.boolean(),
  /** Tells results of the same test apart, such as those on another operating system. Usually empty. */
  variant: z.string(),
  fingerprint,
})
export type TestResult = z.infer<typeof TestResult>

export const ListResults = z.object({
  runId: z.string(),
  /** The results of this test: one, or one of each report that contains it. */
  testId: z.guid().optional(),
  status: CaseStatus.optional(),
  flaky: z.boolean().optional(),
  /** A part of the suite, name or file; case does not matter. */
  search: z.string().max(200).optional(),
  /** `status`: failed tests first, then in the order of the reports. `duration`: slowest first. `name`: by suite and name. */
  sort: z.enum(['status', 'duration', 'name']).default('status'),
  ...page,
  userEmail,
})
export type ListResults = z.infer<typeof ListResults>

export const ResultsPage = z.object({ results: z.array(TestResult), pagination: Pagination })
export type ResultsPage = z.infer<typeof ResultsPage>

export const GetTestHistory = z
  .object({
    projectId: z.string(),
    testId: z.guid().optional(),
    /** Instead of `testId`: a part of the suite, name or file; case does not matter. */
    search: z.string().min(1).max(200).optional(),
    branch: branch.optional(),
    ...page,
    userEmail,
  })
  .refine(({ testId, search }) => (testId === undefined) !== (search === undefined), 'give either testId or search')
export type GetTestHistory = z.infer<typeof GetTestHistory>

/** The result of a test in one run. */
export const PastResult = z.object({
  runId: z.string(),
  branch: z.string().nullable(),
  commitSha: z.string().nullable(),
  /** Where it ran, such as an operating system. Empty without a name. If several ran in a run, the one that failed. */
  variant: z.string(),
  status: CaseStatus,
  durationMs: z.number().nullable(),
  /** The beginning of the message. testRuns.results returns all of it. */
  message: z.string().nullable(),
  flaky: z.boolean(),
  muted: z.boolean(),
  fingerprint,
  /** Why failures of the run do not count for the health of tests, as in `tests.get`. */
  outage: z.string().nullable(),
  /** When the tests ran; `createdAt` is when the run was triggered or uploaded. */
  ranAt: z.iso.datetime(),
  createdAt: z.iso.datetime(),
})
export type PastResult = z.infer<typeof PastResult>

const TestRef = TestResult.pick({ testId: true, suite: true, name: true, file: true })

/** The history of one test, or the matching tests if a search finds several. */
export const TestHistory = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('history'),
    url,
    test: TestRef,
    /** Those that ran last come first. */
    results: z.array(PastResult),
    /** Counts those of the project's latest 500 runs that contain the test. */
    totals: z.object({ runs: z.int(), passed: z.int(), failed: z.int(), skipped: z.int(), flaky: z.int() }),
    /** The first of the latest consecutive failures. Null if the latest result is not a failure. */
    since: PastResult.pick({ runId: true, branch: true, commitSha: true, ranAt: true, createdAt: true })
      .extend({ runs: z.int() })
      .nullable(),
    pagination: Pagination,
  }),
  z.object({
    kind: z.literal('tests'),
    /** At most 1,000 tests of the project's latest 20 runs with their latest status; failed tests come first. */
    tests: z.array(TestRef.extend({ status: CaseStatus })),
    pagination: Pagination,
  }),
])
export type TestHistory = z.infer<typeof TestHistory>

export const ListCoverage = z.object({ runId: z.string(), ...page, userEmail })
export type ListCoverage = z.infer<typeof ListCoverage>

const Share = z.object({ covered: z.int(), total: z.int() })
export const CoveragePage = z.object({
  /** The files with the most uncovered lines come first. */
  files: z.array(
    z.object({
      path: z.string(),
      lines: Share,
      branches: Share.nullable(),
      functions: Share.nullable(),
      /** Ranges such as `3-7,12`. */
      uncoveredLines: z.string(),
      /**
       * How many small changes of the file tests noticed when its strength was measured last, of those that were tried, and
       * the commit that was measured, where the file can have had another content. Null if it was not measured.
       */
      strength: z.object({ percent: z.number(), tried: z.int(), noticed: z.int(), commitSha: z.string() }).nullable(),
    }),
  ),
  pagination: Pagination,
})
export type CoveragePage = z.infer<typeof CoveragePage>

export const ListCoverageByFolder = z.object({
  runId: z.string(),
  /** Such as `src/checkout`; the whole repository by default. */
  folder: z.string().max(4_096).default(''),
  ...page,
  userEmail,
})
export type ListCoverageByFolder = z.infer<typeof ListCoverageByFolder>

const FolderCoverage = z.object({
  path: z.string(),
  /** The number of files, with those in folders below; 1 for a file. */
  files: z.int(),
  lines: Share,
  branches: Share.nullable(),
  functions: Share.nullable(),
  /**
   * How many small changes of these files tests noticed when the strength of each was measured last, of those that were
   * tried. Null if none was measured.
   */
  strength: z.object({ percent: z.number(), tried: z.int(), noticed: z.int() }).nullable(),
})

export const CoverageByFolder = z.object({
  /** Everything in the folder. */
  folder: FolderCoverage,
  /** What is directly in it; folders come first, by name. */
  entries: z.array(FolderCoverage.extend({ kind: z.enum(['folder', 'file']) })),
  pagination: Pagination,
})
export type CoverageByFolder = z.infer<typeof CoverageByFolder>
