import type { EntityManager } from 'typeorm'

export interface DueEndpoint {
  webhookId: string
  nextAttemptAt: Date
}

/** A row becomes visible when its transaction commits; no transaction that creates deliveries takes this long. */
const lateMs = 10_000
/** Covers the time until the next poll, with a margin. */
const aheadMs = 2_000

/**
 * Finds endpoints with deliveries that just became due or will soon. It reads only these rows, so that neither many
 * endpoints nor a backlog slow it down.
 */
export function discoverRecent(db: EntityManager, now: Date): Promise<DueEndpoint[]> {
  return db.query(
    `SELECT webhook_id AS "webhookId", min(next_attempt_at) AS "nextAttemptAt" FROM webhook_deliveries
      WHERE status = 'pending' AND next_attempt_at BETWEEN $1 AND $2 GROUP BY webhook_id`,
    [new Date(now.getTime() - lateMs), new Date(now.getTime() + aheadMs)],
  )
}

/**
 * Finds every endpoint with pending deliveries. It skips through the index, so that its cost does not depend on the
 * backlog. OFFSET keeps the planner from joining all webhooks with all endpoints, as it does for few estimated rows.
 */
export function discoverAll(db: EntityManager): Promise<DueEndpoint[]> {
  return db.query(
    `WITH RECURSIVE endpoint AS (
       (SELECT webhook_id, next_attempt_at FROM webhook_deliveries
         WHERE status = 'pending' ORDER BY webhook_id, next_attempt_at LIMIT 1)
       UNION ALL
       SELECT next.webhook_id, next.next_attempt_at FROM endpoint
         CROSS JOIN LATERAL (SELECT d.webhook_id, d.next_attempt_at FROM webhook_deliveries d
                              WHERE d.status = 'pending' AND d.webhook_id > endpoint.webhook_id
                              ORDER BY d.webhook_id, d.next_attempt_at LIMIT 1) AS next
     )
     SELECT endpoint.webhook_id AS "webhookId", endpoint.next_attempt_at AS "nextAttemptAt"
       FROM endpoint CROSS JOIN LATERAL (SELECT FROM webhooks w WHERE w.id = endpoint.webhook_id
                                            AND w.active AND w.paused_at IS NULL OFFSET 0) AS sending
     UNION ALL
     SELECT webhook_id, next_attempt_at FROM webhook_deliveries WHERE status = 'pending' AND trigger <> 'scheduled'`,
  )
}
