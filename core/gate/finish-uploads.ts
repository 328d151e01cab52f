import { type Context, inTransaction } from '../base/context.ts'
import { lockOwnProject } from '../projects/get.ts'
import { requestGates } from '../test-runs/request-gate.ts'
import type { FinishedUploads, FinishUploads } from './schema.ts'

/** Notes that no more uploads of a commit come, so that its gates stop waiting for them. Repeating it changes nothing. */
export async function finishUploads(ctx: Context, input: FinishUploads): Promise<FinishedUploads> {
  const { commitSha } = input
  return inTransaction(ctx, async (tx) => {
    const { id: projectId } = await lockOwnProject(tx, input.projectId, 'member', 'KEY SHARE')
    const [fresh] = await tx.db.query<{ finished_at: Date }[]>(
      `INSERT INTO finished_uploads (project_id, commit_sha, finished_at) VALUES ($1, $2, $3)
       ON CONFLICT DO NOTHING RETURNING finished_at`,
      [projectId, commitSha, tx.now()],
    )
    if (fresh) await requestGates(tx, { projectId, commitSha, snapshotId: null })
    const [{ finished_at: finishedAt }] = await tx.db.query<[{ finished_at: Date }]>(
      'SELECT finished_at FROM finished_uploads WHERE project_id = $1 AND commit_sha = $2',
      [projectId, commitSha],
    )
    return { commitSha, finishedAt: finishedAt.toISOString() }
  })
}
