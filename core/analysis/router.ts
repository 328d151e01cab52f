import { generateTests } from '../generated-tests/generate.ts'
import { GeneratedTests, GenerateTests } from '../generated-tests/schema.ts'
import { procedure, router } from '../http/trpc.ts'
import { analyzeRepository } from './analyze-repository.ts'
import { getAnalysis } from './get.ts'
import { Analysis, AnalysisWithResult, GetAnalysis, StartAnalysis, SuggestTests, SuggestTestsResult } from './schema.ts'
import { AnalysisResult } from '../../engines/analysis/schema.ts'
import { startAnalysis } from './start.ts'
import { suggestTests } from './suggest-tests.ts'

export const analysisRouter = router({
  analyzeRepository: procedure
    .input(StartAnalysis)
    .output(AnalysisResult)
    .mutation(({ ctx, input }) => analyzeRepository(ctx, input)),
  startAnalysis: procedure
    .input(StartAnalysis)
    .output(Analysis)
    .mutation(({ ctx, input }) => startAnalysis(ctx, input)),
  getAnalysis: procedure
    .input(GetAnalysis)
    .output(AnalysisWithResult)
    .query(({ ctx, input }) => getAnalysis(ctx, input)),
  suggestTests: procedure
    .input(SuggestTests)
    .output(SuggestTestsResult)
    .mutation(({ ctx, input }) => suggestTests(ctx, input)),
  generateTests: procedure
    .input(GenerateTests)
    .output(GeneratedTests)
    .mutation(({ ctx, input }) => generateTests(ctx, input)),
})
