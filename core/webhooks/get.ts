import { IsNull } from 'typeorm'
import type { Context } from '../base/context.ts'
import { notFound, procedureHint } from '../base/errors.ts'
import { findRole, requireRole } from '../identity/organizations/roles.ts'
import type { Role } from '../identity/organizations/schema.ts'
import { findOwnProject } from '../projects/get.ts'
import { WebhookDeliveryEntity, type WebhookDeliveryRow, WebhookEntity, type WebhookRow } from './entity.ts'
import { presentWebhook } from './present.ts'
import type { WebhookAnswer, WebhookRef } from './schema.ts'

/** A webhook with the role of the caller. */
export type OwnWebhook = WebhookRow & { role: Role }

/** Returns a webhook without its secret. */
export async function getWebhook(ctx: Context, input: WebhookRef): Promise<WebhookAnswer> {
  const webhook = await getOwnWebhook(ctx, input.webhookId, 'viewer')
  return { webhook: presentWebhook(webhook, ctx.now(), webhook.role) }
}

/**
 * Loads a webhook that the caller may see.
 *
 * @throws AppError 404, also for a webhook of another owner or a deleted one; 403 if the caller's role is below `minRole`
 */
export async function getOwnWebhook(ctx: Context, webhookId: string, minRole: Role): Promise<OwnWebhook> {
  const webhook = await findOwnWebhook(ctx, webhookId)
  if (!webhook)
    throw notFound(
      'webhook',
      'webhooks.list lists the webhooks of a project or an organization.',
      procedureHint('webhooks.list'),
    )
  requireRole(webhook.role, minRole)
  return webhook
}

/** Loads a webhook like `getOwnWebhook` and locks it, with the caller's role, until the transaction ends. */
export async function lockOwnWebhook(ctx: Context, webhookId: string, minRole: Role): Promise<OwnWebhook> {
  // Check access first, so that other users cannot hold the lock. Lock the organization and project first, as everywhere.
  const { organizationId, projectId } = await getOwnWebhook(ctx, webhookId, minRole)
  await ctx.db.query('SELECT FROM organizations WHERE id = $1 FOR KEY SHARE', [organizationId])
  await ctx.db.query('SELECT FROM projects WHERE id = $1 FOR KEY SHARE', [projectId])
  // This lock mode does not block inserts of deliveries.
  await ctx.db.query('SELECT FROM webhooks WHERE id = $1 FOR NO KEY UPDATE', [webhookId])
  return getOwnWebhook(ctx, webhookId, minRole)
}

export async function getOwnDelivery(
  ctx: Context,
  deliveryId: string,
  minRole: Role,
): Promise<{ delivery: WebhookDeliveryRow; webhook: WebhookRow }> {
  const delivery = await ctx.db.getRepository(WebhookDeliveryEntity).findOneBy({ id: deliveryId })
  const webhook = delivery && (await findOwnWebhook(ctx, delivery.webhookId))
  if (!webhook)
    throw notFound(
      'delivery',
      'webhooks.deliveries lists the deliveries of a webhook.',
      procedureHint('webhooks.deliveries'),
    )
  requireRole(webhook.role, minRole)
  return { delivery, webhook }
}

async function findOwnWebhook(ctx: Context, webhookId: string): Promise<OwnWebhook | null> {
  const row = await ctx.db.getRepository(WebhookEntity).findOneBy({ id: webhookId, deletedAt: IsNull() })
  const role = row && (await roleFor(ctx, row))
  return role ? { ...row, role } : null
}

async function roleFor(ctx: Context, { projectId, organizationId }: WebhookRow): Promise<Role | undefined> {
  if (projectId !== null) return (await findOwnProject(ctx, projectId))?.role
  return organizationId === null ? undefined : findRole(ctx, organizationId)
}
