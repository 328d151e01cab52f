import { recordAudit } from '../identity/audit/record.ts'
import type { Config } from '../config.ts'
import type { Context } from '../base/context.ts'
import { OrganizationEntity } from '../identity/organizations/entity.ts'
import { SubscriptionEntity, type SubscriptionRow } from '../identity/organizations/subscription-entity.ts'
import { findPlan } from '../identity/organizations/plan.ts'
import type { BillingFacts } from './schema.ts'
import type { PlanName } from '../identity/organizations/schema.ts'

/**
 * The order of events with the same time, since the provider's clock counts in seconds: the creation is first, the
 * deletion is last, and an update of the subscription overrides an event of its invoice.
 */
const ranks: Record<string, number> = {
  'customer.subscription.created': 1,
  'invoice.payment_failed': 2,
  'customer.subscription.updated': 3,
  'customer.subscription.deleted': 4,
}

/** Returns why an event is ignored; null if it is processed. */
export function reasonToIgnore(event: string): string | null {
  return event === 'checkout.session.completed' || Object.hasOwn(ranks, event) ? null : `Assay ignores ${event}.`
}

/** A late event must not change these states. */
const final = ['canceled', 'incomplete_expired']

export interface BillingOutcome {
  status: 'processed' | 'ignored'
  reason: string | null
}

const ignored = (reason: string): BillingOutcome => ({ status: 'ignored', reason })

/**
 * Updates a subscription, and with it the plan of its organization, to the state of the event. Events may arrive in any
 * order: only a newer state replaces the known one. The first event that names an organization links the subscription
 * to it permanently.
 */
export async function applyBillingEvent(tx: Context, facts: BillingFacts): Promise<BillingOutcome> {
  const { subscriptionId } = facts
  if (subscriptionId === null) return ignored('The event names no subscription.')
  const { organization, missing } = await lockOrganization(tx, subscriptionId, facts)
  if (missing) return ignored('The organization does not exist.')
  const before = await lockSubscription(tx, subscriptionId)
  if (before.organizationId !== null && before.organizationId !== organization) {
    throw new Error('Another event has just linked the subscription; the queue tries again.')
  }

  const plan = organization && (await findPlan(tx, organization))
  const state = newState(tx.config, before, facts)
  const linked = before.organizationId === null && organization !== null
  if (state === undefined && !linked) return ignored('A newer event was already processed.')
  await tx.db
    .getRepository(SubscriptionEntity)
    .update(
      { id: subscriptionId },
      { ...state, organizationId: organization, customerId: before.customerId ?? facts.customerId },
    )
  if (organization && plan) await recordPlanChange(tx, organization, plan.plan, facts)
  if (state !== undefined && state.plan === null) return { status: 'processed', reason: unknownPrice(facts) }
  return { status: 'processed', reason: organization ? null : 'No event has named its organization yet.' }
}

/**
 * Locks the organization, so that concurrent changes of two of its subscriptions see each other. It is locked before the
 * subscription, in the same order as when an organization is deleted.
 */
async function lockOrganization(tx: Context, subscriptionId: string, facts: BillingFacts) {
  const known = await tx.db.getRepository(SubscriptionEntity).findOneBy({ id: subscriptionId })
  const id = known?.organizationId ?? facts.organizationId
  if (id === null) return { organization: null, missing: false }
  const row = await tx.db
    .getRepository(OrganizationEntity)
    .findOne({ where: { id }, select: { id: true }, lock: { mode: 'for_no_key_update' } })
  return { organization: row?.id ?? null, missing: row === null }
}

/** Serializes concurrent events of one subscription. */
async function lockSubscription(tx: Context, id: string): Promise<SubscriptionRow> {
  await tx.db.query('INSERT INTO subscriptions (id, created_at) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING', [
    id,
    tx.now(),
  ])
  return tx.db.getRepository(SubscriptionEntity).findOneOrFail({ where: { id }, lock: { mode: 'pessimistic_write' } })
}

type State = Pick<SubscriptionRow, 'plan' | 'status' | 'currentPeriodEnd' | 'lastEventAt' | 'lastEventRank'>

/** Returns the state after the event; undefined if the event has no state or is older than the known one. */
function newState(config: Config, before: SubscriptionRow, facts: BillingFacts): State | undefined {
  const rank = ranks[facts.event]
  if (rank === undefined) return undefined
  const lastEventAt = new Date(facts.createdAt)
  const ageMs = (before.lastEventAt?.getTime() ?? -Infinity) - lastEventAt.getTime()
  if (ageMs > 0 || (ageMs === 0 && before.lastEventRank > rank)) return undefined
  if (before.status !== null && final.includes(before.status)) return undefined
  if (facts.event === 'invoice.payment_failed') {
    if (before.status !== 'active' && before.status !== 'trialing') return undefined
    const { plan, currentPeriodEnd } = before
    return { plan, currentPeriodEnd, status: 'past_due', lastEventAt, lastEventRank: rank }
  }
  return {
    plan: planOf(config, facts),
    status: facts.event === 'customer.subscription.deleted' ? 'canceled' : facts.status,
    currentPeriodEnd: facts.currentPeriodEnd === null ? null : new Date(facts.currentPeriodEnd),
    lastEventAt,
    lastEventRank: rank,
  }
}

/** A known price overrides the metadata: customers change the price at the provider, and the metadata become stale. */
function planOf({ billing: { prices } }: Config, { priceIds, namedPlan }: BillingFacts): PlanName | null {
  if (priceIds.some((id) => prices.unlimited.includes(id))) return 'unlimited'
  if (priceIds.some((id) => prices.team.includes(id))) return 'team'
  return namedPlan
}

function unknownPrice({ priceIds }: BillingFacts): string {
  const sold = priceIds.length === 0 ? 'It names no price' : `It is for ${priceIds.join(', ')}`
  return `${sold}, and no plan. Set BILLING_PRICE_TEAM or BILLING_PRICE_UNLIMITED, or metadata.plan.`
}

async function recordPlanChange(tx: Context, organizationId: string, from: PlanName, facts: BillingFacts) {
  const { plan: to } = await findPlan(tx, organizationId)
  if (to === from) return
  const { event, subscriptionId } = facts
  await recordAudit(tx, 'plan_changed', null, { organizationId, from, to, event, subscriptionId })
}
