import { z } from 'zod'
import type { Context } from '../base/context.ts'
import { invalid } from '../base/errors.ts'
import { bodyLimits } from '../http/body.ts'
import { noSuchRoute } from '../http/request.ts'
import { withContract } from '../http/handler.ts'
import { holdingBody } from '../inbound/held-bodies.ts'
import { acceptDelivery, notSigned } from '../inbound/receive.ts'
import { Received } from '../inbound/schema.ts'
import { reasonToIgnore } from './apply-event.ts'
import { readBillingEvent } from './facts.ts'

/** The maximum age of a signature. The provider signs every retry again. */
const toleranceSeconds = 300

/** `POST /api/webhooks/billing` */
export const receiveBillingEvent = withContract(
  {
    name: 'receiveBillingEvent',
    summary: 'Receives an event of the payment provider',
    description: 'Signed by Stripe in `Stripe-Signature`. Answers 404 without `BILLING_WEBHOOK_SECRET`.',
    answers: { 200: Received },
    errors: ['NOT_FOUND', 'PAYLOAD_TOO_LARGE', 'UNAVAILABLE'],
  },
  async (ctx, koa) => {
    const { secret } = ctx.config.billing
    if (secret === undefined) throw noSuchRoute(koa)
    const signature = koa.req.headers['stripe-signature']
    if (typeof signature !== 'string') throw notSigned()
    return holdingBody(
      koa.req,
      async (body) => {
        const { id, facts } = readEvent(await verifiedEvent(ctx, body, signature, secret))
        const delivery = {
          source: 'billing' as const,
          projectId: null,
          deliveryId: id,
          event: facts.event,
          action: null,
          body,
          facts,
          ignored: reasonToIgnore(facts.event),
        }
        return { status: 200, body: Received.parse(await acceptDelivery(ctx, delivery)) }
      },
      bodyLimits.json,
    )
  },
)

/** Loads the library on demand: it takes 0.1 s and 30 MB, and most installations do not need it. */
async function verifiedEvent(ctx: Context, body: Buffer, signature: string, secret: string): Promise<unknown> {
  const { default: Stripe } = await import('stripe')
  try {
    return Stripe.webhooks.constructEvent(body, signature, secret, toleranceSeconds, undefined, ctx.now().getTime())
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError) throw notSigned()
    throw invalid('The body is not an event.', { cause: error })
  }
}

function readEvent(payload: unknown) {
  try {
    return readBillingEvent(payload)
  } catch (error) {
    if (error instanceof z.ZodError) throw invalid('The body is not an event.', { cause: error })
    throw error
  }
}
