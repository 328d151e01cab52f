import { z } from 'zod'
import {
  AttemptFact,
  DeliveryFact,
  ReceiverAnswer,
  renderAnswer,
  renderAttempt,
  renderDelivery,
} from '../../answers/webhook-facts.ts'
import { row } from '../../answers/words.ts'
import { defineTool, Id } from '../tool.ts'

export const testWebhook = defineTool({
  name: 'test_webhook',
  title: 'Test a webhook',
  description: 'Sends a test event, also to a paused or inactive webhook, and returns the answer of the receiver.',
  scope: 'webhooks:write',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  inputSchema: z.object({ webhookId: Id, waitSeconds: z.int().default(35) }),
  outputSchema: DeliveryFact.extend({
    attempts: z.array(AttemptFact),
    answer: ReceiverAnswer,
    next: z.string(),
  }),
  run: async (input, call) => {
    const { delivery } = await call.core.webhooks.test.mutate(input)
    return { ...delivery, answer: delivery.responseBody, next: nextAfter(delivery.status, delivery.id) }
  },
  render: ({ attempts, answer, ...delivery }) => [
    `${outcomes[delivery.status]}: ${row(renderDelivery(delivery), `webhook ${delivery.webhookId}`)}`,
    ...attempts.map(renderAttempt),
    renderAnswer(answer),
  ],
})

const outcomes = {
  pending: 'Not sent yet',
  in_flight: 'No answer yet',
  succeeded: 'The receiver accepted it',
  failed: 'The receiver did not accept it',
  cancelled: 'Cancelled',
} as const

function nextAfter(status: keyof typeof outcomes, deliveryId: string): string {
  if (status === 'succeeded') return 'The webhook works.'
  if (status === 'failed') return 'Next: fix the receiver or the address (update_webhook), then test_webhook again.'
  return `Next: list_webhook_deliveries with deliveryId ${deliveryId} for the outcome.`
}
