import type { Context } from '../base/context.ts'
import { conflict, procedureHint } from '../base/errors.ts'
import type { ProjectRow } from '../projects/entity.ts'

export const changeQueue = 'changes'

const maxWaitingOfProject = 100

/** Rejects changes beyond the limit of a project, because all projects share the queue. The row is locked. */
export async function requireRoomForChange(tx: Context, { id }: Pick<ProjectRow, 'id'>): Promise<void> {
  const [{ waiting }] = await tx.db.query<[{ waiting: number }]>(
    `SELECT count(*)::int AS waiting FROM changes WHERE project_id = $1 AND status = 'pending'`,
    [id],
  )
  if (waiting < maxWaitingOfProject) return
  throw conflict(
    `This project has ${waiting} queued changes, which is the maximum. Cancel some with changes.cancel, or try again later.`,
    procedureHint('changes.cancel'),
  )
}
