import type { Context } from '../base/context.ts'
import { deliveriesChannel } from '../events/emit.ts'

/** Tells who delivers, once the transaction is through, that there may be something to send for this webhook. */
export async function wakeDispatcher(db: Context['db'], webhookId: string): Promise<void> {
  await db.query('SELECT pg_notify($1, $2)', [deliveriesChannel, webhookId])
}
