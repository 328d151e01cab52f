import { door } from '../http/door.ts'
import { listProjectsPage } from './list-page.ts'
import { ListProjectsPage, ProjectsPage } from './schema.ts'

/** `GET /api/v1/projects` */
export const listProjects = door(
  {
    name: 'listProjects',
    summary: 'Projects, newest first',
    description: 'Personal ones and those of organizations, as far as the credential reaches.',
    query: ListProjectsPage,
    answers: { 200: ProjectsPage },
  },
  async (ctx, { query }) => ({ status: 200, body: await listProjectsPage(ctx, query) }),
)
