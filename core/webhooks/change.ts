import { isDeepStrictEqual } from 'node:util'
import { recordAudit } from '../identity/audit/record.ts'
import { type Context, inTransaction, requireUser } from '../base/context.ts'
import { WebhookEntity, type WebhookRow } from './entity.ts'
import { lockOwnWebhook } from './get.ts'
import { presentWebhook } from './present.ts'
import type { WebhookAnswer } from './schema.ts'
import { notifyDispatchers } from './notify.ts'

type Change = Partial<Omit<WebhookRow, 'id' | 'organizationId' | 'projectId'>>

/**
 * Changes a webhook under a lock, so that concurrent changes are all kept, and records in the audit log which fields
 * changed. It wakes the dispatchers, because deliveries may be due now.
 */
export async function changeWebhook(
  ctx: Context,
  webhookId: string,
  changeOf: (before: WebhookRow) => Change,
): Promise<WebhookAnswer> {
  const { userId } = requireUser(ctx)
  return inTransaction(ctx, async (ctx) => {
    const before = await lockOwnWebhook(ctx, webhookId, 'admin')
    const change = changeOf(before)
    const isSame = isDeepStrictEqual({ ...before, ...change }, before)
    const after = isSame ? before : { ...before, ...change, updatedAt: ctx.now() }
    if (!isSame) {
      await ctx.db.getRepository(WebhookEntity).update({ id: webhookId }, { ...change, updatedAt: after.updatedAt })
    }
    await notifyDispatchers(ctx.db, webhookId)
    const changed = changedFields(before, after)
    if (changed.length > 0) {
      const { organizationId, projectId } = before
      const { host } = new URL(after.url)
      await recordAudit(ctx, 'webhook_updated', userId, { webhookId, organizationId, projectId, host, changed })
    }
    return { webhook: presentWebhook(after, ctx.now(), 'admin') }
  })
}

function changedFields(before: WebhookRow, after: WebhookRow): string[] {
  const shown = (row: WebhookRow) => ({
    url: row.url,
    description: row.description,
    events: row.events.join(' '),
    active: row.active,
    paused: row.pausedAt !== null,
  })
  const [old, now] = [shown(before), shown(after)]
  return (Object.keys(now) as (keyof typeof now)[]).filter((field) => old[field] !== now[field])
}
