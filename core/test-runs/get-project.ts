import { IsNull } from 'typeorm'
import type { Context } from '../base/context.ts'
import { TestRunEntity } from './entity.ts'
import { presentSummary } from './present.ts'
import type { TestRunSummary } from './schema.ts'
import { getOwnProject } from '../projects/get.ts'
import { presentProject } from '../projects/present.ts'
import type { ProjectRef } from '../projects/schema.ts'
import type { ProjectDetail } from './schema.ts'

const shown = 10

/** Returns a project with the latest test runs of its repository. */
export async function getProject(ctx: Context, input: ProjectRef): Promise<ProjectDetail> {
  const project = await getOwnProject(ctx, input.projectId, 'viewer')
  return { ...presentProject(ctx, project), testRuns: await latestRunsOf(ctx, project.id) }
}

async function latestRunsOf(ctx: Context, projectId: string): Promise<TestRunSummary[]> {
  const rows = await ctx.db
    .getRepository(TestRunEntity)
    .find({ where: { projectId, snapshotId: IsNull() }, order: { id: 'DESC' }, take: shown })
  return rows.map(presentSummary)
}
