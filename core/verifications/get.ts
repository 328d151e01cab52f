import type { FindOptionsWhere } from 'typeorm'
import type { Context } from '../base/context.ts'
import { notFound, procedureHint } from '../base/errors.ts'
import { endingRecords, waitForEnd } from '../jobs/wait-for-end.ts'
import { requireRole } from '../identity/organizations/roles.ts'
import type { Role } from '../identity/organizations/schema.ts'
import { findOwnProject, getOwnProject } from '../projects/get.ts'
import { hasEnded } from '../verdicts/record.ts'
import { VerificationEntity, type VerificationRow } from './entity.ts'
import { presentSummary, presentVerification } from './present.ts'
import type { GetVerification, ListVerifications, Verification, VerificationsPage } from './schema.ts'

const unended = endingRecords('verifications', ['pending', 'running'])
const unanswered = endingRecords('verifications', ['pending', 'running'], {
  name: 'unanswered verifications',
  and: 'verdict IS NULL',
})

/** Answers the same for a verification of another user and for one that does not exist. */
export async function getOwnVerification(ctx: Context, id: string, minRole: Role): Promise<VerificationRow> {
  const row = await ctx.db.getRepository(VerificationEntity).findOneBy({ id })
  const project = row && (await findOwnProject(ctx, row.projectId))
  if (!project) {
    throw notFound(
      'verification',
      'tests.listVerifications lists the verifications of a project.',
      procedureHint('tests.listVerifications'),
    )
  }
  requireRole(project.role, minRole)
  return row
}

/** Returns a verification with its evidence. With `waitSeconds`, waits for its end, or with `final: false` for a verdict. */
export async function getVerification(ctx: Context, input: GetVerification): Promise<Verification> {
  const { id } = await getOwnVerification(ctx, input.verificationId, 'viewer')
  const load = async () => {
    const row = await ctx.db.getRepository(VerificationEntity).findOneBy({ id })
    if (!row) throw notFound('verification')
    return row
  }
  const milliseconds = input.waitSeconds * 1_000
  const until = input.final ? { records: unended, hasEnded } : { records: unanswered, hasEnded: hasVerdict }
  return presentVerification(ctx, await waitForEnd(ctx, { ...until, id, milliseconds, load }))
}

const hasVerdict = (row: VerificationRow) => row.verdict !== null || hasEnded(row)

/** Lists the verifications of a project without their evidence, newest first. */
export async function listVerifications(ctx: Context, input: ListVerifications): Promise<VerificationsPage> {
  const { limit, offset, batchId, filePath, verdict, status } = input
  const project = await getOwnProject(ctx, input.projectId, 'viewer')
  const where: FindOptionsWhere<VerificationRow> = {
    projectId: project.id,
    ...(batchId === undefined ? {} : { batchId }),
    ...(filePath === undefined ? {} : { filePath }),
    ...(verdict === undefined ? {} : { verdict }),
    ...(status === undefined ? {} : { status }),
  }
  const [rows, total] = await ctx.db
    .getRepository(VerificationEntity)
    .findAndCount({ where, order: { id: 'DESC' }, take: limit, skip: offset })
  return { verifications: rows.map((row) => presentSummary(ctx, row)), pagination: { total, limit, offset } }
}
