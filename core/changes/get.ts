import type { FindOptionsWhere } from 'typeorm'
import type { Context } from '../base/context.ts'
import { notFound, procedureHint } from '../base/errors.ts'
import { endingRecords, waitForEnd } from '../jobs/wait-for-end.ts'
import { requireRole } from '../identity/organizations/roles.ts'
import type { Role } from '../identity/organizations/schema.ts'
import { findOwnProject, getOwnProject } from '../projects/get.ts'
import { hasEnded } from '../verdicts/record.ts'
import { ChangeEntity, type ChangeRow } from './entity.ts'
import { hasVerdict, presentChange, presentSummary } from './present.ts'
import type { Change, ChangesPage, GetChange, ListChanges } from './schema.ts'

const unended = endingRecords('changes', ['pending', 'running'])
const unanswered = endingRecords('changes', ['pending', 'running'], {
  name: 'unanswered changes',
  and: 'verdict IS NULL',
})

/** Answers the same for a change of another user and for one that does not exist. */
export async function getOwnChange(ctx: Context, id: string, minRole: Role): Promise<ChangeRow> {
  const row = await ctx.db.getRepository(ChangeEntity).findOneBy({ id })
  const project = row && (await findOwnProject(ctx, row.projectId))
  if (!project) {
    throw notFound('change', 'changes.list lists the changes of a project.', procedureHint('changes.list'))
  }
  requireRole(project.role, minRole)
  return row
}

/** Returns a change with its evidence. With `waitSeconds`, waits for its first verdict, or with `final` for the last one. */
export async function getChange(ctx: Context, input: GetChange): Promise<Change> {
  const { id } = await getOwnChange(ctx, input.changeId, 'viewer')
  const load = async () => {
    const row = await ctx.db.getRepository(ChangeEntity).findOneBy({ id })
    if (!row) throw notFound('change')
    return row
  }
  const milliseconds = input.waitSeconds * 1_000
  const until = input.final ? { records: unended, hasEnded } : { records: unanswered, hasEnded: hasVerdict }
  return presentChange(ctx, await waitForEnd(ctx, { ...until, id, milliseconds, load }))
}

/** Lists the changes of a project without their evidence, newest first. */
export async function listChanges(ctx: Context, input: ListChanges): Promise<ChangesPage> {
  const { limit, offset, verdict, status } = input
  const project = await getOwnProject(ctx, input.projectId, 'viewer')
  const where: FindOptionsWhere<ChangeRow> = {
    projectId: project.id,
    ...(verdict === undefined ? {} : { verdict }),
    ...(status === undefined ? {} : { status }),
  }
  const [rows, total] = await ctx.db
    .getRepository(ChangeEntity)
    .findAndCount({ where, order: { id: 'DESC' }, take: limit, skip: offset })
  return { changes: rows.map((row) => presentSummary(ctx, row)), pagination: { total, limit, offset } }
}
