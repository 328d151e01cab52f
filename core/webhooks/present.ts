import { isAtLeast } from '../identity/organizations/roles.ts'
import type { Role } from '../identity/organizations/schema.ts'
import type { WebhookAttemptRow, WebhookDeliveryRow, WebhookRow } from './entity.ts'
import type { DeliveryAttempt, Webhook, WebhookDelivery, WebhookDeliveryDetail } from './schema.ts'

/**
 * @param now - times before it are not shown
 * @param reader - only admins see the query of the URL, because receivers put keys there
 */
export function presentWebhook(row: WebhookRow, now: Date, reader: Role): Webhook {
  const ahead = (time: Date | null) => (time !== null && time > now ? time.toISOString() : null)
  return {
    id: row.id,
    scope: row.projectId === null ? 'organization' : 'project',
    organizationId: row.organizationId,
    projectId: row.projectId,
    url: isAtLeast(reader, 'admin') ? row.url : row.url.replace(/\?.*$/s, '?…'),
    description: row.description,
    events: row.events,
    active: row.active,
    pausedAt: iso(row.pausedAt),
    disabledReason: row.disabledReason,
    failingSince: iso(row.failingSince),
    postponedUntil: ahead(row.openUntil),
    previousSecretUntil: ahead(row.previousSecretUntil),
    deliveryCount: row.deliveryCount,
    lastDeliveryAt: iso(row.lastDeliveryAt),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

export type ListedDelivery = Pick<
  WebhookDeliveryRow,
  | 'id'
  | 'webhookId'
  | 'event'
  | 'status'
  | 'trigger'
  | 'responseStatus'
  | 'error'
  | 'attemptCount'
  | 'nextAttemptAt'
  | 'deliveredAt'
  | 'createdAt'
>

/** @param openUntil - the circuit breaker of the webhook is open until then; only scheduled attempts wait for it */
export function presentDelivery(row: ListedDelivery, openUntil: Date | null = null): WebhookDelivery {
  const { nextAttemptAt } = row
  const waitsLonger = row.trigger === 'scheduled' && nextAttemptAt && openUntil && openUntil > nextAttemptAt
  return {
    id: row.id,
    webhookId: row.webhookId,
    event: row.event,
    status: row.status,
    trigger: row.trigger,
    responseStatus: row.responseStatus,
    error: row.error,
    attemptCount: row.attemptCount,
    nextRetryAt: row.status === 'pending' ? iso(waitsLonger ? openUntil : nextAttemptAt) : null,
    deliveredAt: iso(row.deliveredAt),
    createdAt: row.createdAt.toISOString(),
  }
}

export function presentDeliveryDetail(
  row: WebhookDeliveryRow,
  attempts: WebhookAttemptRow[],
  openUntil: Date | null,
): WebhookDeliveryDetail {
  return {
    ...presentDelivery(row, openUntil),
    payload: JSON.parse(row.body),
    responseBody: row.responseBody,
    attempts: attempts.map(presentAttempt),
  }
}

function presentAttempt(row: WebhookAttemptRow): DeliveryAttempt {
  return {
    number: row.number,
    trigger: row.trigger,
    startedAt: row.startedAt.toISOString(),
    durationMs: row.durationMs,
    responseStatus: row.responseStatus,
    error: row.error,
    address: row.address,
    responseHead: row.responseHead,
  }
}

const iso = (time: Date | null) => time?.toISOString() ?? null
