import { parseInput } from '../input.ts'
import type { Route } from '../routes.ts'
import { getProject } from './get.ts'
import { listProjectsPage } from './list-page.ts'
import { ListProjectsPage, ProjectEnvelope, ProjectsPage } from './schema.ts'

/** `GET /api/v1/projects` */
export const listProjects: Route = async (ctx, koa) => ({
  status: 200,
  body: ProjectsPage.parse(await listProjectsPage(ctx, parseInput(ListProjectsPage, koa.query))),
})

/** `GET /api/v1/projects/:id` */
export const showProject: Route = async (ctx, koa) => ({
  status: 200,
  body: ProjectEnvelope.parse({ project: await getProject(ctx, { projectId: koa.params['id'] ?? '' }) }),
})
