import type { Context } from '../base/context.ts'
import { WebhookAttemptEntity, type WebhookDeliveryRow } from './entity.ts'
import { getOwnDelivery } from './get.ts'
import { presentDeliveryDetail } from './present.ts'
import type { DeliveryDetailAnswer, DeliveryRef } from './schema.ts'

/** Whoever asks for a delivery again and again gets no answer without end. */
const mostShown = 100

/** One delivery with what is sent, what was answered, and its attempts, of very many the newest 100. */
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
    .find({ where: { deliveryId: delivery.id }, order: { number: 'DESC' }, take: mostShown })
  return presentDeliveryDetail(delivery, attempts.toReversed(), openUntil)
}
