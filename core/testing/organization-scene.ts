import { expect } from 'vitest'
import type { Role } from '../identity/organizations/schema.ts'
import { newId } from '../base/ids.ts'
import type { TestApp } from './app.ts'
import { createMembershipFor, createOrganizationFor, createTokenFor, createUser } from './factories.ts'

export const times = (count: number) => Array.from({ length: count })

/** Returns an unused email address. */
export const newAddress = () => `${newId(new Date()).toLowerCase()}@example.com`

/** Matches the error of a call that fails with this code. */
export const failure = (code: string) => ({
  status: 'rejected',
  reason: expect.objectContaining({ data: expect.objectContaining({ code }) }),
})

/** Creates an organization with a client for its owner. */
export async function createOrganizationScene(app: TestApp) {
  const owner = await createUser(app)
  const { id: organizationId } = await createOrganizationFor(app, { user: owner })
  const client = app.client(await createTokenFor(app, { user: owner }))
  const invite = (userToInviteEmail: string, role: Role = 'member') =>
    client.organizations.inviteMember.mutate({ organizationId, userToInviteEmail, role })
  const join = async (role: Role) => {
    const user = await createUser(app)
    const { id: membershipId } = await createMembershipFor(app, { organizationId, user, role })
    return { user, membershipId, client: app.client(await createTokenFor(app, { user })) }
  }
  const members = () => client.organizations.getMembers.query({ organizationId })
  return { organizationId, owner, client, invite, join, members }
}

interface Audited {
  action: string
  user_id: string
  metadata: Record<string, unknown>
}

/** Returns the audit log of an organization, oldest first. */
export function auditedOf(app: TestApp, organizationId: string): Promise<Audited[]> {
  return app.dataSource.query<Audited[]>(
    `SELECT action, user_id, metadata FROM audit_logs WHERE metadata->>'organizationId' = $1 ORDER BY sequence`,
    [organizationId],
  )
}
