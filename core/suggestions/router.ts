import { SuggestTests, SuggestTestsResult } from './schema.ts'
import { suggestTests } from './suggest-tests.ts'
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

/** The procedure that belongs to the router `analysis`. */
export const suggestTestsRouter = router({
  suggestTests: procedure
    .input(SuggestTests)
    .output(SuggestTestsResult)
    .mutation(({ ctx, input }) => suggestTests(ctx, input)),
})
