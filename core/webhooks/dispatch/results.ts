import type { EntityManager } from 'typeorm'
import { type AuditContext, recordAudit } from '../../identity/audit/record.ts'
import type { Services } from '../../base/context.ts'
import { queryPrepared } from '../../base/prepared.ts'
import type { AttemptOutcome } from '../attempt.ts'
import type { WebhookRow } from '../entity.ts'
import { afterAnswer, type BreakerRules, type Health, reasonToDisable } from './breaker.ts'
import type { Claim } from './claim.ts'
import { asBefore, summary } from './delivery-state.ts'
import { isSuccess, judge, type Verdict } from './schedule.ts'

export interface Result {
  claim: Claim
  outcome: AttemptOutcome
  endedAt: Date
}

export interface ResultRules {
  retryMs: readonly number[]
  breaker: BreakerRules
}

export type Written = Pick<Result, 'claim'> & { verdict: Verdict | { status: 'cancelled' } }

/**
 * Writes the outcomes of attempts and their consequences in one transaction. It skips deliveries that another process
 * has taken over.
 */
export function writeResults(
  services: Pick<Services, 'config' | 'log' | 'now' | 'auditChain'>,
  db: EntityManager,
  results: Result[],
  rules: ResultRules,
): Promise<Written[]> {
  return db.transaction(async (tx) => {
    const webhooks = await lockWebhooks(tx, results)
    const judged = results.flatMap((result) => {
      const webhook = webhooks.get(result.claim.webhook.id)
      return webhook ? [{ ...result, webhook, verdict: verdictOn(result, webhook, rules) }] : []
    })
    const ours = new Set(await writeDeliveries(tx, judged))
    const written = judged.filter(({ claim }) => ours.has(claim.id))
    for (const one of written) applyOutcome(one, rules.breaker)
    const changed = [...new Set(written.map(({ webhook }) => webhook))]
    await writeWebhooks(tx, changed, services.now())
    for (const webhook of changed) {
      if (webhook.disabledReason !== null) await recordDisabled({ ...services, db: tx, client: noClient }, webhook)
    }
    return written
  })
}

type Webhook = Health &
  Pick<WebhookRow, 'id' | 'url' | 'userId' | 'organizationId' | 'projectId' | 'active' | 'deletedAt'> & {
    /** The times of the deliveries that succeeded. */
    deliveredAt: Date[]
    /** Why one of the outcomes deactivates it. */
    disabledReason: string | null
  }

type Judged = Result & { webhook: Webhook; verdict: Written['verdict'] }

async function lockWebhooks(tx: EntityManager, results: Result[]): Promise<Map<string, Webhook>> {
  const rows = await queryPrepared<Omit<Webhook, 'deliveredAt' | 'disabledReason'>>(
    tx,
    {
      name: 'lock-webhooks',
      text: `SELECT id, url, user_id AS "userId", organization_id AS "organizationId", project_id AS "projectId", active,
            deleted_at AS "deletedAt", failing_since AS "failingSince", failures_in_row AS "failuresInRow",
            open_until AS "openUntil"
       FROM webhooks WHERE id = ANY($1) ORDER BY id FOR NO KEY UPDATE`,
    },
    [[...new Set(results.map(({ claim }) => claim.webhook.id))]],
  )
  return new Map(rows.map((row) => [row.id, { ...row, deliveredAt: [], disabledReason: null }]))
}

function verdictOn({ claim, outcome, endedAt }: Result, webhook: Webhook, { retryMs }: ResultRules): Judged['verdict'] {
  const scheduledAttempts = claim.trigger === 'test' ? null : claim.scheduledAttempts
  const verdict = judge(outcome, { retryMs, scheduledAttempts, at: endedAt })
  // Deleting a webhook deactivates it; a webhook that was deleted with its project stays active.
  const withdrawn = webhook.deletedAt !== null && !webhook.active
  return verdict.status === 'pending' && withdrawn ? { status: 'cancelled' } : verdict
}

/** Counts a success, and changes the health of the webhook. */
function applyOutcome({ webhook, claim, outcome, endedAt, verdict }: Judged, breaker: BreakerRules): void {
  if (verdict.status === 'succeeded') webhook.deliveredAt.push(endedAt)
  // The URL has changed since, so that this response says nothing about the current receiver.
  if (claim.webhook.url !== webhook.url) return
  // A failed test must not open the circuit breaker, but a successful one closes it.
  const isTest = claim.trigger === 'test'
  if (isTest && !isSuccess(outcome)) return
  Object.assign(webhook, afterAnswer(webhook, outcome, endedAt, breaker))
  const reason = isTest ? undefined : reasonToDisable(webhook, outcome, endedAt, breaker)
  if (webhook.active && reason !== undefined) Object.assign(webhook, { active: false, disabledReason: reason })
}

/** SQL for a failed manual attempt. */
const inVain = `(r.trigger = 'manual' AND r.status <> 'succeeded')`
const unlessInVain = (before: string, after: string) => `CASE WHEN ${inVain} THEN ${before} ELSE ${after} END`
const latest = (column: string, value: string) => unlessInVain(summary(column, value), value)

/** Writes the deliveries that this process still leases, and returns their ids. */
async function writeDeliveries(tx: EntityManager, judged: Judged[]): Promise<string[]> {
  const columns: unknown[][] = [
    judged.map(({ claim }) => claim.id),
    judged.map(({ claim }) => claim.token),
    judged.map(({ verdict }) => verdict.status),
    judged.map(({ verdict }) => ('nextAttemptAt' in verdict ? verdict.nextAttemptAt : null)),
    judged.map(({ outcome }) => outcome.responseStatus),
    judged.map(({ outcome }) => outcome.responseHead),
    judged.map(({ outcome, verdict }) => ('error' in verdict ? verdict.error : outcome.error)),
    judged.map(({ verdict, endedAt }) => (verdict.status === 'succeeded' ? endedAt : null)),
    judged.map(({ claim }) => claim.attemptCount),
    judged.map(({ claim }) => claim.trigger),
    judged.map(({ outcome }) => outcome.startedAt),
    judged.map(({ outcome }) => Math.round(outcome.durationMs)),
    judged.map(({ outcome }) => outcome.error),
    judged.map(({ outcome }) => outcome.address),
  ]
  const rows = await queryPrepared<{ id: string }>(
    tx,
    {
      name: 'write-deliveries',
      text: `WITH result AS (
       SELECT * FROM unnest($1::text[], $2::uuid[], $3::text[], $4::timestamptz[], $5::integer[], $6::text[], $7::text[],
                            $8::timestamptz[], $9::integer[], $10::text[], $11::timestamptz[], $12::integer[],
                            $13::text[], $14::text[])
         AS r(id, token, status, next_attempt_at, response_status, response_head, error, delivered_at, number, trigger,
              started_at, duration_ms, attempt_error, address)
     ), written AS (
       UPDATE webhook_deliveries d
          SET status = ${unlessInVain(asBefore.status, 'r.status')},
              next_attempt_at = ${unlessInVain(asBefore.nextAttemptAt, 'r.next_attempt_at')},
              trigger = ${unlessInVain(asBefore.trigger, `CASE WHEN r.status = 'pending' THEN 'scheduled' ELSE d.trigger END`)},
              resume_at = NULL, lease_token = NULL, lease_until = NULL,
              response_status = ${latest('response_status', 'r.response_status')},
              response_body = ${latest('response_body', 'r.response_head')},
              error = ${latest('error', `CASE WHEN r.status <> 'succeeded' THEN r.error END`)},
              delivered_at = coalesce(r.delivered_at, d.delivered_at)
         FROM result r WHERE d.id = r.id AND d.lease_token = r.token
       RETURNING d.id
     )
     INSERT INTO webhook_attempts (delivery_id, number, trigger, started_at, duration_ms, response_status, error,
                                   address, response_head)
     SELECT id, number, trigger, started_at, duration_ms, response_status, attempt_error, address, response_head
       FROM result JOIN written USING (id)
     RETURNING delivery_id AS id`,
    },
    columns,
  )
  return rows.map(({ id }) => id)
}

async function writeWebhooks(tx: EntityManager, webhooks: Webhook[], now: Date): Promise<void> {
  await queryPrepared(
    tx,
    {
      name: 'write-webhooks',
      text: `UPDATE webhooks w
        SET failing_since = r.failing_since, failures_in_row = r.failures_in_row, open_until = r.open_until,
            delivery_count = w.delivery_count + r.delivered,
            last_delivery_at = greatest(w.last_delivery_at, r.last_delivery_at),
            active = r.active, disabled_reason = coalesce(r.disabled_reason, w.disabled_reason),
            updated_at = CASE WHEN r.active <> w.active THEN $9 ELSE w.updated_at END
       FROM unnest($1::text[], $2::timestamptz[], $3::integer[], $4::timestamptz[], $5::integer[], $6::timestamptz[],
                   $7::boolean[], $8::text[])
         AS r(id, failing_since, failures_in_row, open_until, delivered, last_delivery_at, active, disabled_reason)
      WHERE w.id = r.id`,
    },
    [
      webhooks.map(({ id }) => id),
      webhooks.map(({ failingSince }) => failingSince),
      webhooks.map(({ failuresInRow }) => failuresInRow),
      webhooks.map(({ openUntil }) => openUntil),
      webhooks.map(({ deliveredAt }) => deliveredAt.length),
      webhooks.map(({ deliveredAt }) => deliveredAt.at(-1) ?? null),
      webhooks.map(({ active }) => active),
      webhooks.map(({ disabledReason }) => disabledReason),
      now,
    ],
  )
}

const noClient = { ipAddress: null, userAgent: null }

function recordDisabled(ctx: AuditContext, webhook: Webhook): Promise<void> {
  const { id: webhookId, userId, organizationId, projectId, disabledReason: reason } = webhook
  ctx.log.warn({ webhookId, reason }, 'a webhook was deactivated')
  return recordAudit(ctx, 'webhook_disabled', userId, { webhookId, organizationId, projectId, reason })
}
