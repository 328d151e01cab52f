import { z } from 'zod'
import { EventType } from '../events/schema.ts'

const oneOf = <const Names extends readonly [string, ...string[]]>(names: Names) =>
  z.enum(names, `must be one of ${names.join(', ')}`)
const wholeNumber = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`
  return z.int(message).min(min, message).max(max, message)
}

export const DeliveryStatus = oneOf(['pending', 'in_flight', 'succeeded', 'failed', 'cancelled'])
export type DeliveryStatus = z.infer<typeof DeliveryStatus>

/** What triggered an attempt: the retry schedule, `webhooks.retryDelivery` or `webhooks.test`. */
export const AttemptTrigger = z.enum(['scheduled', 'manual', 'test'])
export type AttemptTrigger = z.infer<typeof AttemptTrigger>

/** A webhook without its secret. */
export const Webhook = z.object({
  id: z.string(),
  /** Whether it receives events of one project or of all projects of the organization. */
  scope: z.enum(['project', 'organization']),
  organizationId: z.string().nullable(),
  projectId: z.string().nullable(),
  /** Without its query, unless the caller is an admin. */
  url: z.string(),
  description: z.string().nullable(),
  events: z.array(EventType),
  /** Whether events create deliveries. */
  active: z.boolean(),
  /** Deliveries have been waiting since then. */
  pausedAt: z.iso.datetime().nullable(),
  /** Why Assay deactivated it. */
  disabledReason: z.string().nullable(),
  /** The time of the first failure since the last success. */
  failingSince: z.iso.datetime().nullable(),
  /** The circuit breaker is open until then; null once that time has passed. */
  postponedUntil: z.iso.datetime().nullable(),
  /** Until then, deliveries are also signed with the previous secret; null once that time has passed. */
  previousSecretUntil: z.iso.datetime().nullable(),
  /** Counts successful deliveries. */
  deliveryCount: z.int(),
  lastDeliveryAt: z.iso.datetime().nullable(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
})
export type Webhook = z.infer<typeof Webhook>

export const WebhookAnswer = z.object({ webhook: Webhook })
export type WebhookAnswer = z.infer<typeof WebhookAnswer>

export const CreatedWebhook = z.object({
  webhook: Webhook.extend({
    /** Cannot be read again. */
    secret: z.string(),
  }),
})
export type CreatedWebhook = z.infer<typeof CreatedWebhook>

export const WebhookList = z.object({ webhooks: z.array(Webhook) })
export type WebhookList = z.infer<typeof WebhookList>

const userEmail = z.string().max(320).optional()
const url = z.string('must be an address such as https://ci.example.com/hooks/assay')
const description = z.string().trim().max(200, 'must have at most 200 characters')
const events = z
  .array(EventType, `must be a list of events, such as ["test_run.failed"]`)
  .min(1, 'must name at least one event')
  .refine((names) => new Set(names).size === names.length, 'must name each event once')
const secret = z
  .string()
  .refine(isSecret, 'must be whsec_ followed by 24 to 64 bytes in base64; leave it out to have a secret generated')

/** The libraries of receivers accept only canonical base64. */
function isSecret(text: string): boolean {
  const encoded = /^whsec_(.*)$/.exec(text)?.[1] ?? ''
  const bytes = Buffer.from(encoded, 'base64')
  return bytes.length >= 24 && bytes.length <= 64 && bytes.toString('base64') === encoded
}

export const CreateWebhook = z.strictObject({
  url,
  events,
  description: description.optional(),
  /** Without it, the webhook is for all projects of `organizationId`; without both, for the scope of the token. */
  projectId: z.string().optional(),
  organizationId: z.string().optional(),
  secret: secret.optional(),
  userEmail,
})
export type CreateWebhook = z.infer<typeof CreateWebhook>

export const ListWebhooks = z.strictObject({
  projectId: z.string().optional(),
  organizationId: z.string().optional(),
  userEmail,
})
export type ListWebhooks = z.infer<typeof ListWebhooks>

export const WebhookRef = z.strictObject({ webhookId: z.string(), userEmail })
export type WebhookRef = z.infer<typeof WebhookRef>

export const DeletedWebhook = z.object({ message: z.string() })
export type DeletedWebhook = z.infer<typeof DeletedWebhook>

export const UpdateWebhook = WebhookRef.extend({
  url: url.optional(),
  description: description.nullable().optional(),
  events: events.optional(),
  active: z.boolean().optional(),
})
export type UpdateWebhook = z.infer<typeof UpdateWebhook>

const hoursMessage = 'must be a number from 0 to 168'

export const RotateWebhookSecret = WebhookRef.extend({
  /** How long deliveries are also signed with the previous secret. */
  overlapHours: z.number(hoursMessage).min(0, hoursMessage).max(168, hoursMessage).default(24),
})
export type RotateWebhookSecret = z.infer<typeof RotateWebhookSecret>

export const RotatedWebhookSecret = z.object({
  /** Cannot be read again. */
  secret: z.string(),
  previousSecretUntil: z.iso.datetime().nullable(),
})
export type RotatedWebhookSecret = z.infer<typeof RotatedWebhookSecret>

export const WebhookDelivery = z.object({
  id: z.string(),
  webhookId: z.string(),
  event: EventType,
  status: DeliveryStatus,
  /** What triggers the next attempt, or triggered the last one. */
  trigger: AttemptTrigger,
  /** Like `error`, of the last successful attempt, or of the last attempt if none succeeded. */
  responseStatus: z.int().nullable(),
  error: z.string().nullable(),
  attemptCount: z.int(),
  /** When the next attempt is due, not before the webhook's `postponedUntil`; null once the delivery has ended. */
  nextRetryAt: z.iso.datetime().nullable(),
  deliveredAt: z.iso.datetime().nullable(),
  createdAt: z.iso.datetime(),
})
export type WebhookDelivery = z.infer<typeof WebhookDelivery>

export const DeliveryAttempt = z.object({
  /** Starts at 1. */
  number: z.int(),
  trigger: AttemptTrigger,
  startedAt: z.iso.datetime(),
  durationMs: z.int(),
  responseStatus: z.int().nullable(),
  error: z.string().nullable(),
  /** The address that was connected to. */
  address: z.string().nullable(),
  /** The beginning of the response body: untrusted text. */
  responseHead: z.string().nullable(),
})
export type DeliveryAttempt = z.infer<typeof DeliveryAttempt>

export const WebhookDeliveryDetail = WebhookDelivery.extend({
  payload: z.record(z.string(), z.unknown()),
  /** The beginning of the last response body: untrusted text. */
  responseBody: z.string().nullable(),
  /** The newest 100 attempts, oldest first; `attemptCount` counts all. */
  attempts: z.array(DeliveryAttempt),
})
export type WebhookDeliveryDetail = z.infer<typeof WebhookDeliveryDetail>

const atLeast0 = 'must be a whole number of at least 0'

export const ListDeliveries = WebhookRef.extend({
  status: DeliveryStatus.optional(),
  event: EventType.optional(),
  limit: wholeNumber(1, 100).default(20),
  offset: z.int(atLeast0).min(0, atLeast0).default(0),
})
export type ListDeliveries = z.infer<typeof ListDeliveries>

export const DeliveriesPage = z.object({
  deliveries: z.array(WebhookDelivery),
  pagination: z.object({ total: z.int(), limit: z.int(), offset: z.int() }),
})
export type DeliveriesPage = z.infer<typeof DeliveriesPage>

export const DeliveryRef = z.strictObject({ deliveryId: z.string(), userEmail })
export type DeliveryRef = z.infer<typeof DeliveryRef>

export const DeliveryAnswer = z.object({ delivery: WebhookDelivery })
export type DeliveryAnswer = z.infer<typeof DeliveryAnswer>

export const DeliveryDetailAnswer = z.object({ delivery: WebhookDeliveryDetail })
export type DeliveryDetailAnswer = z.infer<typeof DeliveryDetailAnswer>

export const TestWebhook = WebhookRef.extend({
  /** How long to wait for the outcome. The delivery continues after that. */
  waitSeconds: wholeNumber(0, 45).default(35),
})
export type TestWebhook = z.infer<typeof TestWebhook>

export const RecoverDeliveries = WebhookRef.extend({
  /** Earlier times count as the creation of the webhook, or as 30 days ago. */
  since: z.iso.datetime({ offset: true, error: 'must be a time such as 2026-11-20T12:00:00Z' }),
})
export type RecoverDeliveries = z.infer<typeof RecoverDeliveries>

export const RecoveredDeliveries = z.object({
  /** The number of deliveries to be sent; at most 10,000. */
  recovered: z.int(),
  /** The `since` of the next call, if there are more. */
  nextSince: z.iso.datetime().nullable(),
})
export type RecoveredDeliveries = z.infer<typeof RecoveredDeliveries>
