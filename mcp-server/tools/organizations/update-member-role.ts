import { z } from 'zod'
import { UpdateMemberRole } from '../../../core/identity/organizations/schema.ts'
import { MemberFact, memberFact } from '../../answers/organization-facts.ts'
import { defineTool, Id } from '../tool.ts'

export const updateMemberRole = defineTool({
  name: 'update_member_role',
  title: 'Change a role',
  description: 'Changes the role of a member or an invitation. get_organization shows the membershipId.',
  scope: 'org:admin',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  inputSchema: z.object({ organizationId: Id, membershipId: Id, role: UpdateMemberRole.shape.role }),
  outputSchema: MemberFact,
  run: async (input, call) => memberFact(await call.core.organizations.updateMemberRole.mutate(input)),
})
