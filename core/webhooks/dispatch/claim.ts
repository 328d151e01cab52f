import { randomUUID } from 'node:crypto'
import type { EntityManager } from 'typeorm'
import { queryPrepared } from '../../base/prepared.ts'
import type { WebhookDeliveryRow, WebhookRow } from '../entity.ts'
import { type BreakerRules, capacityOf } from './breaker.ts'
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
  /** The ids of its organization, if it has one, and of the user who created it. */
  owners: string[]
  /** The earliest time of its deliveries that are not due yet. */
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
  /** The maximum number of deliveries of one endpoint that all processes together have in flight. */
  perEndpoint: number
  /** Manual and test deliveries are sent as long as fewer than this many deliveries of the endpoint are in flight. */
  maxRequested: number
  leaseMs: number
  breaker: BreakerRules
}

export interface Claimed {
  claims: Claim[]
  endpoints: ClaimedEndpoint[]
  /** The ids of endpoints that another process is claiming from. */
  locked: string[]
}

type ClaimedEndpoint = Endpoint & {
  /** How many scheduled deliveries all processes together may have in flight. */
  capacity: number
  /** Deliveries that were in flight before this claim. */
  busy: number
  taken: number
}

/**
 * Claims due deliveries of these endpoints, at most the given share of each. Each endpoint is locked before its
 * deliveries in flight are counted, so that the limits hold for all processes together. The attempt counts from here on: after a crash it is unknown whether the receiver got it.
 */
export function claimDue(
  db: EntityManager,
  shares: ReadonlyMap<string, number>,
  now: Date,
  { perEndpoint, maxRequested, leaseMs, breaker }: ClaimRules,
): Promise<Claimed> {
  return db.transaction(async (tx) => {
    const found = await lockEndpoints(tx, [...shares.keys()], now)
    const ours = new Set(found.map(({ id }) => id))
    const locked = [...shares.keys()].filter((id) => !ours.has(id))
    const endpoints = found.filter(isFound)
    if (endpoints.length === 0) return { claims: [], endpoints: [], locked }
    const byId = new Map<string, ClaimedEndpoint>()
    for (const one of endpoints) {
      const capacity = maySend(one) ? capacityOf(one, now, perEndpoint, breaker) : 0
      byId.set(one.id, { ...one, capacity, busy: 0, taken: 0 })
    }
    const token = randomUUID()
    type Row = Omit<Claim, 'endpoint' | 'token'> & { endpointId: string; busy: number }
    const rows = await queryPrepared<Row>(tx, { name: 'take-deliveries', text: take }, [
      endpoints.map(({ id }) => id),
      [...byId.values()].map(({ capacity }) => capacity),
      endpoints.map(({ id }) => shares.get(id)),
      endpoints.map((one) => (maySend(one) ? 'manual,test' : 'test')),
      now,
      maxRequested,
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
      claims.push({ ...row, endpoint, token })
    }
    return { claims, endpoints: [...byId.values()], locked }
  })
}

type Missing = { id: string; url: null }

const isFound = (found: Endpoint | Missing): found is Endpoint => found.url !== null

/** A deleted webhook may send: the events about the end of a project are delivered after it. */
const maySend = ({ active, pausedAt }: Endpoint) => active && pausedAt === null

/** The namespace of the advisory locks: "take" in ASCII. */
const takeLock = 0x74616b65

/**
 * Uses an advisory lock, so that writers of the row do not block claims. The transaction does not wait for the disk:
 * a claim that is lost when the database crashes is simply made again.
 */
const lockEndpoints = (tx: EntityManager, webhookIds: string[], now: Date): Promise<(Endpoint | Missing)[]> =>
  queryPrepared(
    tx,
    {
      name: 'lock-endpoints',
      text: `WITH requested AS MATERIALIZED (
       SELECT id FROM unnest($1::text[]) AS id
     ), locked AS MATERIALIZED (
       SELECT id FROM requested WHERE pg_try_advisory_xact_lock(${takeLock}, hashtext(id))
     )
     SELECT locked.id, w.url, w.secret, w.previous_secret AS "previousSecret",
            w.previous_secret_until AS "previousSecretUntil", w.active, w.paused_at AS "pausedAt",
            ${ownersOf} AS owners,
            w.failing_since AS "failingSince", w.failures_in_row AS "failuresInRow", w.open_until AS "openUntil",
            set_config('synchronous_commit', 'off', true) AS unflushed,
            (SELECT min(d.next_attempt_at) FROM webhook_deliveries d
              WHERE d.webhook_id = w.id AND d.status = 'pending' AND d.next_attempt_at > $2) AS "nextAttemptAt"
       FROM locked LEFT JOIN webhooks w ON w.id = locked.id`,
    },
    [webhookIds, now],
  )

/** Manual and test deliveries go first and ignore the circuit breaker. */
const take = `
  WITH endpoint AS (
    SELECT e.*, (SELECT count(*)::integer FROM webhook_deliveries d
                  WHERE d.webhook_id = e.id AND d.status = 'in_flight') AS busy
      FROM unnest($1::text[], $2::integer[], $3::integer[], $4::text[]) AS e(id, capacity, share, triggers)
  ), requested AS (
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
       LIMIT greatest(0, least(e.capacity - e.busy, e.share) - (SELECT count(*) FROM requested a WHERE a.webhook_id = e.id))
       FOR UPDATE SKIP LOCKED) AS due
  ), claimed AS (
    UPDATE webhook_deliveries d
       SET status = 'in_flight', next_attempt_at = NULL, lease_token = $7, lease_until = $8,
           attempt_count = attempt_count + 1,
           scheduled_attempts = scheduled_attempts + (trigger = 'scheduled')::integer
      FROM (SELECT id FROM requested UNION ALL SELECT id FROM scheduled) AS taken
     WHERE d.id = taken.id
    RETURNING d.*
  )
  SELECT e.id AS "endpointId", e.busy, c.id, c.webhook_id AS "webhookId", c.event, c.body,
         c.attempt_count AS "attemptCount", c.scheduled_attempts AS "scheduledAttempts", c.trigger
    FROM endpoint e LEFT JOIN claimed c ON c.webhook_id = e.id`
