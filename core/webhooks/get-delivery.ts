import type { Context } from '../base/context.ts'
import { WebhookAttemptEntity, type WebhookDeliveryRow } from './entity.ts'
import { getOwnDelivery } from './get.ts'
import { presentDeliveryDetail } from './present.ts'
import type { DeliveryDetailAnswer, DeliveryRef } from './schema.ts'

/** A delivery can be retried any number of times, so the response must be bounded. */
const maxShown = 100

/** Returns a delivery with its payload, the last response and its attempts, at most the newest 100. */
export async function getDelivery(ctx: Context, input: DeliveryRef): Promise<DeliveryDetailAnswer> {
  const { delivery, webhook } = await getOwnDelivery(ctx, input.deliveryId, 'viewer')
  return { delivery: await withAttempts(ctx, delivery, webhook.openUntil) }
}

export async function withAttempts(
  { db }: Pick<Context, 'db'>,
  delivery: WebhookDeliveryRow,
  openUntil: Date | null = null,
) {
  const attempts = await db
    .getRepository(WebhookAttemptEntity)
    .find({ where: { deliveryId: delivery.id }, order: { number: 'DESC' }, take: maxShown })
  return presentDeliveryDetail(delivery, attempts.toReversed(), openUntil)
}
