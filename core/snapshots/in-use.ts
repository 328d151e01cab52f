import type { Context } from '../base/context.ts'

/** The records that keep a snapshot while they are queued or running. */
const unended = [
  `SELECT 1 FROM analyses WHERE snapshot_id = s.id AND status IN ('pending', 'running')`,
  `SELECT 1 FROM test_runs WHERE snapshot_id = s.id AND status IN ('PENDING', 'RUNNING')`,
  `SELECT 1 FROM changes WHERE snapshot_id = s.id AND status IN ('pending', 'running')`,
  `SELECT 1 FROM strength_measurements WHERE snapshot_id = s.id AND status IN ('pending', 'running')`,
  `SELECT 1 FROM verifications WHERE snapshot_id = s.id AND status IN ('pending', 'running')`,
]

/** SQL for whether work on the snapshot `s` is queued or running. */
export const isInUseSql = `EXISTS (${unended.join(' UNION ALL ')})`

export async function isInUse({ db }: Pick<Context, 'db'>, id: string): Promise<boolean> {
  const rows = await db.query<unknown[]>(`SELECT FROM snapshots s WHERE id = $1 AND ${isInUseSql}`, [id])
  return rows.length > 0
}
