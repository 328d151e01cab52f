import type { Context } from '../base/context.ts'
import { healthy } from './dispatch/breaker.ts'
import { changeWebhook } from './change.ts'
import type { WebhookAnswer, WebhookRef } from './schema.ts'

/** Resumes a webhook: sends the deliveries that became due and closes the circuit breaker. */
export async function resumeWebhook(ctx: Context, input: WebhookRef): Promise<WebhookAnswer> {
  return changeWebhook(ctx, input.webhookId, () => ({ pausedAt: null, ...healthy }))
}
