import { EntitySchema } from 'typeorm'
import { type Columns, id, integer, optionalText, optionalTime, time } from '../../base/columns.ts'
import type { PlanName, SubscriptionStatus } from './schema.ts'

/** A subscription at the payment provider, as known from its events. */
export interface SubscriptionRow {
  /** The payment provider's id. */
  id: string
  organizationId: string | null
  customerId: string | null
  /** Null if the subscription is for none of our plans. */
  plan: PlanName | null
  status: SubscriptionStatus | null
  currentPeriodEnd: Date | null
  lastEventAt: Date | null
  /** Orders events of the same second: see `apply-event.ts`. */
  lastEventRank: number
  createdAt: Date
}

export const SubscriptionEntity = new EntitySchema<SubscriptionRow>({
  name: 'Subscription',
  tableName: 'subscriptions',
  columns: {
    id,
    organizationId: { ...optionalText, name: 'organization_id' },
    customerId: { ...optionalText, name: 'customer_id' },
    plan: optionalText,
    status: optionalText,
    currentPeriodEnd: { ...optionalTime, name: 'current_period_end' },
    lastEventAt: { ...optionalTime, name: 'last_event_at' },
    lastEventRank: { ...integer, name: 'last_event_rank' },
    createdAt: { ...time, name: 'created_at' },
  } satisfies Columns<SubscriptionRow>,
})
