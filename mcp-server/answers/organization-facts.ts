import { z } from 'zod'
import { Member, Organization } from '../../core/identity/organizations/schema.ts'
import { maybe, untrusted } from './untrusted.ts'

/** An organization as the tools show it. */
export const OrganizationFact = Organization.pick({ id: true, role: true }).extend({
  name: untrusted.line(1_000),
  slug: untrusted.line(500),
  description: maybe(untrusted.line(500)),
})

/** A member or an invitation. */
export const MemberFact = Member.pick({ role: true, status: true }).extend({
  membershipId: z.string(),
  email: untrusted.line(320),
  name: maybe(untrusted.line(200)),
})

export const memberFact = ({ id: membershipId, ...member }: Member) => ({ membershipId, ...member })
