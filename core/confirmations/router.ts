import { procedure, router } from '../http/trpc.ts'
import { confirmFix } from './confirm.ts'
import { cancelConfirmation, getConfirmation, listConfirmations } from './get.ts'
import {
  Confirmation,
  ConfirmationRef,
  ConfirmationsPage,
  ConfirmFix,
  GetConfirmation,
  ListConfirmations,
} from './schema.ts'

/** The procedures about confirmed fixes, which belong to the router `tests`. */
export const confirmationsRouter = router({
  confirmFix: procedure
    .input(ConfirmFix)
    .output(Confirmation)
    .mutation(({ ctx, input }) => confirmFix(ctx, input)),
  getConfirmation: procedure
    .input(GetConfirmation)
    .output(Confirmation)
    .query(({ ctx, input }) => getConfirmation(ctx, input)),
  listConfirmations: procedure
    .input(ListConfirmations)
    .output(ConfirmationsPage)
    .query(({ ctx, input }) => listConfirmations(ctx, input)),
  cancelConfirmation: procedure
    .input(ConfirmationRef)
    .output(Confirmation)
    .mutation(({ ctx, input }) => cancelConfirmation(ctx, input)),
})
