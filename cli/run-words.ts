import type { ReportedStatus, RunNews, RunSource, TestRun } from '../core/test-runs/schema.ts'
import { cyan, dim, green, type Part, red, yellow } from './output.ts'
import { counted, duration } from './words.ts'

const paints: Record<ReportedStatus, (text: string) => Part> = {
  PENDING: dim,
  RUNNING: cyan,
  PASSED: green,
  FAILED: red,
  ERROR: red,
  CANCELLED: yellow,
}

export const statusPart = (status: ReportedStatus): Part => paints[status](status)

type Counts = Pick<TestRun, 'totalTests' | 'passedTests' | 'failedTests' | 'mutedTests' | 'skippedTests'>

/** `120 tests: 3 failed, 1 failed but muted, 114 passed, 2 skipped`, and `no tests` for an upload of coverage alone. */
export function countsOf({ totalTests, passedTests, failedTests, mutedTests, skippedTests }: Counts): string {
  if (totalTests === 0) return 'no tests'
  const parts = [
    failedTests > 0 ? `${failedTests} failed` : '',
    mutedTests > 0 ? `${mutedTests} failed but muted` : '',
    `${passedTests} passed`,
    skippedTests > 0 ? `${skippedTests} skipped` : '',
  ]
  return `${counted(totalTests, 'test')}: ${parts.filter((part) => part !== '').join(', ')}`
}

/**
 * Returns branch and commit, as far as the run has them. Only an upload of uncommitted code has neither.
 *
 * @param snapshots - descriptions of snapshots that were not deleted, by their ids
 */
export function refOf(
  { branch, commitSha, snapshotId }: Pick<TestRun, 'branch' | 'commitSha'> & Partial<Pick<TestRun, 'snapshotId'>>,
  snapshots?: ReadonlyMap<string, string>,
): string {
  if (typeof snapshotId === 'string') return snapshots?.get(snapshotId) ?? 'snapshot'
  const commit = commitSha?.slice(0, 10)
  if (branch === null) return commit ?? 'uncommitted changes'
  return commit === undefined ? branch : `${branch}@${commit}`
}

/** Describes the current step, or the reason for waiting. Empty once the run has ended. */
export function progressOf({ status, queue, progress }: Pick<RunNews, 'status' | 'queue' | 'progress'>): string {
  if (queue) return `waiting, place ${queue.position}: ${queue.reason}`
  if (progress) return progress.command === null ? progress.phase : `${progress.phase}: ${progress.command}`
  return status === 'PENDING' || status === 'RUNNING' ? status.toLowerCase() : ''
}

export const timeOf = (milliseconds: number | null) => (milliseconds === null ? null : duration(milliseconds))

/** What started a run. Runs of the command line and of MCP have the source `api`. */
export const startedBy: Record<RunSource, string> = {
  dashboard: 'dashboard',
  api: 'CLI, MCP or API',
  ci: 'CI trigger',
  push: 'push',
  pull_request: 'pull request',
  release: 'release',
  rerun: 'rerun',
  upload: 'upload',
}
