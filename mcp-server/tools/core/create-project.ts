import { z } from 'zod'
import { findTwin } from '../../../client/find-project.ts'
import { cleanName } from '../../../client/sanitize.ts'
import { UserError } from '../../../client/user-error.ts'
import { CreateProject } from '../../../core/projects/schema.ts'
import { ProjectFact, projectFact, renderProject } from '../../answers/project-facts.ts'
import { defineTool, Id } from '../tool.ts'

export const createProject = defineTool({
  name: 'create_project',
  title: 'Create a project',
  description:
    'Adds a git repository as a project. One that is there already is refused with its id, save under another name or ' +
    'branch. Language and framework are found by the first analysis.',
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
      throw new UserError(
        `create_project was not run: that is a project already, ${cleanName(twin.name)} (${twin.id}). ` +
          'Use that id; to make another, give another name or branch.',
      )
    }
    return {
      ...projectFact(await call.core.projects.createProject.mutate(input)),
      next: 'Next: suggest_tests with this projectId; it analyses first.',
    }
  },
  render: ({ next, ...project }) => `Created: ${renderProject(project)}\n${next}`,
})

/** A token may be good for making projects and not for seeing them. */
async function unlessUnseen(error: unknown): Promise<undefined> {
  const { coreFailure } = await import('../../../client/core-client.ts')
  const failure = coreFailure(error)
  if (failure?.kind !== 'refused' || failure.code !== 'FORBIDDEN') throw error
}
