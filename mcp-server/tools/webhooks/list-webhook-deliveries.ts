import { z } from 'zod'
import { DeliveryStatus, type WebhookDeliveryDetail } from '../../../core/webhooks/schema.ts'
import { EventType } from '../../../core/events/schema.ts'
import { fence } from '../../../client/sanitize.ts'
import { UserError } from '../../../client/user-error.ts'
import { dataNotice, Page, pageFrom } from '../../answers/output.ts'
import { maybe, untrusted } from '../../answers/untrusted.ts'
import {
  AttemptFact,
  DeliveryFact,
  ReceiverAnswer,
  renderAnswer,
  renderAttempt,
  renderDelivery,
} from '../../answers/webhook-facts.ts'
import { counted, type Line } from '../../answers/words.ts'
import { defineTool, Id } from '../tool.ts'

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
type Output = z.infer<typeof Output>

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
    if ((webhookId === undefined) === (deliveryId === undefined)) {
      throw new UserError(
        'list_webhook_deliveries was not run: give either webhookId or deliveryId. list_webhooks shows the webhooks.',
      )
    }
    if (webhookId === undefined) {
      return detail((await call.core.webhooks.getDelivery.query({ deliveryId: deliveryId ?? '' })).delivery)
    }
    const { deliveries, pagination } = await call.core.webhooks.deliveries.query({ webhookId, ...page })
    const failed = deliveries.some(({ status }) => status === 'failed')
    const next = "Next: call again with a deliveryId for the receiver's answer, or retry_webhook_delivery."
    return { deliveries, ...pageFrom(pagination, deliveries), ...(failed ? { next } : {}) }
  },
  render,
  list: 'deliveries',
})

function detail(delivery: WebhookDeliveryDetail): z.input<typeof Output> {
  return {
    deliveries: [delivery],
    total: 1,
    offset: 0,
    attempts: delivery.attempts.slice(-maxAttempts),
    payload: JSON.stringify(delivery.payload),
    answer: delivery.responseBody,
    note: dataNotice,
    ...(delivery.status === 'failed' ? { next: 'Next: fix the receiver, then retry_webhook_delivery.' } : {}),
  }
}

function render({ deliveries, total, attempts, payload, answer }: Output): Line[] {
  const [delivery] = deliveries
  const of = delivery === undefined ? '' : ` of webhook ${delivery.webhookId}`
  const shown = deliveries.length < total ? `, ${deliveries.length} shown` : ''
  const hidden = attempts ? (delivery?.attemptCount ?? 0) - attempts.length : 0
  return [
    `${counted(total, 'delivery', 'deliveries')}${of}${shown}.`,
    ...deliveries.map(renderDelivery),
    ...(attempts ?? []).map(renderAttempt),
    hidden > 0 && `${hidden} earlier attempts are not shown.`,
    ...(payload === undefined ? [] : ['Payload:', fence(payload)]),
    renderAnswer(answer),
  ]
}
