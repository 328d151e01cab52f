import { randomUUID } from 'node:crypto'
import type { EntityManager } from 'typeorm'
import type { WebhookDeliveryRow, WebhookRow } from '../entity.ts'
import { type BreakerRules, roomOf } from './breaker.ts'
import { ownersOf } from './owners.ts'

export type Endpoint = Pick<
  WebhookRow,
  | 'id'
  | 'url'
  | 'secret'
  | 'previousSecret'
  | 'previousSecretUntil'
  | 'active'
  | 'pausedAt'
  | 'failingSince'
  | 'failuresInRow'
  | 'openUntil'
> & {
  /** The organization, if it is for one, and who made it. */
  owners: string[]
  /** Of what is not due yet. */
  nextAttemptAt: Date | null
}

export interface Claim extends Pick<
  WebhookDeliveryRow,
  'id' | 'event' | 'body' | 'attemptCount' | 'scheduledAttempts' | 'trigger' | 'webhookId'
> {
  endpoint: Endpoint
  token: string
}

export interface ClaimRules {
  /** Deliveries that somebody asked for and waits for may be under way beyond what else may, up to so many of an endpoint. */
  mostAsked: number
  leaseMs: number
  breaker: BreakerRules
}

export interface Claimed {
  claims: Claim[]
  /** Those that were looked at. */
  endpoints: Looked[]
  /** Those that somebody else is at work on. */
  locked: string[]
}

type Looked = Endpoint & {
  /** Deliveries that all processes together may have under way of what the schedule sends. */
  room: number
  /** That were under way before. */
  busy: number
  taken: number
  /** Those of them that somebody asked for. */
  asked: number
}

/**
 * Takes what is due for these endpoints, of each at most its share, which is also what all processes together may have
 * under way of it. Each is locked first, and only then counted, so that several processes together
 * stay below the cap. An attempt counts from here on: after a crash nobody knows whether the receiver has seen it.
 */
export function claimDue(
  db: EntityManager,
  shares: ReadonlyMap<string, number>,
  now: Date,
  { mostAsked, leaseMs, breaker }: ClaimRules,
): Promise<Claimed> {
  return db.transaction(async (tx) => {
    const found = await lockEndpoints(tx, [...shares.keys()], now)
    const ours = new Set(found.map(({ id }) => id))
    const locked = [...shares.keys()].filter((id) => !ours.has(id))
    const endpoints = found.filter(isThere)
    if (endpoints.length === 0) return { claims: [], endpoints: [], locked }
    const byId = new Map<string, Looked>()
    for (const one of endpoints) {
      const room = maySend(one) ? roomOf(one, now, shares.get(one.id) ?? 0, breaker) : 0
      byId.set(one.id, { ...one, room, busy: 0, taken: 0, asked: 0 })
    }
    const token = randomUUID()
    const rows = await tx.query<(Omit<Claim, 'endpoint' | 'token'> & { endpointId: string; busy: number })[]>(take, [
      endpoints.map(({ id }) => id),
      [...byId.values()].map(({ room }) => room),
      endpoints.map(({ id }) => shares.get(id)),
      endpoints.map((one) => (maySend(one) ? 'manual,test' : 'test')),
      now,
      mostAsked,
      token,
      new Date(now.getTime() + leaseMs),
    ])
    const claims: Claim[] = []
    for (const { endpointId, busy, ...row } of rows) {
      const endpoint = byId.get(endpointId)
      if (!endpoint) continue
      endpoint.busy = busy
      if (row.id === null) continue
      endpoint.taken++
      if (row.trigger !== 'scheduled') endpoint.asked++
      claims.push({ ...row, endpoint, token })
    }
    return { claims, endpoints: [...byId.values()], locked }
  })
}

type Missing = { id: string; url: null }

const isThere = (found: Endpoint | Missing): found is Endpoint => found.url !== null

/** What is told of a project's end goes out after it, so that being deleted is no reason to keep anything back. */
const maySend = ({ active, pausedAt }: Endpoint) => active && pausedAt === null

/** Held while deliveries of an endpoint are taken; the number says "take" and nothing else. */
const takeLock = 0x74616b65

/**
 * By a lock that only those who take deliveries know, so that nobody who writes to the row keeps them waiting. A claim
 * that a crash of the database forgets is one that somebody makes again; it does not wait for the disk.
 */
const lockEndpoints = (tx: EntityManager, webhookIds: string[], now: Date): Promise<(Endpoint | Missing)[]> =>
  tx.query(
    `WITH asked AS MATERIALIZED (
       SELECT id FROM unnest($1::text[]) AS id
     ), locked AS MATERIALIZED (
       SELECT id FROM asked WHERE pg_try_advisory_xact_lock(${takeLock}, hashtext(id))
     )
     SELECT locked.id, w.url, w.secret, w.previous_secret AS "previousSecret",
            w.previous_secret_until AS "previousSecretUntil", w.active, w.paused_at AS "pausedAt",
            ${ownersOf} AS owners,
            w.failing_since AS "failingSince", w.failures_in_row AS "failuresInRow", w.open_until AS "openUntil",
            set_config('synchronous_commit', 'off', true) AS unflushed,
            (SELECT min(d.next_attempt_at) FROM webhook_deliveries d
              WHERE d.webhook_id = w.id AND d.status = 'pending' AND d.next_attempt_at > $2) AS "nextAttemptAt"
       FROM locked LEFT JOIN webhooks w ON w.id = locked.id`,
    [webhookIds, now],
  )

/** What somebody waits for goes first and past the breaker. */
const take = `
  WITH endpoint AS (
    SELECT e.*, (SELECT count(*)::integer FROM webhook_deliveries d
                  WHERE d.webhook_id = e.id AND d.status = 'in_flight') AS busy
      FROM unnest($1::text[], $2::integer[], $3::integer[], $4::text[]) AS e(id, room, share, triggers)
  ), asked AS (
    SELECT due.id, due.webhook_id FROM endpoint e CROSS JOIN LATERAL (
      SELECT d.id, d.webhook_id FROM webhook_deliveries d
       WHERE d.webhook_id = e.id AND d.status = 'pending' AND d.trigger <> 'scheduled'
         AND d.trigger = ANY(string_to_array(e.triggers, ',')) AND d.next_attempt_at <= $5
       LIMIT greatest(0, least($6 - e.busy, e.share)) FOR UPDATE SKIP LOCKED) AS due
  ), scheduled AS (
    SELECT due.id FROM endpoint e CROSS JOIN LATERAL (
      SELECT d.id FROM webhook_deliveries d
       WHERE d.webhook_id = e.id AND d.status = 'pending' AND d.trigger = 'scheduled' AND d.next_attempt_at <= $5
       ORDER BY d.next_attempt_at
       LIMIT greatest(0, least(e.room - e.busy, e.share) - (SELECT count(*) FROM asked a WHERE a.webhook_id = e.id))
       FOR UPDATE SKIP LOCKED) AS due
  ), claimed AS (
    UPDATE webhook_deliveries d
       SET status = 'in_flight', next_attempt_at = NULL, lease_token = $7, lease_until = $8,
           attempt_count = attempt_count + 1,
           scheduled_attempts = scheduled_attempts + (trigger = 'scheduled')::integer
      FROM (SELECT id FROM asked UNION ALL SELECT id FROM scheduled) AS taken
     WHERE d.id = taken.id
    RETURNING d.*
  )
  SELECT e.id AS "endpointId", e.busy, c.id, c.webhook_id AS "webhookId", c.event, c.body,
         c.attempt_count AS "attemptCount", c.scheduled_attempts AS "scheduledAttempts", c.trigger
    FROM endpoint e LEFT JOIN claimed c ON c.webhook_id = e.id`
