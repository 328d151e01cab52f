import type { Context } from '../base/context.ts'
import { deliveriesChannel } from '../events/emit.ts'

/** Notifies the dispatchers, when the transaction commits, that deliveries of this webhook may be due. */
export async function notifyDispatchers(db: Context['db'], webhookId: string): Promise<void> {
  await db.query('SELECT pg_notify($1, $2)', [deliveriesChannel, webhookId])
}
