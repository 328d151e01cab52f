import type { Call } from '../tools/tool.ts'
import { firstAnalysisMs } from './wait-for-analysis.ts'
import { runFact } from './run-facts.ts'
import { runProgress } from './wait-for-run.ts'

/** A run that measures the coverage and takes longer than the call waits. */
export interface Measuring {
  measuringRun: string
}

/**
 * Repeats a call that core refuses until the run that measures the coverage has ended. Reports the progress of the run
 * where the token may read it.
 *
 * @param ask - gets how long core may wait, in seconds
 */
export async function whileMeasuring<T>(ask: (waitSeconds: number) => Promise<T>, call: Call): Promise<T | Measuring> {
  const deadline = Date.now() + firstAnalysisMs
  for (;;) {
    const left = Math.max(0, Math.floor((deadline - Date.now()) / 1_000))
    try {
      return await ask(Math.min(left, call.wantsProgress ? 2 : left))
    } catch (error) {
      const { coreFailure } = await import('../../client/core-client.ts')
      const failure = coreFailure(error)
      if (failure?.kind !== 'refused' || failure.hint?.kind !== 'measuring') throw error
      const { runId } = failure.hint
      if (left === 0) return { measuringRun: runId }
      const run = await call.core.testRuns.get.query({ runId }).catch(() => undefined)
      if (run) call.reportProgress(runProgress(runFact(run)))
    }
  }
}

export const isMeasuring = (answer: object): answer is Measuring => 'measuringRun' in answer
