import { z } from 'zod'
import { cleanLine } from '../../../client/sanitize.ts'
import { untrusted } from '../../answers/untrusted.ts'
import { defineTool, Id } from '../tool.ts'

export const deleteProject = defineTool({
  name: 'delete_project',
  title: 'Delete a project',
  description: 'Deletes a project permanently, with its analyses, test runs, webhooks and the tokens confined to it.',
  scope: 'projects:write',
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  inputSchema: z.object({ projectId: Id }),
  outputSchema: z.object({ projectId: z.string(), name: untrusted.line(1_000) }),
  confirm: async ({ projectId }, call) => {
    const project = await call.core.projects.getProject.query({ projectId })
    const name = cleanLine(project.name) || projectId
    const what =
      `This permanently deletes the project ${name} (${projectId}) with its analyses, test runs, webhooks and tokens. ` +
      'Its repository does not change.'
    return { name, what }
  },
  run: async ({ projectId }, call) => {
    const { name } = await call.core.projects.getProject.query({ projectId })
    await call.core.projects.deleteProject.mutate({ projectId })
    return { projectId, name }
  },
  headline: 'Deleted.',
})
