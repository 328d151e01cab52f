import { z } from 'zod'
import { RecoverDeliveries } from '../../../core/webhooks/schema.ts'
import { DeliveryFact } from '../../answers/webhook-facts.ts'
import { maybe } from '../../answers/untrusted.ts'
import { defineTool, Id, refuse } from '../tool.ts'

export const retryWebhookDelivery = defineTool({
  name: 'retry_webhook_delivery',
  title: 'Retry deliveries',
  description: 'Sends one delivery again; with webhookId and since, all failed or missed deliveries since that time.',
  scope: 'webhooks:write',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  inputSchema: z.object({
    deliveryId: Id.optional(),
    webhookId: Id.optional(),
    since: z.string().pipe(RecoverDeliveries.shape.since).optional().describe('ISO 8601'),
  }),
  outputSchema: z.object({
    delivery: DeliveryFact.optional(),
    recovered: z.int().optional(),
    nextSince: maybe(z.string()),
    next: z.string(),
  }),
  run: async ({ deliveryId, webhookId, since }, call) => {
    if (deliveryId !== undefined && webhookId === undefined && since === undefined) {
      const { delivery } = await call.core.webhooks.retryDelivery.mutate({ deliveryId })
      const next = `Next: list_webhook_deliveries with deliveryId ${delivery.id} for the outcome.`
      return { delivery, next }
    }
    if (deliveryId !== undefined || webhookId === undefined || since === undefined) {
      return refuse('give deliveryId alone, or webhookId and since.')
    }
    const { recovered, nextSince } = await call.core.webhooks.recover.mutate({ webhookId, since })
    const next =
      nextSince === null
        ? `Next: list_webhook_deliveries with webhookId ${webhookId}.`
        : `There are more: call retry_webhook_delivery again with since ${nextSince}.`
    return { recovered, nextSince, next }
  },
})
