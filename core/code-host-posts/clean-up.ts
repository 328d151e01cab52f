import type { EntityManager } from 'typeorm'

/** Check runs and comments are found again without their row, so it is only kept to save calls. */
const keptMs = 30 * 86_400_000

/** Deletes what is known of old posts, and rate limits that have ended. */
export async function cleanUpPosts(db: EntityManager, now: Date): Promise<void> {
  await db.query('DELETE FROM code_host_posts WHERE updated_at < $1 AND posted_version >= version', [
    new Date(now.getTime() - keptMs),
  ])
  await db.query('DELETE FROM code_host_limits WHERE until < $1', [now])
}
