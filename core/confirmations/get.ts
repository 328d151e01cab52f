import { type Context, inTransaction } from '../base/context.ts'
import { notFound, procedureHint } from '../base/errors.ts'
import { requireRole } from '../identity/organizations/roles.ts'
import type { Role } from '../identity/organizations/schema.ts'
import { endingRecords, waitForEnd } from '../jobs/wait-for-end.ts'
import { findOwnProject, getOwnProject } from '../projects/get.ts'
import { hasEnded } from '../verdicts/record.ts'
import { endRecord } from '../verdicts/state.ts'
import { ConfirmationEntity, type ConfirmationRow } from './entity.ts'
import { presentConfirmation, presentSummary } from './present.ts'
import type { Confirmation, ConfirmationRef, ConfirmationsPage, GetConfirmation, ListConfirmations } from './schema.ts'

const records = endingRecords('test_confirmations', ['pending', 'running'])

/** Answers the same for a confirmation of another user and for one that does not exist. */
async function getOwn(ctx: Context, id: string, minRole: Role): Promise<ConfirmationRow> {
  const row = await ctx.db.getRepository(ConfirmationEntity).findOneBy({ id })
  const project = row && (await findOwnProject(ctx, row.projectId))
  if (!project) {
    const hint = 'tests.listConfirmations lists the confirmations of a project.'
    throw notFound('confirmation', hint, procedureHint('tests.listConfirmations'))
  }
  requireRole(project.role, minRole)
  return row
}

/** Returns a confirmation. With `waitSeconds`, waits for its end. */
export async function getConfirmation(ctx: Context, input: GetConfirmation): Promise<Confirmation> {
  const { id } = await getOwn(ctx, input.confirmationId, 'viewer')
  const load = async () => {
    const row = await ctx.db.getRepository(ConfirmationEntity).findOneBy({ id })
    if (!row) throw notFound('confirmation')
    return row
  }
  const milliseconds = input.waitSeconds * 1_000
  return presentConfirmation(ctx, await waitForEnd(ctx, { records, hasEnded, id, milliseconds, load }))
}

/** Lists the confirmations of a project, newest first. */
export async function listConfirmations(ctx: Context, input: ListConfirmations): Promise<ConfirmationsPage> {
  const { limit, offset, status, testId } = input
  const { id: projectId } = await getOwnProject(ctx, input.projectId, 'viewer')
  const [rows, total] = await ctx.db.getRepository(ConfirmationEntity).findAndCount({
    where: { projectId, ...(status === undefined ? {} : { status }), ...(testId === undefined ? {} : { testId }) },
    order: { id: 'DESC' },
    take: limit,
    skip: offset,
  })
  return { confirmations: rows.map((row) => presentSummary(ctx, row)), pagination: { total, limit, offset } }
}

/** Cancels a queued or running confirmation. Its processes end within seconds. One that has ended does not change. */
export async function cancelConfirmation(ctx: Context, { confirmationId: id }: ConfirmationRef): Promise<Confirmation> {
  await getOwn(ctx, id, 'member')
  await inTransaction(ctx, (tx) => endRecord(tx, ConfirmationEntity, { id }, { status: 'cancelled' }))
  return presentConfirmation(ctx, await getOwn(ctx, id, 'member'))
}
