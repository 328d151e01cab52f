import { affected, recordAudit } from '../audit/record.ts'
import { type Context, inTransaction, requireUser } from '../../base/context.ts'
import { conflict, forbidden, notFound, procedureHint } from '../../base/errors.ts'
import { InvitationEntity, MembershipEntity } from './entity.ts'
import { getOwnOrganization, lockOwnOrganization, noOrganization } from './get.ts'
import { isAtLeast } from './roles.ts'
import type { Done, Member, MemberRef, OrganizationRef, Role, UpdateMemberRole } from './schema.ts'

export interface FoundMember {
  id: string
  organization_id: string
  user_id: string | null
  email: string
  name: string | null
  avatar: string | null
  role: Role
  status: Member['status']
  created_at: Date
}

/** Members first, then invitations, each from old to new. */
const allMembers = `
  SELECT m.id, m.organization_id, m.user_id, u.email, u.name, u.avatar, m.role, 'active' AS status, m.created_at
    FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.organization_id = $1
   UNION ALL
  SELECT id, organization_id, NULL, email, NULL, NULL, role, 'invited', created_at
    FROM invitations WHERE organization_id = $1
   ORDER BY status, created_at, id`

export async function getMembers(ctx: Context, input: OrganizationRef): Promise<Member[]> {
  const { id } = await getOwnOrganization(ctx, input.organizationId)
  return (await listMembers(ctx, id)).map(presentMember)
}

export function listMembers(ctx: Context, organizationId: string): Promise<FoundMember[]> {
  return ctx.db.query<FoundMember[]>(allMembers, [organizationId])
}

/** Changes the role of a member or of an invitation. */
export async function updateMemberRole(ctx: Context, input: UpdateMemberRole): Promise<Member> {
  const { userId } = requireUser(ctx)
  return inTransaction(ctx, async (ctx) => {
    const { id: organizationId, role } = await lockOwnOrganization(ctx, input.organizationId, 'admin')
    const member = await findMember(ctx, organizationId, input.membershipId)
    requireMayGive(role, member.role)
    requireMayGive(role, input.role)
    if (member.role === input.role) return presentMember(member)
    if (member.role === 'owner') await requireAnotherOwner(ctx, member)
    const table = member.status === 'active' ? MembershipEntity : InvitationEntity
    await ctx.db.getRepository(table).update({ id: member.id }, { role: input.role })
    const details = { organizationId, membershipId: member.id, from: member.role, to: input.role, by: userId }
    await recordAudit(ctx, 'member_role_changed', userId, { ...details, ...affected(member.user_id) })
    return presentMember({ ...member, role: input.role })
  })
}

/** Removes a member or an invitation. Every member may leave by removing their own membership. */
export async function removeMember(ctx: Context, input: MemberRef): Promise<Done> {
  const { userId } = requireUser(ctx)
  return inTransaction(ctx, async (ctx) => {
    const { id: organizationId, role } = await lockOwnOrganization(ctx, input.organizationId, 'viewer')
    const member = await findMember(ctx, organizationId, input.membershipId)
    if (member.user_id !== userId) {
      if (!isAtLeast(role, 'admin')) throw forbidden('Only admins and owners may remove other members.')
      requireMayGive(role, member.role)
    }
    await remove(ctx, member)
    return { message: `${member.email} is no longer a member of the organization.` }
  })
}

/** Ends the membership of the caller. */
export async function leaveOrganization(ctx: Context, input: OrganizationRef): Promise<Done> {
  const { userId } = requireUser(ctx)
  return inTransaction(ctx, async (ctx) => {
    const { id: organizationId, name } = await lockOwnOrganization(ctx, input.organizationId, 'viewer')
    const member = (await listMembers(ctx, organizationId)).find(({ user_id }) => user_id === userId)
    if (!member) throw noOrganization()
    await remove(ctx, member)
    return { message: `You are no longer a member of ${name}.` }
  })
}

/** Removes a member or an invitation. The caller may do so and has locked the organization. */
export async function remove(ctx: Context, member: FoundMember): Promise<void> {
  const { userId } = requireUser(ctx)
  if (member.role === 'owner') await requireAnotherOwner(ctx, member)
  const table = member.status === 'active' ? MembershipEntity : InvitationEntity
  await ctx.db.getRepository(table).delete({ id: member.id })
  const { id: membershipId, organization_id: organizationId, email, role } = member
  const details = { organizationId, membershipId, email, role, by: userId }
  await recordAudit(ctx, 'member_removed', userId, { ...details, ...affected(member.user_id) })
}

/** Admins may grant and remove roles up to admin; only owners may grant and remove the role owner. */
export function requireMayGive(own: Role, given: Role): void {
  if (!isAtLeast(own, given)) throw forbidden('Only an owner may add, change or remove an owner.')
}

/** The caller has locked the organization, so that two owners who leave at the same time cannot both succeed. */
async function requireAnotherOwner(ctx: Context, { organization_id, status }: FoundMember): Promise<void> {
  if (status === 'invited') return
  const owners = await ctx.db
    .getRepository(MembershipEntity)
    .countBy({ organizationId: organization_id, role: 'owner' })
  if (owners < 2)
    throw conflict('This is the last owner. Make another member an owner first, or delete the organization.')
}

/** Finds a member of this organization. A member of another one and a missing one give the same error. */
export async function findMember(ctx: Context, organizationId: string, membershipId: string): Promise<FoundMember> {
  const member = (await listMembers(ctx, organizationId)).find(({ id }) => id === membershipId)
  if (!member)
    throw notFound('member', 'organizations.getMembers lists them.', procedureHint('organizations.getMembers'))
  return member
}

export function presentMember(row: FoundMember): Member {
  return {
    id: row.id,
    organizationId: row.organization_id,
    userId: row.user_id,
    email: row.email,
    name: row.name,
    avatar: row.avatar,
    role: row.role,
    status: row.status,
    createdAt: row.created_at.toISOString(),
  }
}
