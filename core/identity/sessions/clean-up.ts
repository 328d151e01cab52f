import type { EntityManager } from 'typeorm'

/** How long an ended session is kept, to tell its owner apart from somebody who never had one. */
const keptMs = 86_400_000

/** Deletes sessions that ended a day ago or earlier, and flows and one-time tokens whose time is over. */
export async function cleanUpSignIns(db: EntityManager, now: Date): Promise<void> {
  await db.query('DELETE FROM sessions WHERE expires_at < $1 OR revoked_at < $1', [new Date(now.getTime() - keptMs)])
  await db.query('DELETE FROM oauth_flows WHERE expires_at < $1', [now])
  await db.query('DELETE FROM one_time_tokens WHERE expires_at < $1', [now])
  await db.query('DELETE FROM rate_limits WHERE expire < $1', [now.getTime()])
}
