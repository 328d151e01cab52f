import { z } from 'zod'
import type { DeliveryStatus } from '../../../core/webhooks/schema.ts'
import { AttemptFact, DeliveryFact, receiverNotice, ReceiverAnswer } from '../../answers/webhook-facts.ts'
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
    note: z.string(),
    next: z.string(),
  }),
  run: async (input, call) => {
    const { delivery } = await call.core.webhooks.test.mutate(input)
    const { id, status, responseBody: answer } = delivery
    return { ...delivery, answer, note: receiverNotice, next: nextAfter(status, id) }
  },
})

function nextAfter(status: DeliveryStatus, deliveryId: string): string {
  if (status === 'succeeded') return 'The webhook works.'
  if (status === 'failed') return 'Next: fix the receiver or the address (update_webhook), then test_webhook again.'
  return `Next: list_webhook_deliveries with deliveryId ${deliveryId} for the outcome.`
}
