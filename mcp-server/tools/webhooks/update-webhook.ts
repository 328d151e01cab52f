import { z } from 'zod'
import { UpdateWebhook } from '../../../core/webhooks/schema.ts'
import { EventType } from '../../../core/events/schema.ts'
import { WebhookFact, webhookFact } from '../../answers/webhook-facts.ts'
import { defineTool, Id, refuse } from '../tool.ts'

export const updateWebhook = defineTool({
  name: 'update_webhook',
  title: 'Update a webhook',
  description: 'Changes the given fields. A paused webhook queues deliveries; an inactive one creates none.',
  scope: 'webhooks:write',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  inputSchema: z.object({
    webhookId: Id,
    url: UpdateWebhook.shape.url,
    // create_webhook lists the types.
    events: z.array(z.string()).pipe(z.array(EventType)).optional(),
    description: UpdateWebhook.shape.description.unwrap().unwrap().optional(),
    active: z.boolean().optional(),
    paused: z.boolean().optional(),
  }),
  outputSchema: WebhookFact.extend({ next: z.string().optional() }),
  run: async ({ webhookId, paused, ...change }, call) => {
    const { webhooks } = call.core
    const changes = Object.values(change).some((value) => value !== undefined)
    let after = changes ? await webhooks.update.mutate({ webhookId, ...change }) : undefined
    if (paused !== undefined) after = await (paused ? webhooks.pause : webhooks.resume).mutate({ webhookId })
    if (!after) return refuse('give url, events, description, active or paused.')
    const next = 'Next: retry_webhook_delivery with webhookId and since sends the missed events.'
    return { ...webhookFact(after.webhook), ...(change.active === true ? { next } : {}) }
  },
})
