import { procedure, router } from '../http/trpc.ts'
import { getOverview } from './overview.ts'
import { GetOverview, Overview } from './schema.ts'

/** Under `projects`. */
export const projectHistoryRouter = router({
  overview: procedure
    .input(GetOverview)
    .output(Overview)
    .query(({ ctx, input }) => getOverview(ctx, input)),
})
