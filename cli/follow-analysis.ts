import { coreFailure, type CoreClient } from '../client/core-client.ts'
import type { AnalysisWithResult } from '../core/analysis/schema.ts'
import type { AnalysisResult, FirstAnswer } from '../engines/analysis/schema.ts'
import type { Context } from './context.ts'
import { CommandError, exitCodes } from './failure.ts'
import { analysisProgress } from '../client/progress.ts'
import { askPatiently, waitSeconds } from './following.ts'

/** A completed analysis with its result. */
export type CompletedAnalysis = Omit<AnalysisWithResult, 'result'> & { result: AnalysisResult }

/** @throws CommandError where the analysis fails */
export async function followAnalysis(analysisId: string, context: Context): Promise<CompletedAnalysis> {
  const { result, ...record } = await followToEnd(analysisId, context, true)
  if (!result) throw failure(`The analysis ${analysisId} is completed, but its result is no longer stored.`)
  return { ...record, result }
}

/**
 * Waits until an analysis has ended. Of a large repository, the result alone takes the server a good part of the wait.
 *
 * @throws CommandError where the analysis fails
 */
export async function followToEnd(
  analysisId: string,
  context: Context,
  includeResult = false,
): Promise<AnalysisWithResult> {
  const { out, onInterrupt } = context
  const client = await context.core()
  const startedAt = Date.now()
  let isFirstTold = false
  onInterrupt(`The analysis continues on the server. Follow it with \`assay analyze --id ${analysisId}\`.`)
  out.milestone(`Waiting for analysis ${analysisId}`)
  for (;;) {
    const wait = waitSeconds(startedAt, out.watched)
    const record = await askPatiently(
      () => client.analysis.getAnalysis.query({ analysisId, waitSeconds: wait, includeResult }),
      context,
    )
    const { status, error, progress } = record
    if (status === 'completed' || status === 'failed') {
      onInterrupt(null)
      if (status === 'completed') return record
      const reason = error ? `${error.code}: ${error.message}` : 'no reason was recorded.'
      throw failure(`The analysis ${analysisId} failed: ${reason}`)
    }
    if (progress?.firstAnswer && !isFirstTold) {
      isFirstTold = true
      out.milestone(`Found ${contentsOf(progress.firstAnswer)}`)
    }
    out.milestone(`Analysis: ${progress ? analysisProgress(progress).message : status}`)
  }
}

const failure = (message: string) => new CommandError(exitCodes.no, 'ANALYSIS_FAILED', message)

const contentsOf = ({ languages, frameworks, testFrameworks }: FirstAnswer) =>
  Object.entries(languages)
    .slice(0, 3)
    .map(([language, files]) => `${language} (${files} ${files === 1 ? 'file' : 'files'})`)
    .concat(frameworks.slice(0, 3), testFrameworks.slice(0, 2))
    .join(', ')

/** Repeats a call that core refuses until the first analysis of the project has ended. */
export async function afterFirstAnalysis<T>(context: Context, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    const refusal = coreFailure(error)
    if (refusal?.kind !== 'refused' || refusal.hint?.kind !== 'analysis_running') throw error
    await followToEnd(refusal.hint.analysisId, context)
    return ask()
  }
}

/** Finds the latest completed analysis of the repository among the last 100. */
export async function latestAnalysis(core: CoreClient, projectId: string) {
  const analyses = await core.projects.getProjectAnalyses.query({ projectId, snapshotId: null, limit: 100 })
  return analyses.find(({ status }) => status === 'completed')
}
