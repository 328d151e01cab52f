import { procedure, router } from '../http/trpc.ts'
import { cancelVerification } from './cancel.ts'
import { getVerification, listVerifications } from './get.ts'
import {
  GetVerification,
  ListVerifications,
  Verification,
  VerificationBatch,
  VerificationRef,
  VerificationsPage,
  VerifyTest,
  VerifyTests,
} from './schema.ts'
import { verifyTests } from './verify-many.ts'
import { verifyTest } from './verify.ts'

export const testsRouter = router({
  verify: procedure
    .input(VerifyTest)
    .output(Verification)
    .mutation(({ ctx, input }) => verifyTest(ctx, input)),
  verifyMany: procedure
    .input(VerifyTests)
    .output(VerificationBatch)
    .mutation(({ ctx, input }) => verifyTests(ctx, input)),
  getVerification: procedure
    .input(GetVerification)
    .output(Verification)
    .query(({ ctx, input }) => getVerification(ctx, input)),
  listVerifications: procedure
    .input(ListVerifications)
    .output(VerificationsPage)
    .query(({ ctx, input }) => listVerifications(ctx, input)),
  cancelVerification: procedure
    .input(VerificationRef)
    .output(Verification)
    .mutation(({ ctx, input }) => cancelVerification(ctx, input)),
})
