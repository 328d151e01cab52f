import { z } from 'zod'
import { cleanLine, shorten } from '../../../client/sanitize.ts'
import { findMember } from '../../answers/find-organization.ts'
import { untrusted } from '../../answers/untrusted.ts'
import { defineTool, Id } from '../tool.ts'

export const removeMember = defineTool({
  name: 'remove_member',
  title: 'Remove a member',
  description: 'Removes a member or an invitation from an organization. With your own membershipId you leave it.',
  scope: 'org:admin',
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  inputSchema: z.object({ organizationId: Id, membershipId: Id }),
  outputSchema: z.object({ membershipId: z.string(), message: untrusted.line(500) }),
  confirm: async ({ organizationId, membershipId }, call) => {
    const { email, role, status } = await findMember(call.core, organizationId, membershipId)
    const who = `${shorten(cleanLine(email), 200)} (${role}${status === 'invited' ? ', invited' : ''})`
    return { name: email, what: `This removes ${who} from the organization.` }
  },
  run: async (input, call) => {
    const { message } = await call.core.organizations.removeMember.mutate(input)
    return { membershipId: input.membershipId, message }
  },
})
