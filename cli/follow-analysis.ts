import { coreFailure, type CoreClient } from '../client/core-client.ts'
import type { AnalysisWithResult } from '../core/analysis/schema.ts'
import type { AnalysisResult } from '../engines/analysis/schema.ts'
import type { Context } from './context.ts'
import { CommandError, exitCodes } from './failure.ts'
import { analysisProgress } from '../client/progress.ts'
import { askPatiently, waitSeconds } from './following.ts'

/** A completed analysis with its result. */
export type CompletedAnalysis = Omit<AnalysisWithResult, 'result'> & { result: AnalysisResult }

/** @throws CommandError where the analysis fails */
export async function followAnalysis(analysisId: string, context: Context): Promise<CompletedAnalysis> {
  const { out, onInterrupt } = context
  const client = await context.core()
  const startedAt = Date.now()
  onInterrupt(`The analysis continues on the server. Follow it with \`assay analyze --id ${analysisId}\`.`)
  out.milestone(`Waiting for analysis ${analysisId}`)
  for (;;) {
    const wait = waitSeconds(startedAt, out.watched)
    const record = await askPatiently(
      () => client.analysis.getAnalysis.query({ analysisId, waitSeconds: wait, includeResult: true }),
      context,
    )
    const { status, result, error, progress } = record
    if (status === 'completed' || status === 'failed') {
      onInterrupt(null)
      if (status === 'completed' && result) return { ...record, result }
      const reason = error ? `${error.code}: ${error.message}` : 'the result is no longer stored.'
      throw new CommandError(exitCodes.no, 'ANALYSIS_FAILED', `The analysis ${analysisId} failed: ${reason}`)
    }
    out.milestone(`Analysis: ${progress ? analysisProgress(progress).message : status}`)
  }
}

/** Repeats a call that core refuses until the first analysis of the project has ended. */
export async function afterFirstAnalysis<T>(context: Context, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    const failure = coreFailure(error)
    if (failure?.kind !== 'refused' || failure.hint?.kind !== 'analysis_running') throw error
    await followAnalysis(failure.hint.analysisId, context)
    return ask()
  }
}

/** Finds the latest completed analysis of the repository among the last 100. */
export async function latestAnalysis(core: CoreClient, projectId: string) {
  const analyses = await core.projects.getProjectAnalyses.query({ projectId, snapshotId: null, limit: 100 })
  return analyses.find(({ status }) => status === 'completed')
}
