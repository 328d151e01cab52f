import type { Context } from '../base/context.ts'
import { changeWebhook } from './change.ts'
import type { WebhookAnswer, WebhookRef } from './schema.ts'

/** Sends nothing for a while. Events go on making deliveries, which wait until it is resumed. */
export async function pauseWebhook(ctx: Context, input: WebhookRef): Promise<WebhookAnswer> {
  return changeWebhook(ctx, input.webhookId, ({ pausedAt }) => ({ pausedAt: pausedAt ?? ctx.now() }))
}
