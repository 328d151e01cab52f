import type { Context } from '../base/context.ts'
import { conflict, procedureHint } from '../base/errors.ts'
import type { ProjectRow } from '../projects/entity.ts'

export const verificationQueue = 'verifications'

const maxWaitingOfProject = 200

/** Keeps one project from filling the queue that all projects share. The project's row is locked. */
export async function requireRoomForVerifications(
  tx: Context,
  { id }: Pick<ProjectRow, 'id'>,
  count: number,
): Promise<void> {
  const [{ waiting }] = await tx.db.query<[{ waiting: number }]>(
    `SELECT count(*)::int AS waiting FROM verifications WHERE project_id = $1 AND status = 'pending'`,
    [id],
  )
  if (waiting + count <= maxWaitingOfProject) return
  throw conflict(
    `This project has ${waiting} verifications waiting, and at most ${maxWaitingOfProject} may wait. Cancel some with tests.cancelVerification, or ask again later.`,
    procedureHint('tests.cancelVerification'),
  )
}
