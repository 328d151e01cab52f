import { procedure, router } from '../http/trpc.ts'
import { cancelChange } from './cancel.ts'
import { getChange, listChanges } from './get.ts'
import { Change, ChangeRef, ChangesPage, GetChange, ListChanges, VerifyChange } from './schema.ts'
import { verifyChange } from './verify.ts'

export const changesRouter = router({
  verify: procedure
    .input(VerifyChange)
    .output(Change)
    .mutation(({ ctx, input }) => verifyChange(ctx, input)),
  get: procedure
    .input(GetChange)
    .output(Change)
    .query(({ ctx, input }) => getChange(ctx, input)),
  list: procedure
    .input(ListChanges)
    .output(ChangesPage)
    .query(({ ctx, input }) => listChanges(ctx, input)),
  cancel: procedure
    .input(ChangeRef)
    .output(Change)
    .mutation(({ ctx, input }) => cancelChange(ctx, input)),
})
