import { z } from 'zod'
import { Page, pageOf } from '../../answers/output.ts'
import { WebhookFact, webhookFact } from '../../answers/webhook-facts.ts'
import { defineTool, Id } from '../tool.ts'

const pageSize = 20

export const listWebhooks = defineTool({
  name: 'list_webhooks',
  title: 'List webhooks',
  description: 'Lists the webhooks of a project or of an organization: address, events, state, failures.',
  scope: 'webhooks:read',
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  inputSchema: z.object({
    projectId: Id.optional(),
    organizationId: Id.optional(),
    offset: z.int().min(0).default(0),
  }),
  outputSchema: z.object({ webhooks: z.array(WebhookFact), ...Page.shape, next: z.string() }),
  run: async ({ offset, ...whose }, call) => {
    const { webhooks } = await call.core.webhooks.list.query(whose)
    const { items, page } = pageOf(webhooks, offset, pageSize)
    const next =
      webhooks.length === 0 ? 'Next: create_webhook.' : 'Next: list_webhook_deliveries with webhookId, or test_webhook.'
    return { webhooks: items.map(webhookFact), ...page, next }
  },
})
