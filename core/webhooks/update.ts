import type { Context } from '../base/context.ts'
import { changeWebhook } from './change.ts'
import type { UpdateWebhook, WebhookAnswer } from './schema.ts'
import { requireAudible } from './scope.ts'
import { acceptWebhookUrl, urlRules } from './url.ts'

/**
 * Changes the fields given and leaves the others. While it is not active, events make no deliveries, and those there are
 * wait.
 */
export async function updateWebhook(ctx: Context, input: UpdateWebhook): Promise<WebhookAnswer> {
  const { events, active, description } = input
  return changeWebhook(ctx, input.webhookId, (before) => {
    requireAudible(events ?? [], before)
    const url = input.url === undefined ? before.url : acceptWebhookUrl(input.url, urlRules(ctx.config)).href
    // What is known of failures is about another address, or taken for over by whoever activates it again.
    const isNewChance = url !== before.url || (active === true && !before.active)
    return {
      url,
      ...(description === undefined ? {} : { description }),
      ...(events === undefined ? {} : { events }),
      ...(active === undefined ? {} : { active }),
      ...(active === true ? { disabledReason: null } : {}),
      ...(isNewChance ? { failingSince: null, failuresInRow: 0, openUntil: null } : {}),
    }
  })
}
