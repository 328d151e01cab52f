import type { EntityManager } from 'typeorm'

/** An ended session is kept this long, so that the answer to its token says that it has ended. */
const keptMs = 86_400_000

/** Deletes sessions that ended at least a day ago, and expired sign-in flows and one-time tokens. */
export async function cleanUpSignIns(db: EntityManager, now: Date): Promise<void> {
  await db.query('DELETE FROM sessions WHERE expires_at < $1 OR revoked_at < $1', [new Date(now.getTime() - keptMs)])
  await db.query('DELETE FROM oauth_flows WHERE expires_at < $1', [now])
  await db.query('DELETE FROM one_time_tokens WHERE expires_at < $1', [now])
  await db.query('DELETE FROM rate_limits WHERE expire < $1', [now.getTime()])
}
