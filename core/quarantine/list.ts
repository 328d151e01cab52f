import type { Context } from '../base/context.ts'
import { getOwnProject } from '../projects/get.ts'
import { QuarantineEntity } from './entity.ts'
import { presentQuarantine } from './present.ts'
import type { ListQuarantines, QuarantinesPage } from './schema.ts'

/** Lists the quarantines of a project: requests and active ones first, and within both groups newest first. */
export async function listQuarantines(ctx: Context, input: ListQuarantines): Promise<QuarantinesPage> {
  const { limit, offset, status, testId } = input
  const { id: projectId } = await getOwnProject(ctx, input.projectId, 'viewer')
  const [rows, total] = await ctx.db
    .getRepository(QuarantineEntity)
    .createQueryBuilder('quarantine')
    .where({ projectId, ...(status === undefined ? {} : { status }), ...(testId === undefined ? {} : { testId }) })
    .orderBy(`quarantine.status IN ('requested', 'active')`, 'DESC')
    .addOrderBy('quarantine.id', 'DESC')
    .limit(limit)
    .offset(offset)
    .getManyAndCount()
  return { quarantines: rows.map((row) => presentQuarantine(ctx, row)), pagination: { total, limit, offset } }
}
