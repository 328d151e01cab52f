import { type FindOptionsWhere, LessThanOrEqual, MoreThan } from 'typeorm'
import type { Context } from '../base/context.ts'
import { getOwnProject } from '../projects/get.ts'
import { QuarantineEntity, type QuarantineRow } from './entity.ts'
import { presentQuarantine } from './present.ts'
import type { ListQuarantines, QuarantinesPage, QuarantineStatus } from './schema.ts'

/** Lists the quarantines of a project: requests and active ones first, and within both groups newest first. */
export async function listQuarantines(ctx: Context, input: ListQuarantines): Promise<QuarantinesPage> {
  const { limit, offset, status, testId } = input
  const { id: projectId } = await getOwnProject(ctx, input.projectId, 'viewer')
  const [rows, total] = await ctx.db
    .getRepository(QuarantineEntity)
    .createQueryBuilder('quarantine')
    .where(
      withStatus(status, ctx.now()).map((fields) => ({
        projectId,
        ...fields,
        ...(testId === undefined ? {} : { testId }),
      })),
    )
    .orderBy(
      `quarantine.status = 'requested' OR (quarantine.status = 'active' AND quarantine.expires_at > :now)`,
      'DESC',
    )
    .setParameter('now', ctx.now())
    .addOrderBy('quarantine.id', 'DESC')
    .limit(limit)
    .offset(offset)
    .getManyAndCount()
  return { quarantines: rows.map((row) => presentQuarantine(ctx, row)), pagination: { total, limit, offset } }
}

/** The time of one that is still recorded as active can be up. */
function withStatus(status: QuarantineStatus | undefined, at: Date): FindOptionsWhere<QuarantineRow>[] {
  if (status === undefined) return [{}]
  if (status === 'active') return [{ status, expiresAt: MoreThan(at) }]
  if (status === 'expired') return [{ status }, { status: 'active', expiresAt: LessThanOrEqual(at) }]
  return [{ status }]
}
