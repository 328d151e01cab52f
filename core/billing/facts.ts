import { z } from 'zod'
import type { BillingFacts } from './schema.ts'
import { PlanName, SubscriptionStatus } from '../identity/organizations/schema.ts'

// API versions of the provider differ in where they put a field, so each is read from every known place.
const name = z
  .string()
  .max(255)
  .regex(/^[\w.:-]+$/)
const text = name.optional().catch(undefined)
const seconds = z.int().min(0).max(253_402_300_799).optional().catch(undefined)
/** An id, or the expanded object. */
const reference = z
  .union([name, z.object({ id: name })])
  .nullish()
  .transform((value) => (typeof value === 'object' ? value?.id : value))
  .catch(undefined)
const metadata = z.record(z.string(), z.string()).nullish().catch(undefined)
const details = z.object({ subscription: reference, metadata }).nullish().catch(undefined)

const Event = z.object({
  id: z.string().regex(/^[\w.:-]{1,128}$/),
  type: z.string().regex(/^[\w.]{1,64}$/),
  created: z.int().min(0).max(253_402_300_799),
  data: z.object({
    object: z.object({
      id: text,
      customer: reference,
      metadata,
      status: SubscriptionStatus.optional().catch(undefined),
      current_period_end: seconds,
      items: z
        .object({ data: z.array(z.object({ price: reference, current_period_end: seconds })).max(100) })
        .optional()
        .catch(undefined),
      // In a checkout.
      client_reference_id: text.nullish(),
      // In a checkout and, in older API versions, an invoice.
      subscription: reference,
      // In an invoice.
      parent: z.object({ subscription_details: details }).nullish().catch(undefined),
    }),
  }),
})

/**
 * Extracts the fields of an event that determine the plan.
 *
 * @throws ZodError if the payload is not an event
 */
export function readBillingEvent(payload: unknown): { id: string; facts: BillingFacts } {
  const { id, type, created, data } = Event.parse(payload)
  const { object } = data
  const items = object.items?.data ?? []
  const invoiced = object.parent?.subscription_details
  const named = object.metadata ?? invoiced?.metadata
  const isSubscription = type.startsWith('customer.subscription.')
  const periodEnd = object.current_period_end ?? items.find((item) => item.current_period_end)?.current_period_end
  return {
    id,
    facts: {
      event: type,
      createdAt: new Date(created * 1_000).toISOString(),
      subscriptionId: (isSubscription ? object.id : (object.subscription ?? invoiced?.subscription)) ?? null,
      customerId: object.customer ?? null,
      organizationId: text.parse(object.client_reference_id ?? named?.['organizationId']) ?? null,
      priceIds: items.map(({ price }) => price).filter((price) => price !== undefined),
      namedPlan: PlanName.safeParse(named?.['plan']).data ?? null,
      status: object.status ?? null,
      currentPeriodEnd: periodEnd === undefined ? null : new Date(periodEnd * 1_000).toISOString(),
    },
  }
}
