import { InvitationEntity } from './entity.ts'
import type { EntityManager } from 'typeorm'
import { type AuditContext, recordAudit } from '../audit/record.ts'
import type { Role } from './schema.ts'

/**
 * Turns all invitations of the user's address into memberships. Call it in the transaction that verifies the address,
 * and before that transaction appends to the audit log: other transactions hold these locks while they wait to append.
 */
export async function acceptInvitations(ctx: AuditContext, userId: string): Promise<void> {
  const [user] = await ctx.db.query<{ email: string }[]>(
    'SELECT email FROM users WHERE id = $1 AND email_verified FOR NO KEY UPDATE',
    [userId],
  )
  if (!user) return
  await lockInvitationsTo(ctx.db, user.email)
  await ctx.db.query(
    `SELECT FROM organizations WHERE id IN (SELECT organization_id FROM invitations WHERE email = $1)
      ORDER BY id FOR KEY SHARE`,
    [user.email],
  )
  const [invitations] = await ctx.db.query<[Accepted[], number]>(
    'DELETE FROM invitations WHERE email = $1 RETURNING id, organization_id, role',
    [user.email],
  )
  const added: Accepted[] = []
  for (const invitation of invitations) {
    const rows = await ctx.db.query<unknown[]>(
      `INSERT INTO memberships (id, organization_id, user_id, role, created_at) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (organization_id, user_id) DO NOTHING RETURNING id`,
      [invitation.id, invitation.organization_id, userId, invitation.role, ctx.now()],
    )
    if (rows.length === 1) added.push(invitation)
  }
  for (const { id: membershipId, organization_id: organizationId, role } of added) {
    await recordAudit(ctx, 'member_added', userId, { organizationId, membershipId, email: user.email, role })
  }
}

/**
 * Locks the invitations of an address until the transaction ends. A parallel invitation either sees the verified address
 * or is found by the transaction that verifies it. Locks are taken in the order user, address, organization.
 */
export async function lockInvitationsTo(db: EntityManager, email: string): Promise<void> {
  await db.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`invitations/${email}`])
}

interface Accepted {
  id: string
  organization_id: string
  role: Role
}

/** Returns whether the address has an open invitation. */
export function isInvited(db: EntityManager, email: string): Promise<boolean> {
  return db.getRepository(InvitationEntity).existsBy({ email })
}
