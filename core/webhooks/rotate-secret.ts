import { recordAudit } from '../identity/audit/record.ts'
import { type Context, inTransaction, requireUser } from '../base/context.ts'
import { encrypt } from '../base/crypto.ts'
import { WebhookEntity } from './entity.ts'
import { lockOwnWebhook } from './get.ts'
import type { RotatedWebhookSecret, RotateWebhookSecret } from './schema.ts'
import { newWebhookSecret, secretPlace } from './secret.ts'

const hour = 3_600_000

/**
 * Replaces the signing secret and returns the new one, which cannot be read again. During the overlap, deliveries are
 * also signed with the previous secret, so that the receiver can switch. 0 hours end the previous secret immediately.
 */
export async function rotateWebhookSecret(ctx: Context, input: RotateWebhookSecret): Promise<RotatedWebhookSecret> {
  const { userId } = requireUser(ctx)
  const { webhookId, overlapHours } = input
  const secret = newWebhookSecret()
  return inTransaction(ctx, async (ctx) => {
    const before = await lockOwnWebhook(ctx, webhookId, 'admin')
    const now = ctx.now()
    const until = overlapHours > 0 ? new Date(now.getTime() + overlapHours * hour) : null
    await ctx.db.getRepository(WebhookEntity).update(
      { id: webhookId },
      {
        secret: encrypt(ctx.config.secretKey, secretPlace(webhookId), secret),
        previousSecret: until && before.secret,
        previousSecretUntil: until,
        updatedAt: now,
      },
    )
    const previousSecretUntil = until?.toISOString() ?? null
    const { organizationId, projectId } = before
    const details = { webhookId, organizationId, projectId, previousSecretUntil }
    await recordAudit(ctx, 'webhook_secret_rotated', userId, details)
    return { secret, previousSecretUntil }
  })
}
