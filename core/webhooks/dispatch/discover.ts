import type { EntityManager } from 'typeorm'
import { ownersOf } from '../../events/emit.ts'
import type { Endpoint } from './due-endpoints.ts'

export type DueEndpoint = Endpoint & { dueAt: Date }

/**
 * Finds every endpoint with pending deliveries that may be sent. It skips through the index, so that its cost does not
 * depend on the backlog. OFFSET keeps the planner from joining all webhooks with all endpoints, as it does for few
 * estimated rows.
 */
export function discoverDue(db: EntityManager): Promise<DueEndpoint[]> {
  return db.query(
    `WITH RECURSIVE first AS (
       (SELECT webhook_id, next_attempt_at FROM webhook_deliveries
         WHERE status = 'pending' ORDER BY webhook_id, next_attempt_at LIMIT 1)
       UNION ALL
       SELECT next.webhook_id, next.next_attempt_at FROM first
         CROSS JOIN LATERAL (SELECT d.webhook_id, d.next_attempt_at FROM webhook_deliveries d
                              WHERE d.status = 'pending' AND d.webhook_id > first.webhook_id
                              ORDER BY d.webhook_id, d.next_attempt_at LIMIT 1) AS next
     ), pending AS (
       SELECT webhook_id, next_attempt_at, false AS is_requested FROM first
       UNION ALL
       SELECT webhook_id, next_attempt_at, true FROM webhook_deliveries
        WHERE status = 'pending' AND trigger <> 'scheduled'
     )
     SELECT w.id, w.owners, pending.next_attempt_at AS "dueAt"
       FROM pending CROSS JOIN LATERAL (
         SELECT w.id, ${ownersOf} AS owners FROM webhooks w
          WHERE w.id = pending.webhook_id AND (pending.is_requested OR w.active AND w.paused_at IS NULL)
         OFFSET 0) AS w`,
  )
}
