import type { CoreClient } from '../../client/core-client.ts'
import { UserError } from '../../client/user-error.ts'
import type { Member, Organization } from '../../core/identity/organizations/schema.ts'

/** One of the caller's own; anybody else's is as absent as one that never was. */
export async function findOwnOrganization(core: CoreClient, organizationId: string): Promise<Organization> {
  const organizations = await core.organizations.list.query()
  const found = organizations.find(({ id }) => id === organizationId)
  if (!found) throw new UserError('The organization does not exist. list_organizations shows yours.')
  return found
}

/** A member or an invitation, by the id that the list of members shows. */
export async function findMember(core: CoreClient, organizationId: string, membershipId: string): Promise<Member> {
  const members = await core.organizations.getMembers.query({ organizationId })
  const found = members.find(({ id }) => id === membershipId)
  if (!found) throw new UserError('There is no such member. get_organization lists them with their membershipId.')
  return found
}
