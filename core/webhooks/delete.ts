import { recordAudit } from '../identity/audit/record.ts'
import { type Context, inTransaction, requireUser } from '../base/context.ts'
import { cancel } from './dispatch/delivery-state.ts'
import { WebhookEntity } from './entity.ts'
import { lockOwnWebhook } from './get.ts'
import type { DeletedWebhook, WebhookRef } from './schema.ts'

/**
 * Deletes a webhook and cancels its pending deliveries. A delivery that is being sent may still arrive, but is not
 * retried. The history is purged after 30 days.
 */
export async function deleteWebhook(ctx: Context, input: WebhookRef): Promise<DeletedWebhook> {
  const { userId } = requireUser(ctx)
  const { webhookId } = input
  return inTransaction(ctx, async (ctx) => {
    const { organizationId, projectId, url } = await lockOwnWebhook(ctx, webhookId, 'admin')
    const now = ctx.now()
    const ended = { active: false, deletedAt: now, updatedAt: now }
    await ctx.db.getRepository(WebhookEntity).update({ id: webhookId }, ended)
    const [, count] = await ctx.db.query<[unknown, number]>(
      `UPDATE webhook_deliveries d SET ${cancel} WHERE d.webhook_id = $1 AND d.status = 'pending'`,
      [webhookId],
    )
    const { host } = new URL(url)
    await recordAudit(ctx, 'webhook_deleted', userId, { webhookId, organizationId, projectId, host })
    return { message: `The webhook to ${host} is deleted. Cancelled deliveries: ${count}.` }
  })
}
