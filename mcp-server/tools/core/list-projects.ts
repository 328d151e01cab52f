import { z } from 'zod'
import { Page, pageOf } from '../../answers/output.ts'
import { ProjectFact } from '../../answers/project-facts.ts'
import { defineTool } from '../tool.ts'

const defaultLimit = 20

export const listProjects = defineTool({
  name: 'list_projects',
  title: 'List projects',
  description:
    'Lists your projects, newest first: id, name, repository, branch, language, framework. ' +
    'Use it to find the projectId for other tools.',
  scope: 'projects:read',
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  inputSchema: z.object({
    query: z.string().max(200).optional().describe('Part of the name or repository'),
    limit: z.int().min(1).max(100).optional(),
    offset: z.int().min(0).default(0),
  }),
  outputSchema: z.object({
    projects: z.array(ProjectFact.omit({ url: true })),
    ...Page.shape,
    next: z.string().optional(),
  }),
  namesAmount: ({ limit }) => limit !== undefined,
  run: async ({ query, limit = defaultLimit, offset }, call) => {
    const wanted = query?.toLowerCase()
    const all = await call.core.projects.getProjects.query()
    const found = wanted
      ? all.filter(({ name, repository }) => `${name}\n${repository}`.toLowerCase().includes(wanted))
      : all
    const { items, page } = pageOf(found, offset, limit)
    const next = found.length === 0 ? { next: 'Call create_project to add a repository.' } : {}
    return { projects: items, ...page, ...next }
  },
})
