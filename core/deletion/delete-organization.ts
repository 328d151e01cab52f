import { In } from 'typeorm'
import { SubscriptionEntity } from '../identity/organizations/subscription-entity.ts'
import { deleteFilesOf } from './delete-files.ts'
import { affected, recordAudit } from '../identity/audit/record.ts'
import { type Context, inRepeatedTransaction, requireUser } from '../base/context.ts'
import { announceProject } from '../projects/announce.ts'
import { ProjectEntity } from '../projects/entity.ts'
import { cancelRunsOf } from '../test-runs/cancel.ts'
import { retireWebhooks } from '../webhooks/retire.ts'
import { MembershipEntity, OrganizationEntity } from '../identity/organizations/entity.ts'
import { lockOwnOrganization } from '../identity/organizations/get.ts'
import type { OrganizationRef } from '../identity/organizations/schema.ts'

/** Deletes the organization with its projects, memberships, invitations and tokens, in one transaction. */
export async function deleteOrganization(ctx: Context, input: OrganizationRef): Promise<{ message: string }> {
  const { userId } = requireUser(ctx)
  const { name, paid, projectIds } = await inRepeatedTransaction(ctx, async (ctx) => {
    const { id: organizationId, name, slug } = await lockOwnOrganization(ctx, input.organizationId, 'owner')
    const projects = await ctx.db
      .getRepository(ProjectEntity)
      .find({ where: { organizationId }, lock: { mode: 'pessimistic_write' } })
    const projectIds = projects.map(({ id }) => id)
    const tokens = await ctx.db.query<{ id: string; user_id: string; name: string }[]>(
      `SELECT id, user_id, name FROM api_tokens
        WHERE revoked_at IS NULL AND (organization_id = $1 OR project_id = ANY ($2))`,
      [organizationId, projectIds],
    )
    const paid = await ctx.db
      .getRepository(SubscriptionEntity)
      .existsBy({ organizationId, status: In(['active', 'trialing', 'past_due']) })
    const members = await ctx.db.getRepository(MembershipEntity).findBy({ organizationId })
    await cancelRunsOf(ctx, projectIds)
    for (const project of projects) await announceProject(ctx, 'project.deleted', project)
    await retireWebhooks(ctx, { organizationId, projectIds })
    await ctx.db.getRepository(OrganizationEntity).delete({ id: organizationId })
    for (const token of tokens) {
      const details = { organizationId, tokenId: token.id, name: token.name, reason: 'organization_deleted' }
      await recordAudit(ctx, 'token_revoked', userId, { ...details, ...affected(token.user_id) })
    }
    for (const member of members) {
      const { id: membershipId, role } = member
      const details = { organizationId, membershipId, role, by: userId, reason: 'organization_deleted' }
      await recordAudit(ctx, 'member_removed', userId, { ...details, ...affected(member.userId) })
    }
    await recordAudit(ctx, 'organization_deleted', userId, { organizationId, slug, projects: projects.length })
    return { name, paid, projectIds }
  })
  for (const id of projectIds) await deleteFilesOf(ctx, id)
  const goesOn = paid ? ' Its subscription continues at the payment provider. Cancel it there.' : ''
  return { message: `Organization ${name} is deleted, with ${projectIds.length} projects.${goesOn}` }
}
