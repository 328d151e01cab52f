import type { Context } from '../base/context.ts'
import type { TestRunRow } from './entity.ts'

/** The queue of `core/tests/health/job.ts`. */
export const healthQueue = 'test-health'

/**
 * Requests that the health of the tests of a run that ended is judged, in the caller's transaction. Runs of snapshots, of
 * uncommitted code and of strangers do not count.
 */
export async function requestHealth(tx: Pick<Context, 'db' | 'jobs'>, run: TestRunRow): Promise<void> {
  const { status, totalTests, snapshotId, commitSha, withSecrets } = run
  if (status !== 'COMPLETED' || totalTests === 0 || snapshotId !== null || commitSha === null || !withSecrets) return
  await tx.db.query('UPDATE test_runs SET health_pending = true WHERE id = $1', [run.id])
  await tx.jobs.enqueue(tx.db, healthQueue, { projectId: run.projectId }, { group: run.projectId })
}
