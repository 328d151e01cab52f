import { type AuditContext, recordAudit } from '../audit/record.ts'

/**
 * Makes memberships of everything that the user's address was invited to, if the user has proven to own that address.
 * Call it where that is proven, and at each sign-in, in the same transaction.
 */
export async function acceptInvitations(ctx: AuditContext, userId: string): Promise<void> {
  const [invitations] = await ctx.db.query<[Accepted[], number]>(
    `DELETE FROM invitations i USING users u
      WHERE u.id = $1 AND u.email_verified AND i.email = u.email RETURNING i.id, i.organization_id, i.role, i.email`,
    [userId],
  )
  for (const { id, organization_id: organizationId, role, email } of invitations) {
    const added = await ctx.db.query<unknown[]>(
      `INSERT INTO memberships (id, organization_id, user_id, role, created_at) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (organization_id, user_id) DO NOTHING RETURNING id`,
      [id, organizationId, userId, role, ctx.now()],
    )
    if (added.length === 0) continue
    await recordAudit(ctx, 'member_added', userId, { organizationId, membershipId: id, email, role })
  }
}

interface Accepted {
  id: string
  organization_id: string
  role: string
  email: string
}
