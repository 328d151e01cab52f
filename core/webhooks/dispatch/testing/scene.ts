import { newId } from '../../../base/ids.ts'
import type { App } from '../../../app.ts'
import { createUser } from '../../../testing/factories.ts'
import { WebhookAttemptEntity, WebhookDeliveryEntity, type WebhookDeliveryRow, WebhookEntity } from '../../entity.ts'
import { createWebhookFor } from '../../testing.ts'
import { notifyDispatchers } from '../../notify.ts'

type Scene = Pick<App, 'dataSource' | 'services'>

/** Creates a webhook to this URL with `count` deliveries that are due. */
export async function createDeliveries(
  app: Scene,
  { url, count = 1, ...fields }: { url: string; count?: number } & Partial<Parameters<typeof createWebhookFor>[1]>,
) {
  const userId = fields.userId ?? (await createUser(app)).id
  const webhook = await createWebhookFor(app, { ...fields, url, userId })
  const ids = await addDeliveries(app, webhook.id, { count })
  return { webhook, ids, id: ids[0] ?? '' }
}

/** Creates deliveries like an event does, and notifies the dispatchers unless `silently`. */
export async function addDeliveries(
  { dataSource }: Scene,
  webhookId: string,
  { count = 1, silently = false, ...fields }: { count?: number; silently?: boolean } & Partial<WebhookDeliveryRow> = {},
): Promise<string[]> {
  const now = new Date()
  const ids = Array.from({ length: count }, () => newId(now))
  await dataSource.transaction(async (tx) => {
    await tx.query(
      `INSERT INTO webhook_deliveries (id, webhook_id, event, body, status, trigger, next_attempt_at, created_at)
       SELECT id, $2, 'project.updated', '{"id":"' || id || '"}', 'pending', $3, $4, $5 FROM unnest($1::text[]) AS id`,
      [ids, webhookId, fields.trigger ?? 'scheduled', fields.nextAttemptAt ?? now, now],
    )
    if (!silently) await notifyDispatchers(tx, webhookId)
  })
  return ids
}

export async function deliveryOf({ dataSource }: Scene, id: string): Promise<WebhookDeliveryRow> {
  return dataSource.getRepository(WebhookDeliveryEntity).findOneByOrFail({ id })
}

export async function attemptsOf({ dataSource }: Scene, deliveryId: string) {
  return dataSource.getRepository(WebhookAttemptEntity).find({ where: { deliveryId }, order: { number: 'ASC' } })
}

export const webhookOf = ({ dataSource }: Scene, id: string) =>
  dataSource.getRepository(WebhookEntity).findOneByOrFail({ id })

/** Counts the deliveries of a webhook by status. */
export async function statesOf({ dataSource }: Scene, webhookId: string): Promise<Record<string, number>> {
  const rows = await dataSource.query<{ status: string; count: number }[]>(
    'SELECT status, count(*)::integer AS count FROM webhook_deliveries WHERE webhook_id = $1 GROUP BY status',
    [webhookId],
  )
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
}
