import type { Context } from '../base/context.ts'
import { conflict, procedureHint } from '../base/errors.ts'
import type { ProjectRow } from '../projects/entity.ts'

export const verificationQueue = 'verifications'

const maxWaitingOfProject = 200

/** Rejects verifications beyond the limit of a project, because all projects share the queue. The row is locked. */
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
    `This project has ${waiting} queued verifications, and the maximum is ${maxWaitingOfProject}. Cancel some with tests.cancelVerification, or try again later.`,
    procedureHint('tests.cancelVerification'),
  )
}
