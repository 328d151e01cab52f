import { GeneratedTests, GenerateTests } from './schema.ts'
import { generateTests } from './generate.ts'
import { procedure, router } from '../http/trpc.ts'
import { dismissGeneratedTest } from './dismiss.ts'
import { getGeneratedTest } from './get.ts'
import { listGeneratedTests } from './list.ts'
import { GeneratedTest, GeneratedTestRef, GeneratedTestsPage, ListGeneratedTests } from './schema.ts'

export const generatedTestsRouter = router({
  list: procedure
    .input(ListGeneratedTests)
    .output(GeneratedTestsPage)
    .query(({ ctx, input }) => listGeneratedTests(ctx, input)),
  get: procedure
    .input(GeneratedTestRef)
    .output(GeneratedTest)
    .query(({ ctx, input }) => getGeneratedTest(ctx, input)),
  dismiss: procedure
    .input(GeneratedTestRef)
    .output(GeneratedTest)
    .mutation(({ ctx, input }) => dismissGeneratedTest(ctx, input)),
})

/** The procedure that belongs to the router `analysis`. */
export const generateTestsRouter = router({
  generateTests: procedure
    .input(GenerateTests)
    .output(GeneratedTests)
    .mutation(({ ctx, input }) => generateTests(ctx, input)),
})
