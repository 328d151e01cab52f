import { EntitySchema } from 'typeorm'
import { type Columns, id, integer, optionalText, optionalTime, time } from '../../base/columns.ts'
import type { PlanName, SubscriptionStatus } from './schema.ts'

/** A subscription at the payment provider, as far as its events have told. */
export interface SubscriptionRow {
  /** The provider's own. */
  id: string
  organizationId: string | null
  customerId: string | null
  /** Null where it is of nothing that we sell. */
  plan: PlanName | null
  status: SubscriptionStatus | null
  currentPeriodEnd: Date | null
  lastEventAt: Date | null
  /** Tells events of the same second apart: see `apply-event.ts`. */
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
