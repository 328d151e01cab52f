import type { Context } from '../base/context.ts'
import { changeWebhook } from './change.ts'
import type { UpdateWebhook, WebhookAnswer } from './schema.ts'
import { requireReceivable } from './scope.ts'
import { acceptWebhookUrl, urlRules } from './url.ts'

/**
 * Changes the given fields of a webhook. While a webhook is inactive, events create no deliveries, and pending
 * deliveries wait.
 */
export async function updateWebhook(ctx: Context, input: UpdateWebhook): Promise<WebhookAnswer> {
  const { events, active, description } = input
  return changeWebhook(ctx, input.webhookId, (before) => {
    requireReceivable(events ?? [], before)
    const url = input.url === undefined ? before.url : acceptWebhookUrl(input.url, urlRules(ctx.config)).href
    // The recorded failures are about another URL, or the user considers them fixed.
    const resetsFailures = url !== before.url || (active === true && !before.active)
    return {
      url,
      ...(description === undefined ? {} : { description }),
      ...(events === undefined ? {} : { events }),
      ...(active === undefined ? {} : { active }),
      ...(active === true ? { disabledReason: null } : {}),
      ...(resetsFailures ? { failingSince: null, failuresInRow: 0, openUntil: null } : {}),
    }
  })
}
