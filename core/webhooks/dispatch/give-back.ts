import type { EntityManager } from 'typeorm'
import type { Claim } from './claim.ts'

const interrupted = 'The worker stopped during this attempt; whether the receiver took it is not known.'

/**
 * Puts back what was taken by somebody who has not been heard of since, and answers what to look at. The attempt counts,
 * and where it was the last one, nothing follows.
 */
export function reap(
  db: EntityManager,
  now: Date,
  { attempts, leaseMs }: { attempts: number; leaseMs: number },
): Promise<{ webhookId: string }[]> {
  return db.query(
    `WITH lost AS (
       SELECT id, lease_until FROM webhook_deliveries
        WHERE status = 'in_flight' AND lease_until < $1 LIMIT 1000 FOR UPDATE SKIP LOCKED
     ), given_back AS (
       UPDATE webhook_deliveries d
          SET ${backToPending("d.trigger <> 'test' AND d.scheduled_attempts < $2")}
         FROM lost WHERE d.id = lost.id
       RETURNING d.id, d.webhook_id, d.attempt_count, d.trigger, lost.lease_until
     ), noted AS (
       INSERT INTO webhook_attempts (delivery_id, number, trigger, started_at, duration_ms, error)
       SELECT id, attempt_count, trigger, lease_until - $3 * interval '1 ms', $3, '${interrupted}' FROM given_back
     )
     SELECT DISTINCT webhook_id AS "webhookId" FROM given_back`,
    [now, attempts, leaseMs],
  )
}

/** Puts back what is under way here, as this program stops; that does not cost an attempt of the schedule. */
export async function giveBack(db: EntityManager, claims: Claim[], now: Date): Promise<void> {
  await db.query(
    `WITH given_back AS (
       UPDATE webhook_deliveries d
          SET ${backToPending("d.trigger <> 'test'")},
              scheduled_attempts = d.scheduled_attempts - (d.trigger = 'scheduled')::integer
         FROM unnest($2::text[], $3::uuid[]) AS held(id, token) WHERE d.id = held.id AND d.lease_token = held.token
       RETURNING d.id, d.attempt_count, d.trigger
     )
     INSERT INTO webhook_attempts (delivery_id, number, trigger, started_at, duration_ms, error)
     SELECT id, attempt_count, trigger, $1, 0, '${interrupted}' FROM given_back`,
    [now, claims.map(({ id }) => id), claims.map(({ token }) => token)],
  )
}

/** SQL that sets a delivery free: to be sent at once ($1 is now), or failed where it may not be sent again. */
const backToPending = (again: string) => `
  status = CASE WHEN ${withdrawn} THEN 'cancelled' WHEN ${again} THEN 'pending' ELSE 'failed' END,
  next_attempt_at = CASE WHEN ${again} AND NOT ${withdrawn} THEN $1::timestamptz END,
  error = '${interrupted}', lease_token = NULL, lease_until = NULL`

const withdrawn = `
  EXISTS (SELECT FROM webhooks w WHERE w.id = d.webhook_id AND w.deleted_at IS NOT NULL AND NOT w.active)`
