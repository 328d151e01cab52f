import { z } from 'zod'
import { PlanLimits, PlanName, SubscriptionStatus } from '../identity/organizations/schema.ts'

/** What is kept of a payment provider's event. */
export const BillingFacts = z.object({
  event: z.string(),
  createdAt: z.iso.datetime(),
  subscriptionId: z.string().nullable(),
  customerId: z.string().nullable(),
  organizationId: z.string().nullable(),
  priceIds: z.array(z.string()),
  /** As the metadata say; what is sold under a known price decides before it. */
  namedPlan: PlanName.nullable(),
  status: SubscriptionStatus.nullable(),
  currentPeriodEnd: z.iso.datetime().nullable(),
})
export type BillingFacts = z.infer<typeof BillingFacts>

export const OrganizationPlan = z.object({
  organizationId: z.string(),
  plan: PlanName,
  /** Of the subscription that gives the plan, or of the latest one; null where there is none. */
  status: SubscriptionStatus.nullable(),
  currentPeriodEnd: z.iso.datetime().nullable(),
  limits: PlanLimits,
  usage: z.object({ members: z.int(), projects: z.int() }),
})
export type OrganizationPlan = z.infer<typeof OrganizationPlan>

export const GetPlan = z.object({ organizationId: z.string(), userEmail: z.string().max(320).optional() })
export type GetPlan = z.infer<typeof GetPlan>
