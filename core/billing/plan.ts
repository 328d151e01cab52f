import type { Context } from '../base/context.ts'
import { getOwnOrganization } from '../identity/organizations/get.ts'
import { countUsed, findPlan } from '../identity/organizations/plan.ts'
import { plans } from '../identity/organizations/plans.ts'
import type { GetPlan, OrganizationPlan } from './schema.ts'

/** Returns the plan of an organization with its limits and usage. */
export async function getPlan(ctx: Context, input: GetPlan): Promise<OrganizationPlan> {
  const { id: organizationId } = await getOwnOrganization(ctx, input.organizationId)
  const { plan, subscription } = await findPlan(ctx, organizationId)
  return {
    organizationId,
    plan,
    status: subscription?.status ?? null,
    currentPeriodEnd: subscription?.currentPeriodEnd?.toISOString() ?? null,
    limits: plans[plan],
    usage: {
      members: await countUsed(ctx, organizationId, 'members'),
      projects: await countUsed(ctx, organizationId, 'projects'),
    },
  }
}
