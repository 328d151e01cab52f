import { z } from 'zod'
import { branch, commitSha, page, Pagination, userEmail, waitSeconds } from '../base/input-fields/schema.ts'
import { Project } from '../projects/schema.ts'
import { RunError } from '../../engines/verdicts/schema.ts'

export const TestRunStatus = z.enum(['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'])
export type TestRunStatus = z.infer<typeof TestRunStatus>

/** What people ask for: whether the tests passed. `ERROR` is a run without a verdict. */
export const ReportedStatus = z.enum(['PENDING', 'RUNNING', 'PASSED', 'FAILED', 'ERROR', 'CANCELLED'])
export type ReportedStatus = z.infer<typeof ReportedStatus>

export const TestType = z.enum(['UNIT', 'INTEGRATION', 'E2E', 'ALL'])
export type TestType = z.infer<typeof TestType>

/** What asked for the run; `upload` ran elsewhere. */
export const RunSource = z.enum(['api', 'ci', 'push', 'pull_request', 'release', 'rerun', 'upload'])
export type RunSource = z.infer<typeof RunSource>

/** What an event of the code host that asks for a run gets. */
export const RequestedRun = z.object({ kind: z.literal('run'), runId: z.string() })
export type RequestedRun = z.infer<typeof RequestedRun>

/** A run as its project's page lists it. */
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
  project: ProjectDetail.pick({
    id: true,
    name: true,
    repository: true,
    branch: true,
    language: true,
    framework: true,
    testRuns: true,
  }),
})
export type ProjectEnvelope = z.infer<typeof ProjectEnvelope>

const TestName = z.object({ suite: z.string(), name: z.string(), file: z.string().nullable() })

/** What a run is confined to. Both empty: everything. */
export const Selection = z.object({ paths: z.array(z.string()), tests: z.array(TestName) })
export type Selection = z.infer<typeof Selection>

/** A command of a run, and why it is this one. */
export const PlannedStep = z.object({
  kind: z.enum(['install', 'prepare', 'test']),
  command: z.string(),
  /** A sentence. */
  because: z.string(),
})
export type PlannedStep = z.infer<typeof PlannedStep>

export const PlannedPart = z.object({
  /** The folder of the repository that it concerns; empty for all of it. */
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
  /** The command that runs. */
  command: z.string().nullable(),
  /** Lines of the log so far. */
  logLines: z.int(),
})
export type RunProgress = z.infer<typeof RunProgress>

/** Where a run that waits stands. */
export const QueuePlace = z.object({
  /** From 1: how many runs of this server start before it, and itself. */
  position: z.int(),
  running: z.int(),
  /** What it waits for, for people. */
  reason: z.string(),
})
export type QueuePlace = z.infer<typeof QueuePlace>

export const TestRun = z.object({
  id: z.string(),
  projectId: z.string(),
  /** Who asked for it; for events of the code host the project's owner. */
  userId: z.string(),
  status: TestRunStatus,
  reportedStatus: ReportedStatus,
  type: TestType,
  source: RunSource,
  name: z.string().nullable(),
  branch: z.string().nullable(),
  /** Known once the run has fetched it, where only a branch was asked for. */
  commitSha: z.string().nullable(),
  pullRequest: z.int().nullable(),
  selection: Selection.nullable(),
  /** The run whose failed tests it runs again. */
  rerunOf: z.string().nullable(),
  totalTests: z.int(),
  passedTests: z.int(),
  failedTests: z.int(),
  skippedTests: z.int(),
  /** Those that passed after an attempt that failed; they count as passed. */
  flakyTests: z.int(),
  /** Percent of lines. */
  coverage: z.number().nullable(),
  /** Milliseconds. */
  duration: z.int().nullable(),
  executor: z.string().nullable(),
  /** Present while the run waits. */
  queue: QueuePlace.nullable(),
  /** Present while it runs. */
  progress: RunProgress.nullable(),
  /** Why there is no verdict. */
  error: RunError.nullable(),
  warnings: z.array(z.string()),
  createdAt: z.iso.datetime(),
  startedAt: z.iso.datetime().nullable(),
  completedAt: z.iso.datetime().nullable(),
})
export type TestRun = z.infer<typeof TestRun>

/** A run with the commands that it ran or will run. */
export const TestRunDetail = TestRun.extend({ plan: z.array(PlannedPart).nullable() })
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
  type: TestType.default('ALL'),
  /** Files or folders to confine the run to. */
  paths: paths.optional(),
  /** Whoever repeats a call with the same key gets the first one's run. */
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
  type: true,
  paths: true,
  userEmail: true,
})
export type PlanRun = z.infer<typeof PlanRun>

export const RunPlanView = z.object({
  commitSha: z.string(),
  branch: z.string().nullable(),
  parts: z.array(PlannedPart),
})
export type RunPlanView = z.infer<typeof RunPlanView>

export const RunRef = z.object({ runId: z.string(), userEmail })
export type RunRef = z.infer<typeof RunRef>

export const GetRun = RunRef.extend({
  /** Answers as soon as the run has ended, else when the time is up. */
  waitSeconds,
})
export type GetRun = z.infer<typeof GetRun>

export const ListRuns = z.object({
  projectId: z.string(),
  branch: branch.optional(),
  status: z.enum(['PENDING', 'RUNNING', 'COMPLETED', 'PASSED', 'FAILED', 'ERROR', 'CANCELLED']).optional(),
  ...page,
  userEmail,
})
export type ListRuns = z.infer<typeof ListRuns>

export const RunsPage = z.object({ runs: z.array(TestRun), pagination: Pagination })
export type RunsPage = z.infer<typeof RunsPage>

/** The answer of `GET /api/test-runs/:runId/status`. */
export const RunStatus = z.object({
  runId: z.string(),
  status: ReportedStatus,
  type: TestType,
  totalTests: z.int(),
  passedTests: z.int(),
  failedTests: z.int(),
  skippedTests: z.int(),
  coverage: z.number().nullable(),
  duration: z.int().nullable(),
  startedAt: z.iso.datetime().nullable(),
  completedAt: z.iso.datetime().nullable(),
  error: z.string().optional(),
  /** What is worth telling besides the verdict, such as coverage below the project's threshold. */
  warnings: z.array(z.string()).optional(),
  queue: QueuePlace.optional(),
})
export type RunStatus = z.infer<typeof RunStatus>

/** What the event `status` of a run's stream tells. */
export const RunNews = RunStatus.extend({ queue: QueuePlace.nullable(), progress: RunProgress.nullable() })
export type RunNews = z.infer<typeof RunNews>
