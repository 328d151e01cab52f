import { AnalyzedRepository, AnalyzeRepository } from '../analysis/schema.ts'
import { analyzeMeasured } from './analyze-measured.ts'
import { ProjectRef } from '../projects/schema.ts'
import { getProject } from './get-project.ts'
import { ProjectDetail } from './schema.ts'
import { procedure, router } from '../http/trpc.ts'
import { cancelRun } from './cancel.ts'
import { coverageByFolder } from './results/coverage-by-folder.ts'
import { listCoverage } from './results/list-coverage.ts'
import { FailureDigest, GetFailures } from './failures/schema.ts'
import { getFailures } from './failures.ts'
import { getRun, listRuns } from './get.ts'
import { getTestHistory } from './results/history.ts'
import { readRunLog } from './log/log.ts'
import { planRun } from './plan-run.ts'
import { rerunFailed } from './rerun-failed.ts'
import { listResults } from './results/list-results.ts'
import {
  CoverageByFolder,
  CoveragePage,
  GetTestHistory,
  ListCoverage,
  ListCoverageByFolder,
  ListResults,
  ResultsPage,
  TestHistory,
} from './results/schema.ts'
import {
  GetRun,
  ListRuns,
  PlanRun,
  RunPlanView,
  RunRef,
  RunsPage,
  TestRun,
  TestRunDetail,
  TriggerRun,
} from './schema.ts'
import { LogPage, ReadLog } from './log/schema.ts'
import { triggerRun } from './trigger.ts'

export const testRunsRouter = router({
  trigger: procedure
    .input(TriggerRun)
    .output(TestRun)
    .mutation(({ ctx, input }) => triggerRun(ctx, input)),
  plan: procedure
    .input(PlanRun)
    .output(RunPlanView)
    .mutation(({ ctx, input }) => planRun(ctx, input)),
  list: procedure
    .input(ListRuns)
    .output(RunsPage)
    .query(({ ctx, input }) => listRuns(ctx, input)),
  get: procedure
    .input(GetRun)
    .output(TestRunDetail)
    .query(({ ctx, input }) => getRun(ctx, input)),
  cancel: procedure
    .input(RunRef)
    .output(TestRun)
    .mutation(({ ctx, input }) => cancelRun(ctx, input)),
  rerunFailed: procedure
    .input(RunRef)
    .output(TestRun)
    .mutation(({ ctx, input }) => rerunFailed(ctx, input)),
  results: procedure
    .input(ListResults)
    .output(ResultsPage)
    .query(({ ctx, input }) => listResults(ctx, input)),
  history: procedure
    .input(GetTestHistory)
    .output(TestHistory)
    .query(({ ctx, input }) => getTestHistory(ctx, input)),
  coverage: procedure
    .input(ListCoverage)
    .output(CoveragePage)
    .query(({ ctx, input }) => listCoverage(ctx, input)),
  coverageByFolder: procedure
    .input(ListCoverageByFolder)
    .output(CoverageByFolder)
    .query(({ ctx, input }) => coverageByFolder(ctx, input)),
  failures: procedure
    .input(GetFailures)
    .output(FailureDigest)
    .query(({ ctx, input }) => getFailures(ctx, input)),
  log: procedure
    .input(ReadLog)
    .output(LogPage)
    .query(({ ctx, input }) => readRunLog(ctx, input)),
})

/** The procedure that belongs to the router `analysis`, and may run the tests. */
export const analyzeRepositoryRouter = router({
  analyzeRepository: procedure
    .input(AnalyzeRepository)
    .output(AnalyzedRepository)
    .mutation(({ ctx, input }) => analyzeMeasured(ctx, input)),
})

/** The procedures about runs that belong to the router `projects`. */
export const projectRunsRouter = router({
  getProject: procedure
    .input(ProjectRef)
    .output(ProjectDetail)
    .query(({ ctx, input }) => getProject(ctx, input)),
})
