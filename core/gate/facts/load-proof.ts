import type { GateFacts } from '../../../engines/gate/facts.ts'
import type { Context } from '../../base/context.ts'
import type { GateRow } from '../entity.ts'

interface Row {
  id: string
  verdict: string
  killed: number | null
  timed_out: number | null
  survived: number | null
}

/** Loads the latest final verdict of `changes.verify` on the change of a gate. */
export async function loadProof(
  { db }: Pick<Context, 'db'>,
  { projectId, headSha, snapshotId, baseSha }: Pick<GateRow, 'projectId' | 'headSha' | 'snapshotId' | 'baseSha'>,
): Promise<Pick<GateFacts, 'proof' | 'mutants'>> {
  const [row] = await db.query<Row[]>(
    `SELECT id, verdict, (evidence #>> '{mutation,killed}')::int AS killed,
            (evidence #>> '{mutation,timedOut}')::int AS timed_out,
            (evidence #>> '{mutation,survived}')::int AS survived
       FROM changes
      WHERE project_id = $1 AND head_sha = $2 AND snapshot_id IS NOT DISTINCT FROM $3 AND base_sha = $4
        AND status = 'completed' AND verdict IS NOT NULL
      ORDER BY id DESC LIMIT 1`,
    [projectId, headSha, snapshotId, baseSha],
  )
  if (!row) return { proof: null, mutants: null }
  const killed = (row.killed ?? 0) + (row.timed_out ?? 0)
  return {
    proof: { verdict: row.verdict, changeId: row.id },
    mutants: row.survived === null ? null : { killed, total: killed + row.survived },
  }
}
