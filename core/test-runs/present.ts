import { runUrl, type Site } from '../base/page-urls.ts'
import type { TestRunRow } from './entity.ts'
import type { QueuePlace, ReportedStatus, RunStatus, TestRun, TestRunDetail, TestRunSummary } from './schema.ts'

/** Converts the status of a record to the status that users see. */
export function reportedStatus({ status, failedTests }: Pick<TestRunRow, 'status' | 'failedTests'>): ReportedStatus {
  if (status === 'COMPLETED') return failedTests === 0 ? 'PASSED' : 'FAILED'
  return status === 'FAILED' ? 'ERROR' : status
}

export const hasEnded = ({ status }: Pick<TestRunRow, 'status'>) => status !== 'PENDING' && status !== 'RUNNING'

export function presentRun(site: Site, row: TestRunRow, queue: QueuePlace | null = null): TestRun {
  return {
    id: row.id,
    projectId: row.projectId,
    url: runUrl(site, row),
    userId: row.userId,
    status: row.status,
    reportedStatus: reportedStatus(row),
    type: row.type,
    source: row.source,
    name: row.name,
    branch: row.branch,
    commitSha: row.commitSha,
    snapshotId: row.snapshotId,
    pullRequest: row.pullRequest,
    selection: row.selection,
    impacted: row.impacted,
    rerunOf: row.rerunOf,
    totalTests: row.totalTests,
    passedTests: row.passedTests,
    failedTests: row.failedTests,
    mutedTests: row.mutedTests,
    skippedTests: row.skippedTests,
    flakyTests: row.flakyTests,
    resultsDeleted: row.resultsDeleted,
    coverage: row.coverage,
    coverageFigures: row.coverageFigures,
    duration: row.duration,
    executor: row.executor,
    queue,
    progress: row.status === 'RUNNING' ? row.progress : null,
    error: row.error,
    warnings: row.warnings.map(({ text }) => text),
    createdAt: row.createdAt.toISOString(),
    startedAt: row.startedAt?.toISOString() ?? null,
    completedAt: row.completedAt?.toISOString() ?? null,
  }
}

export function presentRunDetail(site: Site, row: TestRunRow, queue: QueuePlace | null): TestRunDetail {
  return { ...presentRun(site, row, queue), plan: row.plan, timeline: row.timeline }
}

export function presentStatus(site: Site, row: TestRunRow, queue: QueuePlace | null): RunStatus {
  const { reportedStatus: status, id: runId, error, ...run } = presentRun(site, row)
  return {
    runId,
    url: run.url,
    status,
    type: run.type,
    totalTests: run.totalTests,
    passedTests: run.passedTests,
    failedTests: run.failedTests,
    mutedTests: run.mutedTests,
    skippedTests: run.skippedTests,
    coverage: run.coverage,
    duration: run.duration,
    startedAt: run.startedAt,
    completedAt: run.completedAt,
    ...(error ? { error: error.message } : {}),
    ...(run.warnings.length > 0 ? { warnings: run.warnings } : {}),
    ...(queue ? { queue } : {}),
  }
}

export function presentSummary(row: TestRunRow): TestRunSummary {
  const { id, status, passedTests, totalTests, createdAt } = row
  return { id, status, passedTests, totalTests, createdAt: createdAt.toISOString() }
}

const presentCommon = ({ id, projectId, branch, commitSha, snapshotId, createdAt }: TestRunRow) => ({
  id,
  projectId,
  branch,
  commitSha,
  ...(snapshotId === null ? {} : { snapshotId }),
  createdAt: createdAt.toISOString(),
})

/** The data of `test_run.started`. */
export const presentStarted = (row: TestRunRow) => ({
  ...presentCommon(row),
  status: 'running' as const,
  type: row.type,
})

/** The data of `test_run.completed`. */
export const presentCompleted = (row: TestRunRow) => {
  const { totalTests, passedTests, failedTests, mutedTests, skippedTests, duration, coverage } = row
  const counts = { totalTests, passedTests, failedTests, mutedTests, skippedTests, duration, coverage }
  return { ...presentCommon(row), status: 'completed' as const, ...counts }
}

/** The data of `test_run.failed`. */
export const presentFailed = (row: TestRunRow, log: string) => ({
  ...presentCommon(row),
  status: row.status === 'CANCELLED' ? ('cancelled' as const) : ('failed' as const),
  error: row.error?.message ?? 'The run was cancelled.',
  log,
})
