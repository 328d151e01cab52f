import { procedure, router } from '../http/trpc.ts'
import { getPlan } from './plan.ts'
import { GetPlan, OrganizationPlan } from './schema.ts'

export const billingRouter = router({
  getPlan: procedure
    .input(GetPlan)
    .output(OrganizationPlan)
    .query(({ ctx, input }) => getPlan(ctx, input)),
})
