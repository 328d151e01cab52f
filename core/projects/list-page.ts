import { Raw } from 'typeorm'
import { containsText } from '../base/contains-text.ts'
import type { Context } from '../base/context.ts'
import { ProjectEntity } from './entity.ts'
import { ownProjects } from './get.ts'
import { presentProject } from './present.ts'
import type { ListProjectsPage, ProjectsPage } from './schema.ts'

/** Lists one page of the caller's projects, newest first, with the total number of matches. */
export async function listProjectsPage(ctx: Context, input: ListProjectsPage): Promise<ProjectsPage> {
  const { page, pageSize, search, language, framework } = input
  const [rows, total] = await ctx.db.getRepository(ProjectEntity).findAndCount({
    where: {
      ...ownProjects(ctx, input.organizationId),
      ...(search ? { name: Raw((column) => containsText(column, ':search'), { search }) } : {}),
      ...(language ? { language } : {}),
      ...(framework ? { framework } : {}),
    },
    order: { id: 'DESC' },
    skip: (page - 1) * pageSize,
    take: pageSize,
  })
  return { projects: rows.map((row) => presentProject(ctx, row)), pagination: { total, page, pageSize } }
}
