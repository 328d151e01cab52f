import { z } from 'zod'
import { findTwin } from '../../../client/find-project.ts'
import { cleanName } from '../../../client/sanitize.ts'
import { CreateProject } from '../../../core/projects/schema.ts'
import { ProjectFact } from '../../answers/project-facts.ts'
import { defineTool, Id, refuse } from '../tool.ts'

export const createProject = defineTool({
  name: 'create_project',
  title: 'Create a project',
  description:
    'Adds a git repository as a project. If the repository already has a project, refuses with its id; give another ' +
    'name or branch to add a second one. The first analysis finds language and framework.',
  scope: 'projects:write',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  inputSchema: CreateProject.pick({ name: true, repository: true, branch: true, description: true }).extend({
    repository: CreateProject.shape.repository.describe('Clone URL; an absolute path where core allows local ones'),
    organizationId: Id.optional(),
  }),
  outputSchema: ProjectFact.extend({ next: z.string() }),
  run: async (input, call) => {
    const twin = await findTwin(call.core, input).catch(unlessUnseen)
    if (twin) {
      refuse(
        `the repository already has the project ${cleanName(twin.name)} (${twin.id}). ` +
          'Use that id, or give another name or branch to create a second project.',
      )
    }
    const project = await call.core.projects.createProject.mutate(input)
    return { ...project, next: 'Next: suggest_tests with this projectId; it analyzes the project first.' }
  },
})

/** A token can have the scope to create projects without the scope to read them. */
async function unlessUnseen(error: unknown): Promise<undefined> {
  const { isRefusal } = await import('../../../client/core-client.ts')
  if (!isRefusal(error, 'FORBIDDEN')) throw error
}
