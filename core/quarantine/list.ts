import type { Context } from '../base/context.ts'
import { getOwnProject } from '../projects/get.ts'
import { QuarantineEntity } from './entity.ts'
import { presentQuarantine } from './present.ts'
import type { ListQuarantines, QuarantinesPage } from './schema.ts'

/** Lists the quarantines of a project, newest first. */
export async function listQuarantines(ctx: Context, input: ListQuarantines): Promise<QuarantinesPage> {
  const { limit, offset, status, testId } = input
  const { id: projectId } = await getOwnProject(ctx, input.projectId, 'viewer')
  const [rows, total] = await ctx.db.getRepository(QuarantineEntity).findAndCount({
    where: { projectId, ...(status === undefined ? {} : { status }), ...(testId === undefined ? {} : { testId }) },
    order: { id: 'DESC' },
    take: limit,
    skip: offset,
  })
  return { quarantines: rows.map((row) => presentQuarantine(ctx, row)), pagination: { total, limit, offset } }
}
