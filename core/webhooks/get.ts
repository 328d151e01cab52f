import { IsNull } from 'typeorm'
import type { Context } from '../base/context.ts'
import { notFound, procedureHint } from '../base/errors.ts'
import { findRole, requireRole } from '../identity/organizations/roles.ts'
import type { Role } from '../identity/organizations/schema.ts'
import { findOwnProject } from '../projects/get.ts'
import { WebhookDeliveryEntity, type WebhookDeliveryRow, WebhookEntity, type WebhookRow } from './entity.ts'
import { presentWebhook } from './present.ts'
import type { WebhookAnswer, WebhookRef } from './schema.ts'

/** A webhook as it is stored, and what the caller may do with it. */
export type OwnWebhook = WebhookRow & { role: Role }

/** One webhook, without its secret. */
export async function getWebhook(ctx: Context, input: WebhookRef): Promise<WebhookAnswer> {
  const webhook = await getOwnWebhook(ctx, input.webhookId, 'viewer')
  return { webhook: presentWebhook(webhook, ctx.now(), webhook.role) }
}

/**
 * Loads a webhook that the caller may see; somebody else's is as absent as one that never was, or that is deleted.
 *
 * @throws AppError 404; 403 where the caller's role in the organization is less than `least`
 */
export async function getOwnWebhook(ctx: Context, webhookId: string, least: Role): Promise<OwnWebhook> {
  const webhook = await findOwnWebhook(ctx, webhookId)
  if (!webhook)
    throw notFound(
      'webhook',
      'webhooks.list lists the webhooks of a project or an organization.',
      procedureHint('webhooks.list'),
    )
  requireRole(webhook.role, least)
  return webhook
}

/** As `getOwnWebhook`, in a transaction; until that ends nobody changes it or takes the caller's role away. */
export async function lockOwnWebhook(ctx: Context, webhookId: string, least: Role): Promise<OwnWebhook> {
  // Asked before too, so that strangers cannot hold it. Organization and project first, as everywhere.
  const { organizationId, projectId } = await getOwnWebhook(ctx, webhookId, least)
  await ctx.db.query('SELECT FROM organizations WHERE id = $1 FOR KEY SHARE', [organizationId])
  await ctx.db.query('SELECT FROM projects WHERE id = $1 FOR KEY SHARE', [projectId])
  // Events that are just being written for it need not wait.
  await ctx.db.query('SELECT FROM webhooks WHERE id = $1 FOR NO KEY UPDATE', [webhookId])
  return getOwnWebhook(ctx, webhookId, least)
}

export async function getOwnDelivery(
  ctx: Context,
  deliveryId: string,
  least: Role,
): Promise<{ delivery: WebhookDeliveryRow; webhook: WebhookRow }> {
  const delivery = await ctx.db.getRepository(WebhookDeliveryEntity).findOneBy({ id: deliveryId })
  const webhook = delivery && (await findOwnWebhook(ctx, delivery.webhookId))
  if (!webhook)
    throw notFound(
      'delivery',
      'webhooks.deliveries lists the deliveries of a webhook.',
      procedureHint('webhooks.deliveries'),
    )
  requireRole(webhook.role, least)
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
