import type { App } from '../app.ts'
import { encrypt } from '../crypto.ts'
import { newId } from '../ids.ts'
import { WebhookEntity, type WebhookRow } from './entity.ts'
import { EventType } from './schema.ts'
import { secretPlace } from './secret.ts'

export const testSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

/** A webhook that wants every event; its secret is `testSecret`. */
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
