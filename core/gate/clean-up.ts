import type { EntityManager } from 'typeorm'

/** As long as the results of single tests by default. */
const keptMs = 90 * 86_400_000

/** Deletes gates that nothing has changed for a long time, and what is known of the uploads of old commits. */
export async function cleanUpGates(db: EntityManager, now: Date): Promise<void> {
  const before = new Date(now.getTime() - keptMs)
  await db.query(
    'DELETE FROM gates WHERE id IN (SELECT id FROM gates WHERE updated_at < $1 ORDER BY updated_at LIMIT 5000)',
    [before],
  )
  await db.query('DELETE FROM finished_uploads WHERE finished_at < $1', [before])
}
