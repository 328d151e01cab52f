import type { EntityManager } from 'typeorm'

/** Deliveries are listed, and duplicates recognized, for this long. */
const keptMs = 30 * 86_400_000

/** Deletes deliveries older than 30 days, with their outcomes. */
export async function cleanUpDeliveries(db: EntityManager, now: Date): Promise<void> {
  await db.query('DELETE FROM inbound_deliveries WHERE received_at < $1', [new Date(now.getTime() - keptMs)])
}
