import { z } from 'zod'
import { CreateProject } from '../../../core/projects/schema.ts'
import { ProjectFact, projectFact, renderProject } from '../../answers/project-facts.ts'
import { defineTool, Id } from '../tool.ts'

export const createProject = defineTool({
  name: 'create_project',
  title: 'Create a project',
  description:
    'Adds a git repository as a project, so that it can be analysed. Look with get_project first: ' +
    'each call makes a new one. Language and framework are found by the first analysis.',
  scope: 'projects:write',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  inputSchema: CreateProject.pick({ name: true, repository: true, branch: true, description: true }).extend({
    repository: CreateProject.shape.repository.describe('Clone URL; an absolute path where core allows local ones'),
    organizationId: Id.optional(),
  }),
  outputSchema: ProjectFact.extend({ next: z.string() }),
  run: async (input, call) => ({
    ...projectFact(await call.core.projects.createProject.mutate(input)),
    next: 'Next: analyze_repository with this projectId, then suggest_tests.',
  }),
  render: ({ next, ...project }) => `Created: ${renderProject(project)}\n${next}`,
})
