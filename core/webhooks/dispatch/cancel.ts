import type { EntityManager } from 'typeorm'
import { cancel } from './delivery-state.ts'

/**
 * Cancels pending deliveries of webhooks that were deleted and are inactive. Deleting a webhook cancels its deliveries
 * at once; this finds those that an event created at the same moment, and those of a webhook that was deactivated later.
 */
export async function cancelWithdrawn(db: EntityManager): Promise<void> {
  await db.query(
    `UPDATE webhook_deliveries d SET ${cancel}
       FROM (SELECT waiting.id FROM webhooks w JOIN webhook_deliveries waiting ON waiting.webhook_id = w.id
              WHERE w.deleted_at IS NOT NULL AND NOT w.active AND waiting.status = 'pending'
              LIMIT 1000 FOR UPDATE OF waiting SKIP LOCKED) AS vain
      WHERE d.id = vain.id`,
  )
}
