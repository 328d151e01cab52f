import type { Context } from '../base/context.ts'
import { loadSelectionPolicy } from './load-policy.ts'

/**
 * Whether runs of pull requests and of other branches than that of the project leave tests out. After a day without a run
 * of all tests, all tests run.
 */
export async function isEnforced({ db, now }: Pick<Context, 'db' | 'now'>, projectId: string): Promise<boolean> {
  if ((await loadSelectionPolicy({ db }, projectId)).mode !== 'enforce') return false
  const [row] = await db.query<[{ is_recent: boolean }]>(
    `SELECT EXISTS (SELECT FROM test_runs
                     WHERE project_id = $1 AND status = 'COMPLETED' AND total_tests > 0 AND snapshot_id IS NULL
                       AND selection IS NULL AND with_secrets AND created_at > $2) AS is_recent`,
    [projectId, new Date(now().getTime() - 86_400_000)],
  )
  return row.is_recent
}
