import { z } from 'zod'
import { UpdateProject } from '../../../core/projects/schema.ts'
import { ProjectFact } from '../../answers/project-facts.ts'
import { defineTool, Id, refuse } from '../tool.ts'

const { name, repository, branch, description, language, framework } = UpdateProject.shape

export const updateProject = defineTool({
  name: 'update_project',
  title: 'Update a project',
  description: 'Changes the given fields of a project. The next analysis finds a cleared language or framework again.',
  scope: 'projects:write',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  inputSchema: z.object({
    projectId: Id,
    name,
    repository,
    branch,
    description: description.unwrap().unwrap().optional(),
    language: language.unwrap().unwrap().optional(),
    framework: framework.unwrap().unwrap().optional(),
    clear: z.array(z.enum(['description', 'language', 'framework'])).optional(),
  }),
  outputSchema: ProjectFact.extend({ next: z.string().optional() }),
  run: async ({ projectId, clear = [], ...change }, call) => {
    const given = Object.entries(change).filter(([, value]) => value !== undefined)
    const both = given.find(([field]) => clear.some((cleared) => cleared === field))
    if (both) refuse(`${both[0]} is both given and in clear.`)
    if (given.length + clear.length === 0) {
      refuse('give name, repository, branch, description, language or framework, or clear one.')
    }
    const cleared = Object.fromEntries(clear.map((field) => [field, null]))
    const project = await call.core.projects.updateProject.mutate({ projectId, ...change, ...cleared })
    const moved = change.repository !== undefined || change.branch !== undefined
    return { ...project, ...(moved ? { next: 'Next: analyze_repository with this projectId.' } : {}) }
  },
})
