import type { EntityManager } from 'typeorm'

const keptMs = 30 * 86_400_000

/** Deletes events that happened 30 days ago or earlier. */
export async function cleanUpEvents(db: EntityManager, now: Date): Promise<void> {
  await db.query('DELETE FROM events WHERE created_at < $1', [new Date(now.getTime() - keptMs)])
}
