import { z } from 'zod'
import { CreateWebhook } from '../../../core/webhooks/schema.ts'
import { renderWebhook, WebhookFact, webhookFact } from '../../answers/webhook-facts.ts'
import { defineTool, Id } from '../tool.ts'

export const createWebhook = defineTool({
  name: 'create_webhook',
  title: 'Create a webhook',
  description:
    'Has events of a project, or of all of an organization, posted to a URL. The answer has the signing secret, this once.',
  scope: 'webhooks:write',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  inputSchema: CreateWebhook.pick({ url: true, events: true, description: true }).extend({
    projectId: Id.optional(),
    organizationId: Id.optional(),
  }),
  outputSchema: WebhookFact.extend({ secret: z.string(), note: z.string(), next: z.string() }),
  run: async (input, call) => {
    const { webhook } = await call.core.webhooks.create.mutate(input)
    return {
      ...webhookFact(webhook),
      secret: webhook.secret,
      note: keepSecret,
      next: 'Next: test_webhook with this webhookId.',
    }
  },
  render: ({ secret, note, next, ...webhook }) =>
    `Created: ${renderWebhook(webhook)}\nSecret: ${secret}\n${note}\n${next}`,
})

/** Said beside a secret that core gives once. */
export const keepSecret =
  'Put the secret where the receiver reads it now: it cannot be shown again, only replaced by rotate_webhook_secret. ' +
  'Do not write it into a repository.'
