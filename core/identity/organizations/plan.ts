import type { Context } from '../../base/context.ts'
import { paymentRequired } from '../../base/errors.ts'
import { isBetter, planBeyond, plans } from './plans.ts'
import type { Limited, PlanName } from './schema.ts'
import { SubscriptionEntity, type SubscriptionRow } from './subscription-entity.ts'

/** The plan stays while the payment provider retries a failed payment (`past_due`). */
const paid = ['active', 'trialing', 'past_due']

/** Returns the best paid plan with its subscription. Without billing, every organization has the plan `unlimited`. */
export async function findPlan(
  { db, config }: Pick<Context, 'db' | 'config'>,
  organizationId: string,
): Promise<{ plan: PlanName; subscription: SubscriptionRow | undefined }> {
  if (config.billing.secret === undefined) return { plan: 'unlimited', subscription: undefined }
  const all = await db
    .getRepository(SubscriptionEntity)
    .find({ where: { organizationId }, order: { lastEventAt: 'ASC' } })
  const best = all
    .filter(({ plan, status }) => plan !== null && status !== null && paid.includes(status))
    .reduce<SubscriptionRow | undefined>((one, other) => {
      return one && isBetter(one.plan ?? 'free', other.plan ?? 'free') ? one : other
    }, undefined)
  return { plan: best?.plan ?? 'free', subscription: best ?? all.at(-1) }
}

/**
 * Checks that the plan allows one more member or project. Call it before adding, with the organization locked against
 * parallel calls.
 *
 * @throws AppError 402
 */
export async function requireRoom(tx: Context, organizationId: string, limited: Limited): Promise<void> {
  const { plan } = await findPlan(tx, organizationId)
  const limit = plans[plan][limited]
  if (limit === null) return
  const used = await countUsed(tx, organizationId, limited)
  if (used < limit) return
  const better = planBeyond(limited, used)
  const allowed = plans[better][limited]
  throw paymentRequired(
    `The plan ${plan} allows ${limit} ${limited}, and the organization has ${used}. ` +
      `The plan ${better} allows ${allowed ?? 'any number'}; an owner can change to it.`,
  )
}

const counts: Record<Limited, string> = {
  members: `SELECT (SELECT count(*) FROM memberships WHERE organization_id = $1)
                 + (SELECT count(*) FROM invitations WHERE organization_id = $1) AS used`,
  projects: 'SELECT count(*) AS used FROM projects WHERE organization_id = $1',
}

export async function countUsed(
  { db }: Pick<Context, 'db'>,
  organizationId: string,
  limited: Limited,
): Promise<number> {
  const [row] = await db.query<{ used: string }[]>(counts[limited], [organizationId])
  return Number(row?.used)
}
