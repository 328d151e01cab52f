import { encodeTime } from 'ulid'
import { type Context, inTransaction, requireUser } from '../base/context.ts'
import { conflict } from '../base/errors.ts'
import { eventsKeptMs } from './clean-up.ts'
import { bodyOf } from '../events/emit.ts'
import type { WebhookRow } from './entity.ts'
import { getOwnWebhook } from './get.ts'
import { notifyDispatchers } from './notify.ts'
import type { RecoverDeliveries, RecoveredDeliveries } from './schema.ts'

const maxAtOnce = 10_000

/**
 * Sends failed and cancelled deliveries again, with a new retry schedule, and creates deliveries for events that have
 * none, because the webhook was inactive or not subscribed to them. A second call creates no duplicates.
 */
export async function recoverDeliveries(ctx: Context, input: RecoverDeliveries): Promise<RecoveredDeliveries> {
  const { userId } = requireUser(ctx)
  const webhook = await getOwnWebhook(ctx, input.webhookId, 'admin')
  return inTransaction(ctx, async (ctx) => {
    await requireTurn(ctx, [webhook.organizationId ?? webhook.userId, userId])
    await ctx.db.query(`SET LOCAL statement_timeout = '60s'`)
    // The webhook is not locked, so that results can be written meanwhile. The dispatcher cancels deliveries of a
    // webhook that was deleted in the meantime.
    return recover(ctx, webhook, input)
  })
}

/** A recovery may hold a connection for seconds: one per owner and two overall run at a time. Others fail at once. */
async function requireTurn({ db }: Context, owners: string[]): Promise<void> {
  const take = async (name: string): Promise<boolean> => {
    const lock = 'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS free'
    const [{ free }] = await db.query<[{ free: boolean }]>(lock, [`recover/${name}`])
    return free
  }
  for (const owner of owners) {
    if (!(await take(owner))) throw conflict(`A recovery of your deliveries is already running. ${askAgain}`)
  }
  if ((await take('first')) || (await take('second'))) return
  throw conflict(`A recovery of another user is running. ${askAgain}`)
}

const askAgain = 'Try again in a few seconds.'

async function recover(ctx: Context, webhook: WebhookRow, input: RecoverDeliveries): Promise<RecoveredDeliveries> {
  const now = ctx.now()
  const since = Math.max(Date.parse(input.since), webhook.createdAt.getTime(), now.getTime() - eventsKeptMs)
  const wanted = `e.id >= $3 AND e.created_at >= $4 AND e.type = ANY ($5)
          AND ${webhook.projectId === null ? 'e.organization_id' : 'e.project_id'} = $2`
  const [{ recovered, next }] = await ctx.db.query<[{ recovered: number; next: Date | null }]>(
    `WITH missed AS (
       SELECT e.id, e.created_at, NULL AS delivery_id FROM events e
        WHERE ${wanted} AND e.id NOT IN (SELECT d.event_id FROM webhook_deliveries d
                                          WHERE d.webhook_id = $1 AND d.id >= $3 AND d.event_id IS NOT NULL)
       UNION ALL
       SELECT e.id, e.created_at, d.id FROM webhook_deliveries d JOIN events e ON e.id = d.event_id
        WHERE d.webhook_id = $1 AND d.id >= $3 AND d.status IN ('failed', 'cancelled') AND ${wanted}
        ORDER BY id LIMIT ${maxAtOnce + 1}
     ), more AS (
       SELECT id, created_at FROM missed ORDER BY id OFFSET ${maxAtOnce}
     ), chosen AS (
       SELECT id, delivery_id FROM missed WHERE id NOT IN (SELECT id FROM more)
     ), again AS (
       UPDATE webhook_deliveries d
          SET status = 'pending', trigger = 'scheduled', scheduled_attempts = 0, next_attempt_at = $6
         FROM chosen WHERE d.id = chosen.delivery_id AND d.status IN ('failed', 'cancelled')
       RETURNING d.id
     ), made AS (
       INSERT INTO webhook_deliveries (id, webhook_id, event_id, event, body, status, trigger, next_attempt_at, created_at)
       SELECT id, $1, event_id, type, ${bodyOf('id', 'envelope')}, 'pending', 'scheduled', $6, $6
         FROM (SELECT new_ulid($6) AS id, e.id AS event_id, e.type, e.envelope
                 FROM chosen JOIN events e ON e.id = chosen.id WHERE chosen.delivery_id IS NULL OFFSET 0) AS new
       RETURNING id
     )
     SELECT ((SELECT count(*) FROM again) + (SELECT count(*) FROM made))::int AS recovered,
            (SELECT created_at FROM more) AS next`,
    [
      webhook.id,
      webhook.projectId ?? webhook.organizationId,
      // Ids sort by time, and no delivery is older than its event.
      encodeTime(since),
      new Date(since),
      webhook.events,
      now,
    ],
  )
  if (recovered > 0) await notifyDispatchers(ctx.db, webhook.id)
  return { recovered, nextSince: next?.toISOString() ?? null }
}
