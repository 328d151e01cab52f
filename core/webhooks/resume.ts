import type { Context } from '../base/context.ts'
import { healthy } from './dispatch/breaker.ts'
import { changeWebhook } from './change.ts'
import type { WebhookAnswer, WebhookRef } from './schema.ts'

/** Sends again, beginning with what became due in the meantime, as to a receiver of which nothing bad is known. */
export async function resumeWebhook(ctx: Context, input: WebhookRef): Promise<WebhookAnswer> {
  return changeWebhook(ctx, input.webhookId, () => ({ pausedAt: null, ...healthy }))
}
