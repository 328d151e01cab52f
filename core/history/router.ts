import { procedure, router } from '../http/trpc.ts'
import { listActivity } from './activity.ts'
import { listBranches } from './branches.ts'
import { getFunnel } from './funnel.ts'
import { getOverview } from './overview.ts'
import {
  Activity,
  Branches,
  Funnel,
  GetFunnel,
  GetOverview,
  GetTrends,
  ListActivity,
  ListBranches,
  Overview,
  Trends,
} from './schema.ts'
import { getTrends } from './trends.ts'

/** Under `projects`. */
export const projectHistoryRouter = router({
  overview: procedure
    .input(GetOverview)
    .output(Overview)
    .query(({ ctx, input }) => getOverview(ctx, input)),
  trends: procedure
    .input(GetTrends)
    .output(Trends)
    .query(({ ctx, input }) => getTrends(ctx, input)),
  branches: procedure
    .input(ListBranches)
    .output(Branches)
    .query(({ ctx, input }) => listBranches(ctx, input)),
  activity: procedure
    .input(ListActivity)
    .output(Activity)
    .query(({ ctx, input }) => listActivity(ctx, input)),
  funnel: procedure
    .input(GetFunnel)
    .output(Funnel)
    .query(({ ctx, input }) => getFunnel(ctx, input)),
})
