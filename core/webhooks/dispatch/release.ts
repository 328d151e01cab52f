import type { EntityManager } from 'typeorm'
import type { Claim } from './claim.ts'
import { ownersOf } from '../../events/emit.ts'
import type { DueEndpoint } from './discover.ts'
import { asBefore, cancel, cancelled, isWithdrawn, summary } from './delivery-state.ts'

const interrupted = 'The worker stopped during this attempt. It is unknown whether the receiver accepted the delivery.'

/** SQL for the state of a released delivery: due now ($1), or failed if it may not be sent again. */
const released = (again: string) => ({
  status: `CASE WHEN NOT (${again}) THEN 'failed' WHEN ${isWithdrawn} THEN ${cancelled} ELSE 'pending' END`,
  nextAttemptAt: `CASE WHEN (${again}) AND NOT ${isWithdrawn} THEN $1::timestamptz END`,
})

/** SQL that records an attempt whose outcome is unknown. */
const interruption = `
  response_status = ${summary('response_status', 'NULL')}, response_body = ${summary('response_body', 'NULL')},
  error = ${summary('error', `'${interrupted}'`)}, lease_token = NULL, lease_until = NULL`

const isManual = `d.trigger = 'manual'`
const lost = released(`d.trigger <> 'test' AND d.scheduled_attempts < $2`)
const stopped = released(`d.trigger <> 'test'`)

/**
 * Releases deliveries whose lease has expired and returns their endpoints. The attempt counts: after the last one the
 * delivery fails, and after a manual one it returns to its former state.
 */
export function releaseExpired(
  db: EntityManager,
  now: Date,
  { attempts, leaseMs }: { attempts: number; leaseMs: number },
): Promise<DueEndpoint[]> {
  return db.query(
    `WITH lost AS (
       SELECT id, trigger, lease_until FROM webhook_deliveries
        WHERE status = 'in_flight' AND lease_until < $1 LIMIT 1000 FOR UPDATE SKIP LOCKED
     ), given_back AS (
       UPDATE webhook_deliveries d
          SET status = CASE WHEN ${isManual} THEN ${asBefore.status} ELSE ${lost.status} END,
              next_attempt_at = CASE WHEN ${isManual} THEN ${asBefore.nextAttemptAt} ELSE ${lost.nextAttemptAt} END,
              trigger = CASE WHEN ${isManual} THEN ${asBefore.trigger} ELSE d.trigger END,
              resume_at = NULL, ${interruption}
         FROM lost WHERE d.id = lost.id
       RETURNING d.id, d.webhook_id, d.attempt_count, lost.trigger, lost.lease_until, d.next_attempt_at
     ), noted AS (
       INSERT INTO webhook_attempts (delivery_id, number, trigger, started_at, duration_ms, error)
       SELECT id, attempt_count, trigger, lease_until - $3 * interval '1 ms', $3, '${interrupted}' FROM given_back
     )
     SELECT w.id, ${ownersOf} AS owners, next_attempt_at AS "dueAt"
       FROM given_back JOIN webhooks w ON w.id = webhook_id WHERE next_attempt_at IS NOT NULL`,
    [now, attempts, leaseMs],
  )
}

/** Releases the deliveries of a process that stops. The attempt does not count against the retry schedule. */
export async function releaseClaims(db: EntityManager, claims: Claim[], now: Date): Promise<void> {
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

/**
 * Cancels pending deliveries of webhooks that were deleted and are inactive. Deleting a webhook cancels its deliveries
 * at once; this finds those that an event created at the same moment, and those of a webhook that was deactivated later.
 */
export async function cancelWithdrawn(db: EntityManager): Promise<void> {
  await db.query(
    `UPDATE webhook_deliveries d SET ${cancel}
       FROM (SELECT waiting.id FROM webhooks w JOIN webhook_deliveries waiting ON waiting.webhook_id = w.id
              WHERE w.deleted_at IS NOT NULL AND NOT w.active AND waiting.status = 'pending'
              LIMIT 1000 FOR UPDATE OF waiting SKIP LOCKED) AS vain
      WHERE d.id = vain.id`,
  )
}
