import { z } from 'zod'
import { cleanLine, shorten } from '../../../client/sanitize.ts'
import { findOwnOrganization } from '../../answers/find-organization.ts'
import { untrusted } from '../../answers/untrusted.ts'
import { defineTool, Id } from '../tool.ts'

export const deleteOrganization = defineTool({
  name: 'delete_organization',
  title: 'Delete an organization',
  description: 'Deletes an organization permanently, with its projects, their runs and its members.',
  scope: 'org:admin',
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  inputSchema: z.object({ organizationId: Id }),
  outputSchema: z.object({ organizationId: z.string(), message: untrusted.line(500) }),
  confirm: async ({ organizationId }, call) => {
    const { name } = await findOwnOrganization(call.core, organizationId)
    const shown = shorten(cleanLine(name), 200)
    return { name, what: `This permanently deletes the organization ${shown} with all its projects and members.` }
  },
  run: async ({ organizationId }, call) => {
    const { message } = await call.core.organizations.delete.mutate({ organizationId })
    return { organizationId, message }
  },
})
