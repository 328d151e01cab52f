import { z } from 'zod'
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

export const testWebhook = defineTool({
  name: 'test_webhook',
  title: 'Test a webhook',
  description: 'Sends a test event, also while paused or not active, and waits for what the receiver answers.',
  scope: 'webhooks:write',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  inputSchema: z.object({ webhookId: Id, waitSeconds: z.int().default(35) }),
  outputSchema: DeliveryFact.extend({
    attempts: z.array(AttemptFact),
    answer: z.string().optional(),
    next: z.string(),
  }),
  run: async (input, call) => {
    const { delivery } = await call.core.webhooks.test.mutate(input)
    return {
      ...deliveryFact(delivery),
      attempts: delivery.attempts.map(attemptFact),
      answer: answerFact(delivery.responseBody),
      next: nextAfter(delivery.status, delivery.id),
    }
  },
  render: ({ attempts, answer, next, ...delivery }) =>
    [
      `${outcomes[delivery.status]}: ${renderDelivery(delivery)} | webhook ${delivery.webhookId}`,
      ...attempts.map(renderAttempt),
      ...(answer === undefined ? [] : [renderAnswer(answer)]),
      next,
    ].join('\n'),
})

const outcomes = {
  pending: 'Not sent yet',
  in_flight: 'No answer yet',
  succeeded: 'The receiver took it',
  failed: 'The receiver did not take it',
  cancelled: 'Cancelled',
} as const

function nextAfter(status: keyof typeof outcomes, deliveryId: string): string {
  if (status === 'succeeded') return 'The webhook works.'
  if (status === 'failed') return 'Next: mend the receiver or the address (update_webhook), then test_webhook again.'
  return `Next: list_webhook_deliveries with deliveryId ${deliveryId} for the outcome.`
}
