import type { App } from '../app.ts'
import { encrypt } from '../base/crypto.ts'
import { newId } from '../base/ids.ts'
import { WebhookDeliveryEntity, type WebhookDeliveryRow, WebhookEntity, type WebhookRow } from './entity.ts'
import { EventType } from '../events/schema.ts'
import { secretPlace } from './secret.ts'

export const testSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

/** Creates a webhook that subscribes to every event; its secret is `testSecret`. */
export async function createWebhookFor(
  { dataSource, services }: Pick<App, 'dataSource' | 'services'>,
  fields: Partial<WebhookRow> & Pick<WebhookRow, 'userId'>,
): Promise<WebhookRow> {
  const now = new Date()
  const id = fields.id ?? newId(now)
  const row: WebhookRow = {
    id,
    organizationId: null,
    projectId: null,
    url: 'https://receiver.example.com/hook',
    description: null,
    events: [...EventType.options],
    secret: encrypt(services.config.secretKey, secretPlace(id), testSecret),
    previousSecret: null,
    previousSecretUntil: null,
    active: true,
    pausedAt: null,
    disabledReason: null,
    failingSince: null,
    failuresInRow: 0,
    openUntil: null,
    deliveryCount: 0,
    lastDeliveryAt: null,
    createdAt: now,
    updatedAt: now,
    deletedAt: null,
    ...fields,
  }
  await dataSource.getRepository(WebhookEntity).insert(row)
  return row
}

/** Creates a pending delivery that is due in an hour. */
export async function createDeliveryFor(
  { dataSource }: Pick<App, 'dataSource'>,
  fields: Partial<WebhookDeliveryRow> & Pick<WebhookDeliveryRow, 'webhookId'>,
): Promise<Omit<WebhookDeliveryRow, 'responseBody'>> {
  const now = new Date()
  const id = fields.id ?? newId(now)
  const event = fields.event ?? 'project.updated'
  const row: Omit<WebhookDeliveryRow, 'responseBody'> = {
    id,
    eventId: null,
    event,
    body: JSON.stringify({ id, event, timestamp: now.toISOString(), data: {} }),
    status: 'pending',
    attemptCount: 0,
    scheduledAttempts: 0,
    trigger: 'scheduled',
    nextAttemptAt: new Date(now.getTime() + 3_600_000),
    resumeAt: null,
    leaseToken: null,
    leaseUntil: null,
    responseStatus: null,
    error: null,
    deliveredAt: null,
    createdAt: now,
    ...fields,
  }
  await dataSource.getRepository(WebhookDeliveryEntity).insert(row)
  return row
}
