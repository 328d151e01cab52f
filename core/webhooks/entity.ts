import { EntitySchema } from 'typeorm'
import { boolean, type Columns, id, integer, optionalText, optionalTime, text, time } from '../base/columns.ts'
import type { AttemptTrigger, DeliveryStatus } from './schema.ts'
import type { EventType } from '../events/schema.ts'

export interface WebhookRow {
  id: string
  /** The project's organization. Without a project, the webhook receives events of all projects of the organization. */
  organizationId: string | null
  projectId: string | null
  /** The user who created it. */
  userId: string
  url: string
  description: string | null
  events: EventType[]
  /** Encrypted, as is `previousSecret`. */
  secret: string
  previousSecret: string | null
  /** Until then, deliveries are also signed with the previous secret. */
  previousSecretUntil: Date | null
  /** Whether events create deliveries. */
  active: boolean
  /** While the webhook is paused, events create deliveries, which wait. */
  pausedAt: Date | null
  /** Why Assay deactivated it. */
  disabledReason: string | null
  /** The time of the first failure since the last success. */
  failingSince: Date | null
  failuresInRow: number
  /** The circuit breaker is open until then. */
  openUntil: Date | null
  deliveryCount: number
  lastDeliveryAt: Date | null
  createdAt: Date
  updatedAt: Date
  deletedAt: Date | null
}

export const WebhookEntity = new EntitySchema<WebhookRow>({
  name: 'Webhook',
  tableName: 'webhooks',
  columns: {
    id,
    organizationId: { ...optionalText, name: 'organization_id' },
    projectId: { ...optionalText, name: 'project_id' },
    userId: { ...text, name: 'user_id' },
    url: text,
    description: optionalText,
    events: { type: 'text', array: true },
    secret: text,
    previousSecret: { ...optionalText, name: 'previous_secret' },
    previousSecretUntil: { ...optionalTime, name: 'previous_secret_until' },
    active: boolean,
    pausedAt: { ...optionalTime, name: 'paused_at' },
    disabledReason: { ...optionalText, name: 'disabled_reason' },
    failingSince: { ...optionalTime, name: 'failing_since' },
    failuresInRow: { ...integer, name: 'failures_in_row' },
    openUntil: { ...optionalTime, name: 'open_until' },
    deliveryCount: { ...integer, name: 'delivery_count' },
    lastDeliveryAt: { ...optionalTime, name: 'last_delivery_at' },
    createdAt: { ...time, name: 'created_at' },
    updatedAt: { ...time, name: 'updated_at' },
    deletedAt: { ...optionalTime, name: 'deleted_at' },
  } satisfies Columns<WebhookRow>,
})

export interface WebhookDeliveryRow {
  id: string
  webhookId: string
  /** Null for a test. */
  eventId: string | null
  event: EventType
  /** The request body, byte for byte the same in every attempt. */
  body: string
  status: DeliveryStatus
  attemptCount: number
  /** The attempts that count against the retry schedule. */
  scheduledAttempts: number
  /** What triggers the next attempt, or triggered the last one. */
  trigger: AttemptTrigger
  /** Null once the delivery has ended. */
  nextAttemptAt: Date | null
  /** When the schedule continues if a manual attempt fails. */
  resumeAt: Date | null
  /** Identifies the claim of the sending process. Results with another token are discarded. */
  leaseToken: string | null
  leaseUntil: Date | null
  responseStatus: number | null
  responseBody: string | null
  error: string | null
  deliveredAt: Date | null
  createdAt: Date
}

export const WebhookDeliveryEntity = new EntitySchema<WebhookDeliveryRow>({
  name: 'WebhookDelivery',
  tableName: 'webhook_deliveries',
  columns: {
    id,
    webhookId: { ...text, name: 'webhook_id' },
    eventId: { ...optionalText, name: 'event_id' },
    event: text,
    body: text,
    status: text,
    attemptCount: { ...integer, name: 'attempt_count' },
    scheduledAttempts: { ...integer, name: 'scheduled_attempts' },
    trigger: text,
    nextAttemptAt: { ...optionalTime, name: 'next_attempt_at' },
    resumeAt: { ...optionalTime, name: 'resume_at' },
    leaseToken: { type: 'uuid', nullable: true, name: 'lease_token' },
    leaseUntil: { ...optionalTime, name: 'lease_until' },
    responseStatus: { ...integer, nullable: true, name: 'response_status' },
    responseBody: { ...optionalText, name: 'response_body' },
    error: optionalText,
    deliveredAt: { ...optionalTime, name: 'delivered_at' },
    createdAt: { ...time, name: 'created_at' },
  } satisfies Columns<WebhookDeliveryRow>,
})

export interface WebhookAttemptRow {
  deliveryId: string
  /** Starts at 1. */
  number: number
  trigger: AttemptTrigger
  startedAt: Date
  durationMs: number
  responseStatus: number | null
  error: string | null
  /** The address that was connected to. */
  address: string | null
  responseHead: string | null
}

export const WebhookAttemptEntity = new EntitySchema<WebhookAttemptRow>({
  name: 'WebhookAttempt',
  tableName: 'webhook_attempts',
  columns: {
    deliveryId: { ...id, name: 'delivery_id' },
    number: { ...integer, primary: true },
    trigger: text,
    startedAt: { ...time, name: 'started_at' },
    durationMs: { ...integer, name: 'duration_ms' },
    responseStatus: { ...integer, nullable: true, name: 'response_status' },
    error: optionalText,
    address: optionalText,
    responseHead: { ...optionalText, name: 'response_head' },
  } satisfies Columns<WebhookAttemptRow>,
})
