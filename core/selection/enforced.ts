import type { Context } from '../base/context.ts'
import { loadEvidence, required } from './evidence.ts'
import { loadSelectionPolicy } from './load-policy.ts'

/**
 * Whether runs of pull requests and of other branches than that of the project leave tests out. All tests run after a day
 * without a run of all tests, and while the selections of the latest runs missed too much.
 */
export async function isEnforced({ db, now }: Pick<Context, 'db' | 'now'>, projectId: string): Promise<boolean> {
  if ((await loadSelectionPolicy({ db }, projectId)).mode !== 'enforce') return false
  const [row] = await db.query<[{ is_recent: boolean }]>(
    `SELECT EXISTS (SELECT FROM test_runs
                     WHERE project_id = $1 AND status = 'COMPLETED' AND total_tests > 0 AND snapshot_id IS NULL
                       AND selection IS NULL AND with_secrets AND created_at > $2) AS is_recent`,
    [projectId, new Date(now().getTime() - 86_400_000)],
  )
  if (!row.is_recent) return false
  const { recall } = await loadEvidence({ db }, projectId)
  return recall === null || recall >= required.recall
}
