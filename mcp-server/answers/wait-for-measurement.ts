import type { Call } from '../tools/tool.ts'
import { analysisProgress } from '../../client/progress.ts'
import { findMeasured, type Measured } from '../../client/measured-ancestor.ts'
import { runFact } from './run-facts.ts'
import { runProgress } from './wait-for-run.ts'

/** The work that a call needs and that takes longer than the call waits. */
export interface Unfinished {
  unfinished: { kind: 'measuring'; runId: string } | { kind: 'analysis_running'; analysisId: string }
}

/**
 * Repeats a call that core refuses until the analysis and the run that measures the coverage have ended, or the time is
 * up. Reports their progress where the token may read it.
 *
 * @param ask - gets how long core may wait, in seconds
 */
export async function whileMeasuring<T>(
  ask: (waitSeconds: number) => Promise<T>,
  call: Call,
  deadline: number,
): Promise<T | Unfinished> {
  // The first call does not wait, so that a client that asks for progress soon gets the id of the run.
  for (let waitSeconds = 0; ;) {
    try {
      return await ask(waitSeconds)
    } catch (error) {
      const { coreFailure } = await import('../../client/core-client.ts')
      const failure = coreFailure(error)
      const hint = failure?.kind === 'refused' ? failure.hint : undefined
      if (hint?.kind !== 'measuring' && hint?.kind !== 'analysis_running') throw error
      const left = Math.max(0, Math.floor((deadline - Date.now()) / 1_000))
      if (left === 0) return { unfinished: hint }
      await report(hint, call)
      waitSeconds = call.wantsProgress ? Math.min(left, 2) : left
    }
  }
}

async function report(hint: Unfinished['unfinished'], { core, wantsProgress, reportProgress }: Call): Promise<void> {
  if (!wantsProgress) return
  if (hint.kind === 'measuring') {
    const run = await core.testRuns.get.query({ runId: hint.runId }).catch(() => undefined)
    if (run) reportProgress(runProgress(runFact(run)))
    return
  }
  const analysis = await core.analysis.getAnalysis.query({ analysisId: hint.analysisId }).catch(() => undefined)
  if (analysis?.progress) reportProgress(analysisProgress(analysis.progress))
}

/** Finds measured coverage for a checkout, and measures its commit first on request. */
export function measureCheckout(
  wanted: { projectId: string; root: string; measure: boolean },
  call: Call,
  deadline: number,
): Promise<Measured | Unfinished> {
  return findMeasured<Unfinished>(call.core, wanted, (ask) => whileMeasuring(ask, call, deadline))
}

export const isUnfinished = (answer: object): answer is Unfinished => 'unfinished' in answer
