import { z } from 'zod'
import { nameOfWebhook } from '../../answers/webhook-facts.ts'
import { maybe } from '../../answers/untrusted.ts'
import { defineTool, Id } from '../tool.ts'
import { keepSecret } from './create-webhook.ts'

export const rotateWebhookSecret = defineTool({
  name: 'rotate_webhook_secret',
  title: 'Rotate a webhook secret',
  description: 'Replaces the signing secret and returns the new one, only once. Both sign deliveries for overlapHours.',
  scope: 'webhooks:write',
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  inputSchema: z.object({
    webhookId: Id,
    overlapHours: z.number().default(24).describe('0 if it leaked'),
  }),
  outputSchema: z.object({
    webhookId: z.string(),
    secret: z.string(),
    previousSecretUntil: maybe(z.string()),
    note: z.string(),
  }),
  confirm: async ({ webhookId, overlapHours }, call) => {
    const { webhook } = await call.core.webhooks.get.query({ webhookId })
    const name = nameOfWebhook(webhook)
    const until = overlapHours === 0 ? 'ends at once' : `ends in ${overlapHours} h`
    return {
      name,
      what: `This replaces the signing secret of the webhook ${name} (${webhookId}); the current one ${until}.`,
    }
  },
  run: async (input, call) => {
    const { secret, previousSecretUntil } = await call.core.webhooks.rotateSecret.mutate(input)
    const old = previousSecretUntil
      ? `Assay also signs with the old secret until ${previousSecretUntil}.`
      : 'The old secret is no longer used.'
    return { webhookId: input.webhookId, secret, previousSecretUntil, note: `${keepSecret} ${old}` }
  },
})
