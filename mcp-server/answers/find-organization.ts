import type { CoreClient } from '../../client/core-client.ts'
import { UserError } from '../../client/user-error.ts'
import type { Member, Organization } from '../../core/identity/organizations/schema.ts'

/** Finds an organization of the caller. Others do not exist for the caller. */
export async function findOwnOrganization(core: CoreClient, organizationId: string): Promise<Organization> {
  const organizations = await core.organizations.list.query()
  const found = organizations.find(({ id }) => id === organizationId)
  if (!found) throw new UserError('No such organization. list_organizations lists your organizations.')
  return found
}

/** Finds a member or an invitation by its membershipId. */
export async function findMember(core: CoreClient, organizationId: string, membershipId: string): Promise<Member> {
  const members = await core.organizations.getMembers.query({ organizationId })
  const found = members.find(({ id }) => id === membershipId)
  if (!found) throw new UserError('No such member. get_organization lists members with their membershipId.')
  return found
}
