import { basename } from 'node:path'
import { analyze } from '../engines/analysis/analyze.ts'
import { fileCache } from '../engines/analysis/cache.ts'
import { defaultLimits } from '../engines/analysis/types.ts'
import { answerJob } from '../engines/processes/child-jobs.ts'
import type { PlanSettings } from '../engines/test-plan/plan.ts'
import { openWorkingTree } from '../engines/source/working-tree.ts'
import type { AnalysisProgress } from '../core/analysis/schema.ts'

/** The job that `working-tree.ts` gives to this process. */
export interface WorkingTreeJob {
  root: string
  /** Where the facts of the last analysis are kept. */
  factsFile: string
  /** What the project's owner set about running the tests. */
  planSettings?: PlanSettings | undefined
}

answerJob<WorkingTreeJob, AnalysisProgress>(async ({ root, factsFile, planSettings }, { signal, report }) => {
  await using snapshot = await openWorkingTree(root, { limits: defaultLimits, signal })
  return await analyze(snapshot, {
    limits: defaultLimits,
    signal,
    onProgress: (progress) => void report(progress),
    repositoryName: basename(root),
    cache: fileCache(factsFile),
    ...(planSettings && { planSettings }),
  })
})
