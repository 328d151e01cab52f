import { z } from 'zod'
import { nameOfWebhook } from '../../answers/webhook-facts.ts'
import { defineTool, Id } from '../tool.ts'

export const deleteWebhook = defineTool({
  name: 'delete_webhook',
  title: 'Delete a webhook',
  description: 'Deletes a webhook and discards its pending deliveries. update_webhook pauses it instead.',
  scope: 'webhooks:write',
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  inputSchema: z.object({ webhookId: Id }),
  outputSchema: z.object({ webhookId: z.string(), name: z.string() }),
  confirm: async ({ webhookId }, call) => {
    const { webhook } = await call.core.webhooks.get.query({ webhookId })
    const name = nameOfWebhook(webhook)
    return {
      name,
      what: `This deletes the webhook ${name} (${webhookId}) with its history and discards its pending deliveries.`,
    }
  },
  run: async ({ webhookId }, call) => {
    const { webhook } = await call.core.webhooks.get.query({ webhookId })
    await call.core.webhooks.delete.mutate({ webhookId })
    return { webhookId, name: nameOfWebhook(webhook) }
  },
  headline: 'Deleted.',
})
