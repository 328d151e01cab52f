import { procedure, router } from '../http/trpc.ts'
import { find } from './find.ts'
import { Find, SearchResults } from './schema.ts'

export const searchRouter = router({
  find: procedure
    .input(Find)
    .output(SearchResults)
    .query(({ ctx, input }) => find(ctx, input)),
})
