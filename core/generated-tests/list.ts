import { IsNull } from 'typeorm'
import type { Context } from '../base/context.ts'
import { getOwnProject } from '../projects/get.ts'
import { GeneratedTestEntity } from './entity.ts'
import { presentListedTest } from './present.ts'
import type { GeneratedTestsPage, ListGeneratedTests } from './schema.ts'

/** Lists the generated tests of a project without their code, newest first. */
export async function listGeneratedTests(ctx: Context, input: ListGeneratedTests): Promise<GeneratedTestsPage> {
  const { limit, offset, suggestionId, verdict, dismissed } = input
  const { id: projectId } = await getOwnProject(ctx, input.projectId, 'viewer')
  const [rows, total] = await ctx.db.getRepository(GeneratedTestEntity).findAndCount({
    select: listed,
    where: {
      projectId,
      ...(suggestionId === undefined ? {} : { suggestionId }),
      ...(verdict === undefined ? {} : { verdict }),
      ...(dismissed ? {} : { dismissedAt: IsNull() }),
    },
    order: { id: 'DESC' },
    take: limit,
    skip: offset,
  })
  return { tests: rows.map((row) => presentListedTest(ctx, row)), pagination: { total, limit, offset } }
}

/** Excludes the code, because a page of it could have 25 MiB. */
const listed = {
  id: true,
  projectId: true,
  suggestionId: true,
  commitSha: true,
  snapshotId: true,
  filePath: true,
  testType: true,
  framework: true,
  description: true,
  target: true,
  caseIds: true,
  verdict: true,
  verificationId: true,
  dismissedAt: true,
  createdAt: true,
} as const
