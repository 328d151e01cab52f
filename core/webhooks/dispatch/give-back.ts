import type { EntityManager } from 'typeorm'
import type { Claim } from './claim.ts'
import type { Expected } from './discover.ts'
import { asBefore, cancelled, isWithdrawn, summary } from './put-back.ts'

const interrupted = 'The worker stopped during this attempt. It is unknown whether the receiver accepted the delivery.'

/** SQL that sets a delivery free: to be sent at once ($1 is now), or failed where it may not be sent again. */
const released = (again: string) => ({
  status: `CASE WHEN NOT (${again}) THEN 'failed' WHEN ${isWithdrawn} THEN ${cancelled} ELSE 'pending' END`,
  nextAttemptAt: `CASE WHEN (${again}) AND NOT ${isWithdrawn} THEN $1::timestamptz END`,
})

/** SQL that notes an attempt of which nobody knows the end. */
const interruption = `
  response_status = ${summary('response_status', 'NULL')}, response_body = ${summary('response_body', 'NULL')},
  error = ${summary('error', `'${interrupted}'`)}, lease_token = NULL, lease_until = NULL`

/** SQL: somebody asked for what is under way. */
const isAsked = `d.trigger = 'manual'`
const lost = released(`d.trigger <> 'test' AND d.scheduled_attempts < $2`)
const stopped = released(`d.trigger <> 'test'`)

/**
 * Puts back what was taken by somebody who has not been heard of since, and answers what to look at. The attempt counts:
 * after the last one nothing follows, and after one that somebody asked for all is as it was before.
 */
export function reap(
  db: EntityManager,
  now: Date,
  { attempts, leaseMs }: { attempts: number; leaseMs: number },
): Promise<Expected[]> {
  return db.query(
    `WITH lost AS (
       SELECT id, trigger, lease_until FROM webhook_deliveries
        WHERE status = 'in_flight' AND lease_until < $1 LIMIT 1000 FOR UPDATE SKIP LOCKED
     ), given_back AS (
       UPDATE webhook_deliveries d
          SET status = CASE WHEN ${isAsked} THEN ${asBefore.status} ELSE ${lost.status} END,
              next_attempt_at = CASE WHEN ${isAsked} THEN ${asBefore.nextAttemptAt} ELSE ${lost.nextAttemptAt} END,
              trigger = CASE WHEN ${isAsked} THEN ${asBefore.trigger} ELSE d.trigger END,
              resume_at = NULL, ${interruption}
         FROM lost WHERE d.id = lost.id
       RETURNING d.id, d.webhook_id, d.attempt_count, lost.trigger, lost.lease_until, d.next_attempt_at
     ), noted AS (
       INSERT INTO webhook_attempts (delivery_id, number, trigger, started_at, duration_ms, error)
       SELECT id, attempt_count, trigger, lease_until - $3 * interval '1 ms', $3, '${interrupted}' FROM given_back
     )
     SELECT webhook_id AS "webhookId", next_attempt_at AS "nextAttemptAt"
       FROM given_back WHERE next_attempt_at IS NOT NULL`,
    [now, attempts, leaseMs],
  )
}

/** Puts back what is under way here, as this program stops; that does not cost an attempt of the schedule. */
export async function giveBack(db: EntityManager, claims: Claim[], now: Date): Promise<void> {
  await db.query(
    `WITH given_back AS (
       UPDATE webhook_deliveries d
          SET status = ${stopped.status}, next_attempt_at = ${stopped.nextAttemptAt}, ${interruption},
              scheduled_attempts = d.scheduled_attempts - (d.trigger = 'scheduled')::integer
         FROM unnest($2::text[], $3::uuid[]) AS held(id, token) WHERE d.id = held.id AND d.lease_token = held.token
       RETURNING d.id, d.attempt_count, d.trigger
     )
     INSERT INTO webhook_attempts (delivery_id, number, trigger, started_at, duration_ms, error)
     SELECT id, attempt_count, trigger, $1, 0, '${interrupted}' FROM given_back`,
    [now, claims.map(({ id }) => id), claims.map(({ token }) => token)],
  )
}
