import type { Context } from '../base/context.ts'
import { changeWebhook } from './change.ts'
import type { WebhookAnswer, WebhookRef } from './schema.ts'

/** Pauses a webhook. Events still create deliveries, which wait until it is resumed. */
export async function pauseWebhook(ctx: Context, input: WebhookRef): Promise<WebhookAnswer> {
  return changeWebhook(ctx, input.webhookId, ({ pausedAt }) => ({ pausedAt: pausedAt ?? ctx.now() }))
}
