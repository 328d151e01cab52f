import { randomUUID } from 'node:crypto'
import type { EntityManager } from 'typeorm'
import { queryPrepared } from '../../base/prepared.ts'
import type { WebhookDeliveryRow, WebhookRow } from '../entity.ts'
import { type BreakerRules, capacityOf, type Health } from './breaker.ts'
import type { Endpoint, Share } from './due-endpoints.ts'

export interface Claim extends Pick<
  WebhookDeliveryRow,
  'id' | 'event' | 'body' | 'attemptCount' | 'scheduledAttempts' | 'trigger'
> {
  endpoint: Endpoint
  webhook: Pick<WebhookRow, 'id' | 'url' | 'secret' | 'previousSecret' | 'previousSecretUntil'>
  token: string
}

export interface ClaimRules {
  /** The maximum number of deliveries of one endpoint that all processes together have in flight. */
  perEndpoint: number
  leaseMs: number
  breaker: BreakerRules
}

/** The claims of a share, and when to claim from its endpoint again. */
export interface Claimed extends Share {
  claims: Claim[]
  /** When deliveries may be due; null if it is not known. */
  dueAt: Date | null
  /** Whether the endpoint has as many deliveries in flight as it may. */
  isFull: boolean
}

/** Extra slots per endpoint for manual and test deliveries, so that a backlog does not delay them. */
const extraForRequested = 2
/** When to retry an endpoint that another process is claiming from. */
const lockedRetryMs = 5

/**
 * Claims due deliveries of these endpoints. Each endpoint is locked before its deliveries in flight are counted, so that
 * the limits hold for all processes together. The attempt counts from here on: after a crash it is unknown whether the
 * receiver got it.
 */
export function claimDue(
  db: EntityManager,
  shares: readonly Share[],
  now: Date,
  rules: ClaimRules,
): Promise<Claimed[]> {
  const maxRequested = rules.perEndpoint + extraForRequested
  const token = randomUUID()
  return db.transaction(async (tx) => {
    const webhooks = await lockWebhooks(tx, shares, now, rules)
    const locked = shares.filter(({ endpoint }) => webhooks.get(endpoint.id)?.isLocked)
    const rows = await queryPrepared<TakenRow>(tx, takeDeliveries, [
      locked.map(({ endpoint }) => endpoint.id),
      locked.map(({ endpoint }) => webhooks.get(endpoint.id)?.capacity),
      locked.map(({ maxClaims }) => maxClaims),
      locked.map(({ endpoint }) => webhooks.get(endpoint.id)?.triggers),
      now,
      maxRequested,
      token,
      new Date(now.getTime() + rules.leaseMs),
    ])
    const rowsOf = Map.groupBy(rows, ({ webhookId }) => webhookId)
    return shares.map((share): Claimed => {
      const webhook = webhooks.get(share.endpoint.id)
      if (!webhook) return { ...share, claims: [], dueAt: null, isFull: false }
      if (!webhook.isLocked) {
        return { ...share, claims: [], dueAt: new Date(now.getTime() + lockedRetryMs), isFull: false }
      }
      const taken = rowsOf.get(webhook.id) ?? []
      const claims = taken.flatMap(({ id, ...row }) =>
        id === null ? [] : [{ ...row, id, endpoint: share.endpoint, webhook, token }],
      )
      // The share allowed no more, but more may be due.
      if (claims.length === share.maxClaims) return { ...share, claims, dueAt: now, isFull: false }
      const inFlight = (taken[0]?.busy ?? 0) + claims.length
      return { ...share, claims, dueAt: webhook.dueAt, isFull: inFlight >= (webhook.capacity || maxRequested) }
    })
  })
}

type Webhook = Claim['webhook'] & {
  /** False if another process is claiming from it. */
  isLocked: boolean
  /** How many scheduled deliveries all processes together may have in flight. */
  capacity: number
  /** Which deliveries may be sent although the capacity is 0. */
  triggers: 'manual,test' | 'test'
  /** The earliest time at which deliveries become due that are not due yet. */
  dueAt: Date | null
}

/** The namespace of the advisory locks: "take" in ASCII. */
const lockSpace = 0x74616b65

/**
 * Uses advisory locks, so that writers of the rows do not block claims. The transaction does not wait for the disk: a
 * claim that is lost when the database crashes is simply made again.
 */
async function lockWebhooks(
  tx: EntityManager,
  shares: readonly Share[],
  now: Date,
  { perEndpoint, breaker }: ClaimRules,
): Promise<Map<string, Webhook>> {
  const statement = {
    name: 'lock-webhooks-to-claim',
    text: `
      SELECT w.id, w.url, w.secret, w.previous_secret AS "previousSecret",
             w.previous_secret_until AS "previousSecretUntil", w.active, w.paused_at AS "pausedAt",
             w.failing_since AS "failingSince", w.failures_in_row AS "failuresInRow", w.open_until AS "openUntil",
             pg_try_advisory_xact_lock(${lockSpace}, hashtext(w.id)) AS "isLocked",
             set_config('synchronous_commit', 'off', true) AS unflushed,
             least((SELECT min(d.next_attempt_at) FROM webhook_deliveries d
                     WHERE d.webhook_id = w.id AND d.status = 'pending' AND d.next_attempt_at > $2),
                   CASE WHEN w.open_until > $2 THEN w.open_until END) AS "dueAt"
        FROM webhooks w WHERE w.id = ANY ($1::text[])`,
  }
  type Row = Omit<Webhook, 'capacity' | 'triggers'> & Health & Pick<WebhookRow, 'active' | 'pausedAt'>
  const rows = await queryPrepared<Row>(tx, statement, [shares.map(({ endpoint }) => endpoint.id), now])
  return new Map(
    rows.map(({ active, pausedAt, ...row }) => {
      // A deleted webhook may send: the events about the end of a project are delivered after it.
      const maySend = active && pausedAt === null
      const capacity = maySend ? capacityOf(row, now, perEndpoint, breaker) : 0
      return [row.id, { ...row, capacity, triggers: maySend ? 'manual,test' : 'test' }]
    }),
  )
}

type TakenRow = Omit<Claim, 'id' | 'endpoint' | 'webhook' | 'token'> & {
  webhookId: string
  /** Deliveries that were in flight before. */
  busy: number
  /** Null in the only row of a webhook without a due delivery. */
  id: string | null
}

/** Manual and test deliveries go first and ignore the circuit breaker. */
const takeDeliveries = {
  name: 'take-deliveries',
  text: `
    WITH endpoint AS (
      SELECT e.*, (SELECT count(*)::integer FROM webhook_deliveries d
                    WHERE d.webhook_id = e.id AND d.status = 'in_flight') AS busy
        FROM unnest($1::text[], $2::integer[], $3::integer[], $4::text[]) AS e(id, capacity, max, triggers)
    ), requested AS (
      SELECT due.id, due.webhook_id FROM endpoint e CROSS JOIN LATERAL (
        SELECT d.id, d.webhook_id FROM webhook_deliveries d
         WHERE d.webhook_id = e.id AND d.status = 'pending' AND d.trigger <> 'scheduled'
           AND d.trigger = ANY(string_to_array(e.triggers, ',')) AND d.next_attempt_at <= $5
         LIMIT greatest(0, least($6 - e.busy, e.max)) FOR UPDATE SKIP LOCKED) AS due
    ), scheduled AS (
      SELECT due.id FROM endpoint e CROSS JOIN LATERAL (
        SELECT d.id FROM webhook_deliveries d
         WHERE d.webhook_id = e.id AND d.status = 'pending' AND d.trigger = 'scheduled' AND d.next_attempt_at <= $5
         ORDER BY d.next_attempt_at
         LIMIT greatest(0, least(e.capacity - e.busy, e.max) - (SELECT count(*) FROM requested r WHERE r.webhook_id = e.id))
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
    SELECT e.id AS "webhookId", e.busy, c.id, c.event, c.body,
           c.attempt_count AS "attemptCount", c.scheduled_attempts AS "scheduledAttempts", c.trigger
      FROM endpoint e LEFT JOIN claimed c ON c.webhook_id = e.id`,
}
