import type { Context } from '../base/context.ts'
import { notFound, procedureHint } from '../base/errors.ts'
import { requireRole } from '../identity/organizations/roles.ts'
import type { Role } from '../identity/organizations/schema.ts'
import { findOwnProject, type OwnProject } from '../projects/get.ts'
import { GeneratedTestEntity, type GeneratedTestRow } from './entity.ts'
import { presentGeneratedTest } from './present.ts'
import type { GeneratedTest, GeneratedTestRef } from './schema.ts'

/**
 * Another user's test gets the same error as a test that does not exist.
 *
 * @throws AppError 404; 403 if the caller's role in the organization is below `minRole`
 */
export async function getOwnGeneratedTest(
  ctx: Context,
  generatedTestId: string,
  minRole: Role,
): Promise<{ generatedTest: GeneratedTestRow; project: OwnProject }> {
  const generatedTest = await ctx.db.getRepository(GeneratedTestEntity).findOneBy({ id: generatedTestId })
  const project = generatedTest && (await findOwnProject(ctx, generatedTest.projectId))
  if (!project) throw noSuchGeneratedTest()
  requireRole(project.role, minRole)
  return { generatedTest, project }
}

export const noSuchGeneratedTest = () =>
  notFound('generated test', 'generatedTests.list lists the tests of a project.', procedureHint('generatedTests.list'))

/** Returns a generated test with its code. */
export async function getGeneratedTest(ctx: Context, input: GeneratedTestRef): Promise<GeneratedTest> {
  const { generatedTest } = await getOwnGeneratedTest(ctx, input.generatedTestId, 'viewer')
  return presentGeneratedTest(ctx, generatedTest)
}
