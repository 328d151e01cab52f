import type { Context } from '../context.ts'
import { changeWebhook } from './change.ts'
import type { WebhookAnswer, WebhookRef } from './schema.ts'

/** Sends again, beginning with what became due in the meantime. */
export async function resumeWebhook(ctx: Context, input: WebhookRef): Promise<WebhookAnswer> {
  return changeWebhook(ctx, input.webhookId, () => ({ pausedAt: null }))
}
