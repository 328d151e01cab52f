import type { Context } from '../context.ts'

/**
 * Ends the webhooks of what is deleted, in the same transaction, after its events: they get none any more, and what
 * waits is still delivered, the news of the deletion among it. In the list of no one they are left until they are purged.
 */
export async function retireWebhooks(
  tx: Pick<Context, 'db' | 'now'>,
  { organizationId = null, projectIds }: { organizationId?: string | null; projectIds: readonly string[] },
): Promise<void> {
  await tx.db.query(
    `UPDATE webhooks SET deleted_at = $3, updated_at = $3
      WHERE deleted_at IS NULL AND (project_id = ANY ($1) OR organization_id = $2)`,
    [projectIds, organizationId, tx.now()],
  )
}
