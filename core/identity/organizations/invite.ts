import { affected, recordAudit } from '../audit/record.ts'
import { canonicalEmail } from '../users/email-address.ts'
import { findUserByEmail } from '../users/find-by-email.ts'
import { requireRoom } from './plan.ts'
import { type Context, inTransaction, requireUser } from '../../base/context.ts'
import { conflict } from '../../base/errors.ts'
import { newId } from '../../base/ids.ts'
import { addressKey } from '../limits/limits.ts'
import { enqueueMail } from '../mail/job.ts'
import { lockInvitationsTo } from './accept-invitations.ts'
import { InvitationEntity, MembershipEntity } from './entity.ts'
import { getOwnOrganization, lockOwnOrganization } from './get.ts'
import { findMember, listMembers, presentMember, requireMayGive } from './members.ts'
import type { InviteMember, Member } from './schema.ts'

/**
 * Adds the user of a verified address as a member at once. For any other address, creates an invitation, which becomes a
 * membership when an account verifies the address.
 */
export async function inviteMember(ctx: Context, input: InviteMember): Promise<Member> {
  const email = canonicalEmail(input.userToInviteEmail, 'userToInviteEmail')
  const { role } = await getOwnOrganization(ctx, input.organizationId, 'admin')
  requireMayGive(role, input.role)
  const limits = [
    ['invitationByAddress', addressKey(ctx)],
    ['invitationByAccount', email],
  ] as const
  for (const [rule, key] of limits) await ctx.limits.attempt(rule, key)
  try {
    return await inTransaction(ctx, (ctx) => invite(ctx, input, email))
  } catch (error) {
    for (const [rule, key] of limits) await ctx.limits.refund(rule, key)
    throw error
  }
}

async function invite(ctx: Context, input: InviteMember, email: string): Promise<Member> {
  const { userId } = requireUser(ctx)
  // A parallel verification of the address either commits first, or waits and then finds the invitation.
  await ctx.db.query('SELECT FROM users WHERE lower(email) = lower($1) FOR NO KEY UPDATE', [email])
  await lockInvitationsTo(ctx.db, email)
  const { id: organizationId, role } = await lockOwnOrganization(ctx, input.organizationId, 'admin')
  requireMayGive(role, input.role)

  const user = await findUserByEmail(ctx.db, email)
  const members = await listMembers(ctx, organizationId)
  const taken = members.find((member) => member.email === email || (user && member.user_id === user.id))
  if (taken) throw conflict(`${email} is already ${taken.status === 'active' ? 'a member' : 'invited'}.`)
  await requireRoom(ctx, organizationId, 'members')

  const now = ctx.now()
  const common = { id: newId(now), organizationId, role: input.role, createdAt: now }
  const isMember = user?.emailVerified === true
  await (isMember
    ? ctx.db.getRepository(MembershipEntity).insert({ ...common, userId: user.id })
    : ctx.db.getRepository(InvitationEntity).insert({ ...common, email }))
  await enqueueMail(ctx, { kind: isMember ? 'added_to_organization' : 'invitation', email })
  const member = presentMember(await findMember(ctx, organizationId, common.id))
  const details = { organizationId, membershipId: common.id, email, role: input.role, by: userId }
  await recordAudit(ctx, 'member_invited', userId, details)
  if (isMember) await recordAudit(ctx, 'member_added', userId, { ...details, ...affected(user.id) })
  return member
}
