import { procedure, router } from '../http/trpc.ts'
import { dismissSuggestion } from './dismiss.ts'
import { listSuggestions } from './list.ts'
import { ListSuggestions, StoredSuggestion, SuggestionRef, SuggestionsPage } from './schema.ts'

export const suggestionsRouter = router({
  list: procedure
    .input(ListSuggestions)
    .output(SuggestionsPage)
    .query(({ ctx, input }) => listSuggestions(ctx, input)),
  dismiss: procedure
    .input(SuggestionRef)
    .output(StoredSuggestion)
    .mutation(({ ctx, input }) => dismissSuggestion(ctx, input)),
})
