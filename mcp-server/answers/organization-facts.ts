import { z } from 'zod'
import { Member, Organization } from '../../core/identity/organizations/schema.ts'
import { cleanLine, shorten } from '../../client/sanitize.ts'

/** An organization as the tools tell of it. */
export const OrganizationFact = Organization.pick({ id: true, name: true, slug: true, role: true }).extend({
  description: z.string().optional(),
})
export type OrganizationFact = z.infer<typeof OrganizationFact>

/** Somebody who belongs to it, or was invited to. */
export const MemberFact = Member.pick({ role: true, status: true, email: true }).extend({
  membershipId: z.string(),
  name: z.string().optional(),
})
export type MemberFact = z.infer<typeof MemberFact>

export function organizationFact({ id, name, slug, role, description }: Organization): OrganizationFact {
  return {
    id,
    name: cleanLine(name),
    slug: cleanLine(slug),
    role,
    ...(description ? { description: shorten(cleanLine(description), 500) } : {}),
  }
}

export function memberFact({ id, email, name, role, status }: Member): MemberFact {
  return {
    membershipId: id,
    email: shorten(cleanLine(email), 320),
    ...(name ? { name: shorten(cleanLine(name), 200) } : {}),
    role,
    status,
  }
}

export const renderOrganization = ({ id, name, slug, role, description }: OrganizationFact) =>
  `${id} | ${name} | ${slug} | you are ${role}${description ? ` | ${description}` : ''}`

export const renderMember = ({ membershipId, email, name, role, status }: MemberFact) =>
  `${membershipId} | ${email}${name ? ` | ${name}` : ''} | ${role}${status === 'invited' ? ' (invited)' : ''}`
