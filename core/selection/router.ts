import { procedure, router } from '../http/trpc.ts'
import { listShadowRuns } from './list.ts'
import { getSelection, updateSelection } from './policy.ts'
import {
  GetSelection,
  ListShadowRuns,
  SelectedTests,
  SelectionOverview,
  SelectTests,
  ShadowRunsPage,
  UpdateSelection,
} from './schema.ts'
import { selectTests } from './select.ts'

export const selectionRouter = router({
  get: procedure
    .input(GetSelection)
    .output(SelectionOverview)
    .query(({ ctx, input }) => getSelection(ctx, input)),
  update: procedure
    .input(UpdateSelection)
    .output(SelectionOverview)
    .mutation(({ ctx, input }) => updateSelection(ctx, input)),
  list: procedure
    .input(ListShadowRuns)
    .output(ShadowRunsPage)
    .query(({ ctx, input }) => listShadowRuns(ctx, input)),
})

/** The procedure that belongs to the router `testRuns`. */
export const selectTestsRouter = router({
  select: procedure
    .input(SelectTests)
    .output(SelectedTests)
    .mutation(({ ctx, input }) => selectTests(ctx, input)),
})
