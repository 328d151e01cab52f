import type { EntityManager } from 'typeorm'
import { cancel } from './put-back.ts'

/**
 * Cancels what waits for webhooks that nobody can activate any more. Who deletes a webhook does so at once; this finds
 * what came at the same moment, and what waited when one that was deleted was deactivated.
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
