import { basename } from 'node:path'
import { analyze } from '../engines/analysis/analyze.ts'
import { fileCache } from '../engines/analysis/cache.ts'
import type { AnalysisScope } from '../engines/analysis/schema.ts'
import { defaultLimits } from '../engines/analysis/types.ts'
import { answerJob } from '../engines/processes/child-jobs.ts'
import { carryMeasured } from '../engines/coverage/unlisted.ts'
import { RepositoryError } from '../engines/source/types.ts'
import type { PlanSettings } from '../engines/test-plan/plan.ts'
import { openWorkingTree, type WorkingSnapshot } from '../engines/source/working-tree.ts'
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

answerJob<WorkingTreeJob, AnalysisProgress>(async (job, { signal, report }) => {
  const { root, factsFile, planSettings, scope, measured } = job
  await using snapshot = await openWorkingTree(root, { limits: defaultLimits, signal })
  return await analyze(snapshot, {
    limits: defaultLimits,
    signal,
    onProgress: (progress) => void report(progress),
    repositoryName: basename(root),
    cache: fileCache(factsFile),
    ...(planSettings && { planSettings }),
    ...(scope && { scope }),
    ...(measured !== undefined && { findCoverage: (within) => carryOver(snapshot, measured, within) }),
  })
})

/** Moves coverage of an earlier commit to the lines of the working tree. Lines that differ are unknown. */
async function carryOver(snapshot: WorkingSnapshot, measured: MeasuredAncestor | null, signal: AbortSignal) {
  if (!measured) return undefined
  const { commitSha, behind, files } = measured
  try {
    const changes = await snapshot.changesSince(commitSha, signal)
    const paths = snapshot.entries.map(({ path }) => path)
    return { commitSha, behind, ...carryMeasured(files, changes, paths) }
  } catch (error) {
    if (!(error instanceof RepositoryError) || error.code === 'cancelled') throw error
    const message = `The measured coverage of an earlier commit could not be used: ${error.message}`
    snapshot.warnings.push({ code: 'coverage_unknown', message })
    return undefined
  }
}
