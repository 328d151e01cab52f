import { door } from '../http/door.ts'
import { getProject } from './get.ts'
import { listProjectsPage } from './list-page.ts'
import { ListProjectsPage, ProjectEnvelope, ProjectsPage } from './schema.ts'

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

/** `GET /api/v1/projects/:id` */
export const showProject = door(
  { name: 'getProject', summary: 'One project with its latest test runs', answers: { 200: ProjectEnvelope } },
  async (ctx, { params }) => ({
    status: 200,
    body: { project: await getProject(ctx, { projectId: params['id'] ?? '' }) },
  }),
)
