import { type Context, inTransaction } from '../base/context.ts'
import { conflict, procedureHint } from '../base/errors.ts'
import { WebhookDeliveryEntity } from './entity.ts'
import { getOwnDelivery, lockOwnWebhook } from './get.ts'
import { presentDelivery } from './present.ts'
import type { DeliveryAnswer, DeliveryRef } from './schema.ts'
import { notifyDispatchers } from './notify.ts'

/**
 * Sends a delivery again immediately, whatever its status, with the same id and body. If the attempt fails, the
 * delivery keeps its former status and schedule.
 */
export async function retryDelivery(ctx: Context, input: DeliveryRef): Promise<DeliveryAnswer> {
  const { webhook } = await getOwnDelivery(ctx, input.deliveryId, 'admin')
  return inTransaction(ctx, async (ctx) => {
    const { active, pausedAt } = await lockOwnWebhook(ctx, webhook.id, 'admin')
    if (!active)
      throw conflict(
        'The webhook is not active. Activate it with webhooks.update, then retry.',
        procedureHint('webhooks.update'),
      )
    if (pausedAt)
      throw conflict(
        'The webhook is paused. Resume it with webhooks.resume, then retry.',
        procedureHint('webhooks.resume'),
      )
    const deliveries = ctx.db.getRepository(WebhookDeliveryEntity)
    const delivery = await deliveries.findOneOrFail({
      where: { id: input.deliveryId },
      lock: { mode: 'pessimistic_write' },
    })
    if (delivery.status === 'in_flight') {
      throw conflict(
        'The delivery is being sent. Check its outcome with webhooks.getDelivery first.',
        procedureHint('webhooks.getDelivery'),
      )
    }
    if (delivery.status === 'pending' && delivery.trigger === 'test') {
      throw conflict(
        'The test has not been sent yet. Retry it when webhooks.getDelivery shows its outcome.',
        procedureHint('webhooks.getDelivery'),
      )
    }
    const asked = delivery.status === 'pending' && delivery.trigger === 'manual'
    const resumeAt = asked ? delivery.resumeAt : delivery.nextAttemptAt
    const change = { status: 'pending' as const, trigger: 'manual' as const, nextAttemptAt: ctx.now(), resumeAt }
    await deliveries.update({ id: delivery.id }, change)
    await notifyDispatchers(ctx.db, webhook.id)
    return { delivery: presentDelivery({ ...delivery, ...change }) }
  })
}
