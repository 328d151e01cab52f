import { procedure, router } from '../http/trpc.ts'
import { ProjectRef } from '../projects/schema.ts'
import { z } from 'zod'
import { getAnalysis, getLatestProjectAnalysis, getProjectAnalyses } from './get.ts'
import { listCandidates } from './list-candidates.ts'
import { getMeasuredCoverage } from './measured-coverage.ts'
import {
  Analysis,
  AnalysisWithResult,
  CandidatesPage,
  GetAnalysis,
  GetMeasuredCoverage,
  ListAnalyses,
  ListCandidates,
  MeasuredCoverage,
  StartAnalysis,
} from './schema.ts'
import { startAnalysis } from './start.ts'

export const analysisRouter = router({
  startAnalysis: procedure
    .input(StartAnalysis)
    .output(Analysis)
    .mutation(({ ctx, input }) => startAnalysis(ctx, input)),
  getMeasuredCoverage: procedure
    .input(GetMeasuredCoverage)
    .output(MeasuredCoverage)
    .query(({ ctx, input }) => getMeasuredCoverage(ctx, input)),
  listCandidates: procedure
    .input(ListCandidates)
    .output(CandidatesPage)
    .query(({ ctx, input }) => listCandidates(ctx, input)),
  getAnalysis: procedure
    .input(GetAnalysis)
    .output(AnalysisWithResult)
    .query(({ ctx, input }) => getAnalysis(ctx, input)),
})

/** The analyses of a project, under `projects`. */
export const projectAnalysesRouter = router({
  getProjectAnalyses: procedure
    .input(ListAnalyses)
    .output(z.array(Analysis))
    .query(({ ctx, input }) => getProjectAnalyses(ctx, input)),
  getLatestProjectAnalysis: procedure
    .input(ProjectRef)
    .output(AnalysisWithResult)
    .query(({ ctx, input }) => getLatestProjectAnalysis(ctx, input)),
})
