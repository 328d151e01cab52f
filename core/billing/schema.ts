import { z } from 'zod'
import { PlanLimits, PlanName, SubscriptionStatus } from '../identity/organizations/schema.ts'

/** The stored part of a payment provider's event. */
export const BillingFacts = z.object({
  event: z.string(),
  createdAt: z.iso.datetime(),
  subscriptionId: z.string().nullable(),
  customerId: z.string().nullable(),
  organizationId: z.string().nullable(),
  priceIds: z.array(z.string()),
  /** From the metadata. A known price overrides it. */
  namedPlan: PlanName.nullable(),
  status: SubscriptionStatus.nullable(),
  currentPeriodEnd: z.iso.datetime().nullable(),
})
export type BillingFacts = z.infer<typeof BillingFacts>

export const OrganizationPlan = z.object({
  organizationId: z.string(),
  plan: PlanName,
  /** Of the subscription that determines the plan, or else of the latest one; null without a subscription. */
  status: SubscriptionStatus.nullable(),
  currentPeriodEnd: z.iso.datetime().nullable(),
  limits: PlanLimits,
  usage: z.object({ members: z.int(), projects: z.int() }),
})
export type OrganizationPlan = z.infer<typeof OrganizationPlan>

export const GetPlan = z.object({ organizationId: z.string(), userEmail: z.string().max(320).optional() })
export type GetPlan = z.infer<typeof GetPlan>
