import type { Context } from '../base/context.ts'
import { notFound, procedureHint } from '../base/errors.ts'
import type { Role } from '../identity/organizations/schema.ts'
import { findOwnProject, lockOwnProject, type OwnProject } from '../projects/get.ts'
import { QuarantineEntity, type QuarantineRow } from './entity.ts'

export const noSuchQuarantine = () =>
  notFound('quarantine', 'quarantine.list lists those of a project.', procedureHint('quarantine.list'))

/** Loads a quarantine that the caller may change, and locks its project and its row, in the caller's transaction. */
export async function lockOwnQuarantine(
  tx: Context,
  id: string,
  minRole: Role,
): Promise<{ row: QuarantineRow; project: OwnProject }> {
  const quarantines = tx.db.getRepository(QuarantineEntity)
  const known = await quarantines.findOneBy({ id })
  if (!known || !(await findOwnProject(tx, known.projectId))) throw noSuchQuarantine()
  const project = await lockOwnProject(tx, known.projectId, minRole, 'KEY SHARE')
  const row = await quarantines.findOne({ where: { id }, lock: { mode: 'pessimistic_write' } })
  if (!row) throw noSuchQuarantine()
  return { row, project }
}
