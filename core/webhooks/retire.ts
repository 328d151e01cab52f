import type { Context } from '../base/context.ts'
import { cancel } from './dispatch/delivery-state.ts'

/**
 * Marks the webhooks of deleted projects or of a deleted organization as deleted, in the same transaction and after the
 * deletion events were emitted. Pending deliveries, including these events, are still sent, also if the webhook was
 * paused. Deliveries of inactive webhooks are cancelled, because no user can activate these webhooks any more.
 */
export async function retireWebhooks(
  tx: Pick<Context, 'db' | 'now'>,
  { organizationId = null, projectIds }: { organizationId?: string | null; projectIds: readonly string[] },
): Promise<void> {
  // The dispatchers lock webhooks in the same order, which prevents deadlocks.
  await tx.db.query(
    `WITH locked AS (
       SELECT id FROM webhooks WHERE deleted_at IS NULL AND (project_id = ANY ($1) OR organization_id = $2)
        ORDER BY id FOR NO KEY UPDATE
     )
     UPDATE webhooks w SET deleted_at = $3, updated_at = $3, paused_at = NULL FROM locked WHERE w.id = locked.id`,
    [projectIds, organizationId, tx.now()],
  )
  await tx.db.query(
    `UPDATE webhook_deliveries d SET ${cancel}
       FROM webhooks w
      WHERE w.id = d.webhook_id AND d.status = 'pending' AND NOT w.active
        AND (w.project_id = ANY ($1) OR w.organization_id = $2)`,
    [projectIds, organizationId],
  )
}
