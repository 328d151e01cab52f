import { z } from 'zod'
import { MemberFact, memberFact, OrganizationFact } from '../../answers/organization-facts.ts'
import { Page, pageOf, peopleNotice } from '../../answers/output.ts'
import { defineTool } from '../tool.ts'

const shownAtOnce = 50

export const getOrganization = defineTool({
  name: 'get_organization',
  title: 'Get an organization',
  description: 'Shows an organization by its slug, with its members and invitations: membershipId, address, role.',
  scope: 'org:read',
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  inputSchema: z.object({ slug: z.string().max(200), offset: z.int().min(0).default(0) }),
  outputSchema: OrganizationFact.extend({ members: z.array(MemberFact), ...Page.shape, note: z.string() }),
  run: async ({ slug, offset }, call) => {
    const organization = await call.core.organizations.getBySlug.query({ slug })
    const members = await call.core.organizations.getMembers.query({ organizationId: organization.id })
    const { items, page } = pageOf(members, offset, shownAtOnce)
    return { ...organization, members: items.map(memberFact), ...page, note: peopleNotice }
  },
})
