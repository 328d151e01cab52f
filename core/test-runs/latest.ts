import type { Context } from '../base/context.ts'
import { TestRunEntity } from './entity.ts'
import { presentSummary } from './present.ts'
import type { TestRunSummary } from './schema.ts'

const shown = 10

/** For a project's page: its latest runs, newest first. */
export async function latestRunsOf(ctx: Context, projectId: string): Promise<TestRunSummary[]> {
  const rows = await ctx.db
    .getRepository(TestRunEntity)
    .find({ where: { projectId }, order: { id: 'DESC' }, take: shown })
  return rows.map(presentSummary)
}
