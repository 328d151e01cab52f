import { z } from 'zod'
import { InviteMember } from '../../../core/identity/organizations/schema.ts'
import { MemberFact, memberFact } from '../../answers/organization-facts.ts'
import { defineTool, Id } from '../tool.ts'

export const inviteMember = defineTool({
  name: 'invite_member',
  title: 'Invite a member',
  description: 'Invites a person to an organization by e-mail. An existing account with that address joins at once.',
  scope: 'org:admin',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  inputSchema: z.object({
    organizationId: Id,
    invitee: InviteMember.shape.userToInviteEmail.describe('E-mail address'),
    role: InviteMember.shape.role,
  }),
  outputSchema: MemberFact,
  run: async ({ organizationId, invitee, role }, call) =>
    memberFact(await call.core.organizations.inviteMember.mutate({ organizationId, userToInviteEmail: invitee, role })),
})
