import type { EntityManager } from 'typeorm'

/** As long as what came is shown, and a delivery that is sent again is known. */
const keptMs = 30 * 86_400_000

/** Deletes deliveries that arrived 30 days ago or earlier, with what is noted about them. */
export async function cleanUpDeliveries(db: EntityManager, now: Date): Promise<void> {
  await db.query('DELETE FROM inbound_deliveries WHERE received_at < $1', [new Date(now.getTime() - keptMs)])
}
