import { type Context, inTransaction } from '../base/context.ts'
import { conflict, notFound } from '../base/errors.ts'
import { newId } from '../base/ids.ts'
import { endingRecords, waitForEnd } from '../jobs/wait-for-end.ts'
import { OrganizationEntity } from '../identity/organizations/entity.ts'
import { ProjectEntity } from '../projects/entity.ts'
import { WebhookDeliveryEntity, type WebhookDeliveryRow, type WebhookRow } from './entity.ts'
import { withAttempts } from './get-delivery.ts'
import { lockOwnWebhook } from './get.ts'
import type { DeliveryDetailAnswer, TestWebhook } from './schema.ts'
import { notifyDispatchers } from './notify.ts'

/** Each test holds a request. */
const maxRunning = 3

const unendedStatuses = ['pending', 'in_flight']
const unendedDeliveries = endingRecords('webhook_deliveries', unendedStatuses)

/**
 * Sends a `webhook.test` event immediately and returns the outcome. The webhook need not subscribe to the event and may
 * be paused or inactive. The delivery is attempted once.
 */
export async function sendTest(ctx: Context, input: TestWebhook): Promise<DeliveryDetailAnswer> {
  const deliveryId = await inTransaction(ctx, async (ctx) => {
    const webhook = await lockOwnWebhook(ctx, input.webhookId, 'admin')
    await requireFewRunning(ctx, webhook.id)
    const delivery = await insertTest(ctx, webhook)
    await notifyDispatchers(ctx.db, webhook.id)
    return delivery
  })
  const delivery = await waitForOutcome(ctx, deliveryId, input.waitSeconds * 1_000)
  return { delivery: await withAttempts(ctx, delivery) }
}

async function requireFewRunning({ db }: Context, webhookId: string): Promise<void> {
  // Two counts, because each can use a partial index that does not contain the backlog of scheduled deliveries.
  const [{ count }] = await db.query<[{ count: number }]>(
    `SELECT ((SELECT count(*) FROM webhook_deliveries
               WHERE webhook_id = $1 AND status = 'pending' AND trigger <> 'scheduled' AND trigger = 'test')
           + (SELECT count(*) FROM webhook_deliveries
               WHERE webhook_id = $1 AND status = 'in_flight' AND trigger = 'test'))::int AS count`,
    [webhookId],
  )
  if (count < maxRunning) return
  throw conflict(`${count} tests of this webhook are running. webhooks.deliveries shows their outcome.`)
}

async function insertTest(ctx: Context, webhook: WebhookRow): Promise<string> {
  const now = ctx.now()
  const id = newId(now)
  const envelope = {
    id,
    event: 'webhook.test' as const,
    timestamp: now.toISOString(),
    data: { message: 'This is a test delivery, requested with webhooks.test.' },
    ...(await describeScope(ctx, webhook)),
  }
  await ctx.db.getRepository(WebhookDeliveryEntity).insert({
    id,
    webhookId: webhook.id,
    eventId: null,
    event: envelope.event,
    body: JSON.stringify(envelope),
    status: 'pending',
    trigger: 'test',
    nextAttemptAt: now,
    createdAt: now,
  })
  return id
}

async function describeScope({ db }: Context, { projectId, organizationId }: WebhookRow) {
  const project = await db.getRepository(ProjectEntity).findOne({
    where: { id: projectId ?? '' },
    select: { id: true, name: true, repository: true },
  })
  const organization = await db.getRepository(OrganizationEntity).findOne({
    where: { id: organizationId ?? '' },
    select: { id: true, name: true },
  })
  return { ...(project && { project }), ...(organization && { organization }) }
}

/** Waits until the delivery has ended, the time is up, the caller disconnects or the program stops. */
async function waitForOutcome(ctx: Context, id: string, milliseconds: number): Promise<WebhookDeliveryRow> {
  const load = async () => {
    const row = await ctx.db.getRepository(WebhookDeliveryEntity).findOneBy({ id })
    if (!row) throw notFound('delivery')
    return row
  }
  const hasEnded = ({ status }: WebhookDeliveryRow) => !unendedStatuses.includes(status)
  return waitForEnd(ctx, { records: unendedDeliveries, id, milliseconds, load, hasEnded })
}
