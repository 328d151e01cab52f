import { z } from 'zod'
import { DeliveryStatus, type WebhookDeliveryDetail } from '../../../core/webhooks/schema.ts'
import { EventType } from '../../../core/events/schema.ts'
import { cleanText, fence, shorten } from '../../../client/sanitize.ts'
import { UserError } from '../../../client/user-error.ts'
import { cutPage, dataNotice, Page, renderPageEnd } from '../../answers/output.ts'
import {
  answerFact,
  AttemptFact,
  attemptFact,
  DeliveryFact,
  deliveryFact,
  renderAnswer,
  renderAttempt,
  renderDelivery,
} from '../../answers/webhook-facts.ts'
import { defineTool, Id } from '../tool.ts'

/** Of one delivery; `attemptCount` counts all. */
const shownAttempts = 10

const Output = z.object({
  deliveries: z.array(DeliveryFact),
  ...Page.shape,
  attempts: z.array(AttemptFact).optional(),
  payload: z.string().optional(),
  answer: z.string().optional(),
  note: z.string().optional(),
  next: z.string().optional(),
})
type Output = z.infer<typeof Output>

export const listWebhookDeliveries = defineTool({
  name: 'list_webhook_deliveries',
  title: 'List webhook deliveries',
  description:
    "Lists a webhook's deliveries, newest first; or, by deliveryId, shows one with attempts, payload and answer.",
  scope: 'webhooks:read',
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  inputSchema: z.object({
    webhookId: Id.optional(),
    deliveryId: Id.optional(),
    status: z.string().pipe(DeliveryStatus).optional().describe('Such as failed'),
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
    const { total, offset } = pagination
    const end = offset + deliveries.length
    const failed = deliveries.some(({ status }) => status === 'failed')
    return {
      deliveries: deliveries.map(deliveryFact),
      total,
      offset,
      nextOffset: deliveries.length > 0 && end < total ? end : undefined,
      ...(failed ? { next: 'Next: with deliveryId for what the receiver answered; retry_webhook_delivery.' } : {}),
    }
  },
  render,
  list: {
    count: ({ deliveries }) => deliveries.length,
    keep: ({ deliveries, total, offset, nextOffset, ...facts }, count) => {
      const { items, page } = cutPage(deliveries, { total, offset, nextOffset }, count)
      return { ...facts, deliveries: items, ...page }
    },
  },
})

function detail(delivery: WebhookDeliveryDetail): Output {
  return {
    deliveries: [deliveryFact(delivery)],
    total: 1,
    offset: 0,
    attempts: delivery.attempts.slice(-shownAttempts).map(attemptFact),
    payload: shorten(cleanText(JSON.stringify(delivery.payload)), 2_000),
    answer: answerFact(delivery.responseBody),
    note: dataNotice,
    ...(delivery.status === 'failed' ? { next: 'Next: retry_webhook_delivery once the receiver is mended.' } : {}),
  }
}

function render({ deliveries, total, attempts, payload, answer, note, next, ...page }: Output): string {
  const webhookId = deliveries[0]?.webhookId
  const of = webhookId === undefined ? '' : ` of webhook ${webhookId}`
  const shown = deliveries.length < total ? `, ${deliveries.length} shown` : ''
  const lines = [`${total} ${total === 1 ? 'delivery' : 'deliveries'}${of}${shown}.`]
  lines.push(...deliveries.map(renderDelivery), ...(attempts ?? []).map(renderAttempt))
  const hidden = (deliveries[0]?.attemptCount ?? 0) - (attempts?.length ?? 0)
  if (attempts && hidden > 0) lines.push(`${hidden} earlier attempts are not shown.`)
  if (note !== undefined) lines.push(note)
  if (payload !== undefined) lines.push('Sent:', fence(payload))
  if (answer !== undefined) lines.push(renderAnswer(answer))
  lines.push(...renderPageEnd({ total, ...page }), ...(next ? [next] : []))
  return lines.join('\n')
}
