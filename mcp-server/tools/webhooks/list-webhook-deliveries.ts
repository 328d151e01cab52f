import { z } from 'zod'
import { DeliveryStatus, type WebhookDeliveryDetail } from '../../../core/webhooks/schema.ts'
import { EventType } from '../../../core/events/schema.ts'
import { Page, pageFrom } from '../../answers/output.ts'
import { maybe, untrusted } from '../../answers/untrusted.ts'
import { AttemptFact, DeliveryFact, receiverNotice, ReceiverAnswer } from '../../answers/webhook-facts.ts'
import { defineTool, Id, requireEither } from '../tool.ts'

/** The latest attempts of one delivery; `attemptCount` counts all. */
const maxAttempts = 10

const Output = z.object({
  deliveries: z.array(DeliveryFact),
  ...Page.shape,
  attempts: z.array(AttemptFact).optional(),
  payload: maybe(untrusted.text(2_000)),
  answer: ReceiverAnswer,
  note: z.string().optional(),
  next: z.string().optional(),
})

export const listWebhookDeliveries = defineTool({
  name: 'list_webhook_deliveries',
  title: 'List webhook deliveries',
  description:
    "Lists a webhook's deliveries, newest first; with deliveryId, shows one with its attempts, payload and answer.",
  scope: 'webhooks:read',
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  inputSchema: z.object({
    webhookId: Id.optional(),
    deliveryId: Id.optional(),
    status: z.string().pipe(DeliveryStatus).optional().describe('For example failed'),
    event: z.string().pipe(EventType).optional(),
    offset: z.int().min(0).default(0),
  }),
  outputSchema: Output,
  run: async ({ webhookId, deliveryId, ...page }, call) => {
    requireEither({ webhookId, deliveryId }, 'webhookId', 'deliveryId', '. list_webhooks shows the webhooks.')
    if (webhookId === undefined) {
      return detail((await call.core.webhooks.getDelivery.query({ deliveryId: deliveryId ?? '' })).delivery)
    }
    const { deliveries, pagination } = await call.core.webhooks.deliveries.query({ webhookId, ...page })
    const failed = deliveries.some(({ status }) => status === 'failed')
    const next = "Next: call again with a deliveryId for the receiver's answer, or retry_webhook_delivery."
    return { deliveries, ...pageFrom(pagination, deliveries), ...(failed ? { next } : {}) }
  },
})

function detail(delivery: WebhookDeliveryDetail): z.input<typeof Output> {
  const attempts = delivery.attempts.slice(-maxAttempts)
  const hidden = delivery.attemptCount - attempts.length
  return {
    deliveries: [delivery],
    total: 1,
    offset: 0,
    attempts,
    payload: JSON.stringify(delivery.payload),
    answer: delivery.responseBody,
    ...(hidden > 0 ? { cut: `${hidden} earlier attempts are not shown.` } : {}),
    note: receiverNotice,
    ...(delivery.status === 'failed' ? { next: 'Next: fix the receiver, then retry_webhook_delivery.' } : {}),
  }
}
