import { z } from 'zod'
import { CreateWebhook } from '../../../core/webhooks/schema.ts'
import { WebhookFact, webhookFact } from '../../answers/webhook-facts.ts'
import { defineTool, Id } from '../tool.ts'

export const createWebhook = defineTool({
  name: 'create_webhook',
  title: 'Create a webhook',
  description:
    'Sends events of a project, or of a whole organization, to a URL. Returns the signing secret, only once.',
  scope: 'webhooks:write',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  inputSchema: CreateWebhook.pick({ url: true, events: true, description: true }).extend({
    projectId: Id.optional(),
    organizationId: Id.optional(),
  }),
  outputSchema: WebhookFact.extend({ secret: z.string(), note: z.string(), next: z.string() }),
  run: async (input, call) => {
    const { webhook } = await call.core.webhooks.create.mutate(input)
    const { secret } = webhook
    return { ...webhookFact(webhook), secret, note: keepSecret, next: 'Next: test_webhook with this webhookId.' }
  },
})

/** Accompanies a secret that core returns only once. */
export const keepSecret =
  'Give the secret to the receiver now: it cannot be shown again, only replaced with rotate_webhook_secret. ' +
  'Do not write it into a repository.'
