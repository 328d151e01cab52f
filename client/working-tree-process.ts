import { basename } from 'node:path'
import { analyze } from '../engines/analysis/analyze.ts'
import { fileCache } from '../engines/analysis/cache.ts'
import { carryCommits } from '../engines/analysis/find-coverage.ts'
import type { AnalysisScope } from '../engines/analysis/schema.ts'
import { defaultLimits } from '../engines/analysis/types.ts'
import { ParsePool } from '../engines/parsing/pool.ts'
import { answerJob } from '../engines/processes/child-jobs.ts'
import type { PlanSettings } from '../engines/test-plan/plan.ts'
import { openWorkingTree } from '../engines/source/working-tree.ts'
import type { MeasuredAncestor } from './measured-ancestor.ts'
import type { AnalysisProgress } from '../core/analysis/schema.ts'

/** The job that `working-tree.ts` gives to this process. */
export interface WorkingTreeJob {
  root: string
  /** Where the facts of the last analysis are kept. */
  factsFile: string
  /** What the project's owner set about running the tests. */
  planSettings?: PlanSettings | undefined
  scope?: AnalysisScope | undefined
  /** Null if the server has none. */
  measured?: MeasuredAncestor | null | undefined
}

let pool: ParsePool | undefined

answerJob<WorkingTreeJob, AnalysisProgress>(async (job, { signal, report }) => {
  const { root, factsFile, planSettings, scope, measured } = job
  pool ??= new ParsePool({ timeoutMs: defaultLimits.parseTimeoutMs, signal })
  await using snapshot = await openWorkingTree(root, { limits: defaultLimits, signal })
  return await analyze(snapshot, {
    limits: defaultLimits,
    signal,
    pool,
    onProgress: (progress) => void report(progress),
    repositoryName: basename(root),
    cache: fileCache(factsFile),
    ...(planSettings && { planSettings }),
    ...(scope && { scope }),
    ...(measured !== undefined && {
      findCoverage: async (within) =>
        carryCommits(snapshot, measured ? [measured, ...measured.earlier] : [], ({ commitSha }) =>
          snapshot.changesSince(commitSha, within),
        ),
    }),
  })
})
