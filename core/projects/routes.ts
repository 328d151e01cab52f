import { restHandler } from '../http/handler.ts'
import { listProjectsPage } from './list-page.ts'
import { ListProjectsPage, ProjectsPage } from './schema.ts'

/** `GET /api/v1/projects` */
export const listProjects = restHandler(
  {
    name: 'listProjects',
    summary: 'Lists projects, newest first',
    description: 'Your own projects and those of your organizations that the credential may see.',
    query: ListProjectsPage,
    answers: { 200: ProjectsPage },
  },
  async (ctx, { query }) => ({ status: 200, body: await listProjectsPage(ctx, query) }),
)
