import type { Context } from '../base/context.ts'
import { deliveriesChannel, webhookInNotification } from '../events/emit.ts'

/** Notifies the dispatchers, when the transaction commits, that deliveries of this webhook may be due. */
export async function notifyDispatchers(db: Context['db'], webhookId: string): Promise<void> {
  await db.query(`SELECT pg_notify($1, ${webhookInNotification}) FROM webhooks w WHERE w.id = $2`, [
    deliveriesChannel,
    webhookId,
  ])
}
