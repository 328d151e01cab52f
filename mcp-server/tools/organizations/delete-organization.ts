import { z } from 'zod'
import { cleanLine, shorten } from '../../../client/sanitize.ts'
import { findOwnOrganization } from '../../answers/find-organization.ts'
import { defineTool, Id } from '../tool.ts'

export const deleteOrganization = defineTool({
  name: 'delete_organization',
  title: 'Delete an organization',
  description: 'Deletes an organization with its projects, their runs and its members, for good.',
  scope: 'org:admin',
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  inputSchema: z.object({ organizationId: Id }),
  outputSchema: z.object({ organizationId: z.string(), message: z.string() }),
  confirm: async ({ organizationId }, call) => {
    const { name } = await findOwnOrganization(call.core, organizationId)
    const shown = shorten(cleanLine(name), 200)
    return { name, what: `This deletes the organization ${shown} with all its projects and members, for good.` }
  },
  run: async ({ organizationId }, call) => {
    const { message } = await call.core.organizations.delete.mutate({ organizationId })
    return { organizationId, message: shorten(cleanLine(message), 500) }
  },
  render: ({ message }) => message,
})
