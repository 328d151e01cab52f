import type { Context } from '../base/context.ts'
import type { TestRunRow } from './entity.ts'

/**
 * The queue of `core/tests/health/job.ts`. A job only says that a project may have something to judge; what that is, the
 * database says, so that requests add up to one judgement.
 */
export const healthQueue = 'test-health'

/** SQL that selects the projects with something to judge, once or more often, as `project_id`. */
export const projectsToJudge = `
  SELECT project_id FROM test_runs WHERE health_pending
   UNION ALL SELECT project_id FROM unjudged_projects
   UNION ALL SELECT project_id FROM unjudged_tests`

type Tx = Pick<Context, 'db' | 'jobs'>

/**
 * Requests that the health of the tests of a run that ended is judged, in the caller's transaction. Runs of snapshots, of
 * uncommitted code and of strangers do not count.
 */
export async function requestHealth(tx: Tx, run: TestRunRow): Promise<void> {
  const { status, totalTests, snapshotId, commitSha, withSecrets } = run
  if (status !== 'COMPLETED' || totalTests === 0 || snapshotId !== null || commitSha === null || !withSecrets) return
  await tx.db.query('UPDATE test_runs SET health_pending = true WHERE id = $1', [run.id])
  await enqueueHealth(tx, run.projectId)
}

/** Requests that a test is judged in all its variants, also those of its earlier names, in the caller's transaction. */
export async function requestTestHealth(tx: Tx, projectId: string, testId: string): Promise<void> {
  await tx.db.query(
    `INSERT INTO unjudged_tests (project_id, test_id, variant)
     SELECT DISTINCT project_id, $2::uuid, variant FROM tests WHERE project_id = $1 AND (test_id = $2 OR merged_into = $2)
     ON CONFLICT DO NOTHING`,
    [projectId, testId],
  )
  await enqueueHealth(tx, projectId)
}

/** Requests that all tests are judged whose health may differ by other rules or on another day, in the caller's transaction. */
export async function requestProjectHealth(tx: Tx, projectId: string): Promise<void> {
  await tx.db.query(
    'INSERT INTO unjudged_projects (project_id) SELECT id FROM projects WHERE id = $1 ON CONFLICT DO NOTHING',
    [projectId],
  )
  await enqueueHealth(tx, projectId)
}

export const enqueueHealth = (tx: Tx, projectId: string): Promise<void> =>
  tx.jobs.enqueue(tx.db, healthQueue, { projectId }, { group: projectId })
