import { type Context, inTransaction, requireUser } from '../../base/context.ts'
import { notFound, procedureHint } from '../../base/errors.ts'
import { recordAudit } from '../audit/record.ts'
import { addressKey } from '../limits/limits.ts'
import { enqueueMail } from '../mail/job.ts'
import { getOwnOrganization, lockOwnOrganization } from './get.ts'
import { type FoundMember, listMembers, presentMember, remove, requireMayGive } from './members.ts'
import type { Done, InvitationRef, Member, Role } from './schema.ts'

/** Withdraws an invitation. The address can be invited again. */
export async function revokeInvitation(ctx: Context, input: InvitationRef): Promise<Done> {
  return inTransaction(ctx, async (ctx) => {
    const organization = await lockOwnOrganization(ctx, input.organizationId, 'admin')
    const invitation = await findInvitation(ctx, organization, input.invitationId)
    await remove(ctx, invitation)
    return { message: `${invitation.email} is no longer invited.` }
  })
}

/** Sends the mail of an invitation again. Counts as an invitation for the limits. */
export async function resendInvitation(ctx: Context, input: InvitationRef): Promise<Member> {
  const { userId } = requireUser(ctx)
  const organization = await getOwnOrganization(ctx, input.organizationId, 'admin')
  const { email } = await findInvitation(ctx, organization, input.invitationId)
  await ctx.limits.attempt('invitationByAddress', addressKey(ctx))
  await ctx.limits.attempt('invitationByAccount', email)
  return inTransaction(ctx, async (ctx) => {
    const organization = await lockOwnOrganization(ctx, input.organizationId, 'admin')
    // It may have been accepted or revoked meanwhile.
    const invitation = await findInvitation(ctx, organization, input.invitationId)
    await enqueueMail(ctx, { kind: 'invitation', email: invitation.email })
    const { id: membershipId, organization_id: organizationId, role } = invitation
    const details = { organizationId, membershipId, email, role, by: userId, again: true }
    await recordAudit(ctx, 'member_invited', userId, details)
    return presentMember(invitation)
  })
}

async function findInvitation(ctx: Context, { id, role }: { id: string; role: Role }, invitationId: string) {
  const isWanted = (member: FoundMember) => member.id === invitationId && member.status === 'invited'
  const invitation = (await listMembers(ctx, id)).find(isWanted)
  if (!invitation) {
    const advice = 'It may have been accepted or revoked. organizations.getMembers lists members and invitations.'
    throw notFound('invitation', advice, procedureHint('organizations.getMembers'))
  }
  requireMayGive(role, invitation.role)
  return invitation
}
