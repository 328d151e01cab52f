import type { Context } from '../base/context.ts'
import { conflict, procedureHint } from '../base/errors.ts'
import type { ProjectRow } from '../projects/entity.ts'

export const strengthQueue = 'strength'

const maxWaitingOfProject = 20

/** Rejects measurements beyond the limit of a project, because all projects share the queue. The row is locked. */
export async function requireRoomForMeasurement(tx: Context, { id }: Pick<ProjectRow, 'id'>): Promise<void> {
  const [{ waiting }] = await tx.db.query<[{ waiting: number }]>(
    `SELECT count(*)::int AS waiting FROM strength_measurements WHERE project_id = $1 AND status = 'pending'`,
    [id],
  )
  if (waiting < maxWaitingOfProject) return
  throw conflict(
    `This project has ${waiting} queued measurements of strength, which is the maximum. Cancel some with strength.cancel, or try again later.`,
    procedureHint('strength.cancel'),
  )
}
