import type { Context } from '../base/context.ts'
import { cancel } from './dispatch/put-back.ts'

/**
 * Ends the webhooks of what is deleted, in the same transaction, after its events: they get none any more, and what
 * waits is still delivered, the news of the deletion among it, also by those that were paused; what waits for one that
 * is not active is cancelled, since nobody can activate it any more. In the list of no one they are left until they are purged.
 */
export async function retireWebhooks(
  tx: Pick<Context, 'db' | 'now'>,
  { organizationId = null, projectIds }: { organizationId?: string | null; projectIds: readonly string[] },
): Promise<void> {
  // In the order in which who delivers locks them, too.
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
