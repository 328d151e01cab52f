import type { Context } from '../base/context.ts'
import { getOwnWebhook } from './get.ts'
import { type ListedDelivery, presentDelivery } from './present.ts'
import type { DeliveriesPage, ListDeliveries } from './schema.ts'

/** Counting more rows would make a page slow. */
const maxCounted = 100_000

/** Lists the deliveries of a webhook, newest first, with their total (at most 100,000). */
export async function listDeliveries(ctx: Context, input: ListDeliveries): Promise<DeliveriesPage> {
  const { limit, offset } = input
  const { id, openUntil } = await getOwnWebhook(ctx, input.webhookId, 'viewer')
  const { where, values } = conditions(id, input)
  const [[{ total }], rows] = await Promise.all([
    ctx.db.query<[{ total: number }]>(
      `SELECT count(*)::int AS total FROM (SELECT FROM webhook_deliveries WHERE ${where} LIMIT ${maxCounted}) AS counted`,
      values,
    ),
    ctx.db.query<ListedDelivery[]>(
      // The inner query finds the page in the index alone, so that only the rows of the page are read.
      `SELECT d.id, d.webhook_id AS "webhookId", d.event, d.status, d.trigger, d.response_status AS "responseStatus",
              d.error, d.attempt_count AS "attemptCount", d.next_attempt_at AS "nextAttemptAt",
              d.delivered_at AS "deliveredAt", d.created_at AS "createdAt"
         FROM (SELECT id FROM webhook_deliveries WHERE ${where} ORDER BY id DESC
                LIMIT $${values.length + 1} OFFSET $${values.length + 2}) AS page
         JOIN webhook_deliveries d ON d.id = page.id ORDER BY d.id DESC`,
      [...values, limit, offset],
    ),
  ])
  return { deliveries: rows.map((row) => presentDelivery(row, openUntil)), pagination: { total, limit, offset } }
}

function conditions(webhookId: string, { status, event }: ListDeliveries) {
  const given = { webhook_id: webhookId, status, event }
  const set = Object.entries(given).filter(([, value]) => value !== undefined)
  return {
    where: set.map(([column], index) => `${column} = $${index + 1}`).join(' AND '),
    values: set.map(([, value]) => value),
  }
}
