import type { EntityManager } from 'typeorm'

export interface Expected {
  webhookId: string
  nextAttemptAt: Date
}

/** Longer than a transaction of ours takes from its clock to its end. */
const lateMs = 10_000
/** As far ahead as the next look, with something to spare. */
const aheadMs = 2_000

/**
 * Endpoints with something that became due just now or will in a moment. It reads those rows alone, so that neither
 * endpoints nor a backlog make it slower.
 */
export function discoverRecent(db: EntityManager, now: Date): Promise<Expected[]> {
  return db.query(
    `SELECT webhook_id AS "webhookId", min(next_attempt_at) AS "nextAttemptAt" FROM webhook_deliveries
      WHERE status = 'pending' AND next_attempt_at BETWEEN $1 AND $2 GROUP BY webhook_id`,
    [new Date(now.getTime() - lateMs), new Date(now.getTime() + aheadMs)],
  )
}

/** Every endpoint that something waits for; steps from one to the next, however many rows each has. */
export function discoverAll(db: EntityManager): Promise<Expected[]> {
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
       FROM endpoint JOIN webhooks w ON w.id = endpoint.webhook_id AND w.active AND w.paused_at IS NULL
     UNION ALL
     SELECT webhook_id, next_attempt_at FROM webhook_deliveries WHERE status = 'pending' AND trigger <> 'scheduled'`,
  )
}
