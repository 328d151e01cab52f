import { z } from 'zod'
import {
  branch,
  commitPrefix,
  commitSha,
  page,
  Pagination,
  url,
  userEmail,
  waitSeconds,
} from '../base/input-fields/schema.ts'
import { Project, ProjectSettingsChange, RestProject } from '../projects/schema.ts'
import { RunError } from '../../engines/verdicts/schema.ts'

export const TestRunStatus = z.enum(['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'])
export type TestRunStatus = z.infer<typeof TestRunStatus>

/** Whether the tests passed. `ERROR` means that the run has no result. */
export const ReportedStatus = z.enum(['PENDING', 'RUNNING', 'PASSED', 'FAILED', 'ERROR', 'CANCELLED'])
export type ReportedStatus = z.infer<typeof ReportedStatus>

export const TestType = z.enum(['UNIT', 'INTEGRATION', 'E2E', 'ALL'])
export type TestType = z.infer<typeof TestType>

/** What triggered the run. `dashboard`: a person in the dashboard. `upload`: the tests ran elsewhere. */
export const RunSource = z.enum(['dashboard', 'api', 'ci', 'push', 'pull_request', 'release', 'rerun', 'upload'])
export type RunSource = z.infer<typeof RunSource>

/** The answer to an event of the code host that triggers a run. */
export const RequestedRun = z.object({ kind: z.literal('run'), runId: z.string() })
export type RequestedRun = z.infer<typeof RequestedRun>

/** A run in the list of a project's page. */
export const TestRunSummary = z.object({
  id: z.string(),
  status: TestRunStatus,
  passedTests: z.int(),
  totalTests: z.int(),
  createdAt: z.iso.datetime(),
})
export type TestRunSummary = z.infer<typeof TestRunSummary>

/** A project with its latest test runs, newest first. */
export const ProjectDetail = Project.extend({ testRuns: z.array(TestRunSummary) })
export type ProjectDetail = z.infer<typeof ProjectDetail>

/** The answer of `GET /api/v1/projects/:id`. */
export const ProjectEnvelope = z.object({
  project: RestProject.extend({ testRuns: ProjectDetail.shape.testRuns }),
})
export type ProjectEnvelope = z.infer<typeof ProjectEnvelope>

const TestName = z.object({ suite: z.string(), name: z.string(), file: z.string().nullable() })

/** Restricts a run to some tests. If both lists are empty, the run is not restricted. */
export const Selection = z.object({ paths: z.array(z.string()), tests: z.array(TestName) })
export type Selection = z.infer<typeof Selection>

/** How a run chooses its tests by its change. */
export const ImpactedRun = z.object({
  /** The branch, tag or commit that the change is compared with. */
  base: z.string(),
  budgetSeconds: z.number().nullable(),
  /** Null until the commit was fetched. */
  found: z
    .object({
      baseSha: z.string(),
      /** `all`: every test runs, and `whyAll` says why. */
      mode: z.enum(['impacted', 'all']),
      whyAll: z.string().nullable(),
      /** Of test files. */
      counts: z.object({ all: z.int(), selected: z.int(), skipped: z.int(), cut: z.int() }),
      seconds: z.object({ all: z.number(), selected: z.number() }),
    })
    .nullable(),
})
export type ImpactedRun = z.infer<typeof ImpactedRun>

/** A command of a run, and why it was chosen. */
export const PlannedStep = z.object({
  kind: z.enum(['install', 'prepare', 'test']),
  command: z.string(),
  /** A sentence. */
  because: z.string(),
})
export type PlannedStep = z.infer<typeof PlannedStep>

export const PlannedPart = z.object({
  /** The folder of the repository in which the commands run; empty for the root. */
  directory: z.string(),
  ecosystem: z.string(),
  framework: z.string().nullable(),
  steps: z.array(PlannedStep),
  notes: z.array(z.string()),
})
export type PlannedPart = z.infer<typeof PlannedPart>

export const RunPhase = z.enum(['fetching', 'planning', 'installing', 'testing', 'reading', 'storing'])
export type RunPhase = z.infer<typeof RunPhase>

export const RunProgress = z.object({
  phase: RunPhase,
  /** The current command. */
  command: z.string().nullable(),
  /** The number of log lines so far. */
  logLines: z.int(),
})
export type RunProgress = z.infer<typeof RunProgress>

/** The position of a queued run. */
export const QueuePlace = z.object({
  /** The position among all queued runs of this server, from 1. */
  position: z.int(),
  running: z.int(),
  /** A sentence that says what the run waits for. */
  reason: z.string(),
})
export type QueuePlace = z.infer<typeof QueuePlace>

const CoveredLines = { coveredLines: z.int(), totalLines: z.int() }

/** What the coverage of a run is made of. */
export const CoverageFigures = z.object({
  ...CoveredLines,
  files: z.int(),
  /** The files with the most lines that no test runs. `testRuns.coverage` lists all. */
  worst: z.array(z.object({ path: z.string(), ...CoveredLines })),
})
export type CoverageFigures = z.infer<typeof CoverageFigures>

export const TestRun = z.object({
  id: z.string(),
  projectId: z.string(),
  url,
  /** The user who triggered the run; for events of the code host the project's owner. */
  userId: z.string(),
  status: TestRunStatus,
  reportedStatus: ReportedStatus,
  type: TestType,
  source: RunSource,
  name: z.string().nullable(),
  branch: z.string().nullable(),
  /** If the run was triggered for a branch, null until the worker has fetched the commit. */
  commitSha: z.string().nullable(),
  /** The snapshot that was tested; null for a commit of the repository. A snapshot may have been deleted since. */
  snapshotId: z.string().nullable(),
  pullRequest: z.int().nullable(),
  selection: Selection.nullable(),
  /** Null unless the run chooses its tests by its change. */
  impacted: ImpactedRun.nullable(),
  /** The run whose failed tests this run repeats. */
  rerunOf: z.string().nullable(),
  totalTests: z.int(),
  passedTests: z.int(),
  /** Tests that failed and decide the run's verdict. */
  failedTests: z.int(),
  /** Tests that failed but are muted by quarantine: they do not decide, and are not among `failedTests`. */
  mutedTests: z.int(),
  skippedTests: z.int(),
  /** Tests that passed after a failed attempt. They count as passed. */
  flakyTests: z.int(),
  /** Whether the results of single tests were deleted because of their age. The counts stay. */
  resultsDeleted: z.boolean(),
  /** Percent of lines. */
  coverage: z.number().nullable(),
  /** Null if there is no coverage. */
  coverageFigures: CoverageFigures.nullable(),
  /** Milliseconds. */
  duration: z.int().nullable(),
  executor: z.string().nullable(),
  /** Null unless the run is queued. */
  queue: QueuePlace.nullable(),
  /** Null unless the run is running. */
  progress: RunProgress.nullable(),
  /** Why the run has no result. */
  error: RunError.nullable(),
  warnings: z.array(z.string()),
  createdAt: z.iso.datetime(),
  startedAt: z.iso.datetime().nullable(),
  completedAt: z.iso.datetime().nullable(),
})
export type TestRun = z.infer<typeof TestRun>

/** What a part of the time of a run was used for. */
export const TimelineStep = z.object({
  /** The command with its folder; for an upload the name of its first file. */
  label: z.string(),
  kind: z.enum(['install', 'prepare', 'test', 'upload']),
  /** For an upload, when it was received. */
  startedAt: z.iso.datetime(),
  /** For an upload, the time that its tests took, or 0 if its reports do not say. */
  durationMs: z.int(),
  /** Null for other commands than tests, and until the run has ended. */
  tests: z.int().nullable(),
  /** `skipped`: an earlier install was used. */
  outcome: z.enum(['ok', 'failed', 'skipped']),
})
export type TimelineStep = z.infer<typeof TimelineStep>

/** A run with the commands that it ran or will run. */
export const TestRunDetail = TestRun.extend({
  plan: z.array(PlannedPart).nullable(),
  /** The first 200 steps that have ended, or the uploads that the run consists of. Null for runs of earlier versions. */
  timeline: z.array(TimelineStep).nullable(),
})
export type TestRunDetail = z.infer<typeof TestRunDetail>

const paths = z
  .array(
    z
      .string()
      .min(1)
      .max(1_000)
      .refine((path) => path.isWellFormed() && !/[\p{Cc}]/u.test(path), 'must be plain text')
      .refine(
        (path) => !path.startsWith('/') && !path.startsWith('-') && !path.split(/[/\\]/).includes('..'),
        'must be a path within the repository',
      ),
  )
  .max(100)

export const TriggerRun = z.strictObject({
  projectId: z.string(),
  branch: branch.optional(),
  commitSha: commitSha.optional(),
  /** Instead of `branch` and `commitSha`. */
  snapshotId: z.string().optional(),
  type: TestType.default('ALL'),
  /** Runs only the tests in these files or folders. */
  paths: paths.optional(),
  /** Runs only the tests that can notice what changed since `base`, and all tests where that is not certain. */
  selection: z.literal('impacted').optional(),
  /** A branch, tag or commit; by default the branch of the project. Only with `selection`. */
  base: z.string().min(1).max(255).optional(),
  /** Keeps the most useful tests that fit into this time. Only with `selection`. */
  budgetSeconds: z.number().positive().max(86_400).optional(),
  /** A repeated call with the same key returns the run of the first call. */
  idempotencyKey: z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 printable characters without spaces')
    .optional(),
  userEmail,
})
export type TriggerRun = z.infer<typeof TriggerRun>

export const PlanRun = TriggerRun.pick({
  projectId: true,
  branch: true,
  commitSha: true,
  snapshotId: true,
  type: true,
  paths: true,
  userEmail: true,
}).extend({
  /** Plans as if the project had these settings, without saving them. The others stay as they are. */
  settings: ProjectSettingsChange.pick({
    installCommand: true,
    testCommand: true,
    workingDirectory: true,
    reportGlobs: true,
    coverageGlobs: true,
  }).optional(),
})
export type PlanRun = z.infer<typeof PlanRun>

export const RunPlanView = z.object({
  commitSha: z.string(),
  branch: z.string().nullable(),
  snapshotId: z.string().nullable(),
  parts: z.array(PlannedPart),
})
export type RunPlanView = z.infer<typeof RunPlanView>

export const RunRef = z.object({ runId: z.string(), userEmail })
export type RunRef = z.infer<typeof RunRef>

export const GetRun = RunRef.extend({
  /** The call returns as soon as the run has ended, or when this time is up. */
  waitSeconds,
})
export type GetRun = z.infer<typeof GetRun>

export const ListRuns = z.object({
  projectId: z.string(),
  branch: branch.optional(),
  /** Only runs of this snapshot; null for those of the repository. */
  snapshotId: z.string().nullable().optional(),
  status: z.enum(['PENDING', 'RUNNING', 'COMPLETED', 'PASSED', 'FAILED', 'ERROR', 'CANCELLED']).optional(),
  source: RunSource.optional(),
  /** A commit id or its beginning. */
  commitSha: commitPrefix.optional(),
  /** True: only runs that say how a branch is. These are runs of all tests of a commit, not of selected ones or of a snapshot. */
  whole: z.boolean().optional(),
  /** True: only runs with coverage. */
  measured: z.boolean().optional(),
  /** Only runs that were created at this time or later, */
  since: z.iso.datetime({ offset: true }).optional(),
  /** and before this time. */
  until: z.iso.datetime({ offset: true }).optional(),
  ...page,
  userEmail,
})
export type ListRuns = z.infer<typeof ListRuns>

export const RunsPage = z.object({ runs: z.array(TestRun), pagination: Pagination })
export type RunsPage = z.infer<typeof RunsPage>

/** The answer of `GET /api/test-runs/:runId/status`. */
export const RunStatus = z.object({
  runId: z.string(),
  url,
  status: ReportedStatus,
  type: TestType,
  totalTests: z.int(),
  passedTests: z.int(),
  failedTests: z.int(),
  mutedTests: z.int(),
  skippedTests: z.int(),
  coverage: z.number().nullable(),
  duration: z.int().nullable(),
  startedAt: z.iso.datetime().nullable(),
  completedAt: z.iso.datetime().nullable(),
  error: z.string().optional(),
  /** Remarks on the result, such as coverage below the project's threshold. */
  warnings: z.array(z.string()).optional(),
  queue: QueuePlace.optional(),
})
export type RunStatus = z.infer<typeof RunStatus>

/** The data of the event `status` in the stream of a run. */
export const RunNews = RunStatus.extend({ queue: QueuePlace.nullable(), progress: RunProgress.nullable() })
export type RunNews = z.infer<typeof RunNews>
