import type { AnalysisWithResult } from '../../core/analysis/schema.ts'
import { cleanLine, shorten } from '../../client/sanitize.ts'
import { UserError } from '../../client/user-error.ts'
import type { Call } from '../tools/tool.ts'
import { analysisProgress } from '../../client/progress.ts'

const maxWaitSeconds = 45

/** For all that a call waits for, before the AI provider or a ranking gets the rest of the minute that clients wait. */
export const maxWaitMs = 25_000

/**
 * Returns the analysis when it has ended or the time is up. Waits in short steps where the client asks for progress.
 *
 * @param includeResult - of a large repository, the result alone takes the server a good part of the wait
 * @throws UserError where the analysis failed
 */
export async function waitForAnalysis(
  analysisId: string,
  deadline: number,
  call: Call,
  includeResult: boolean,
): Promise<AnalysisWithResult> {
  for (;;) {
    const left = Math.max(0, Math.floor((deadline - Date.now()) / 1_000))
    const waitSeconds = Math.min(left, call.wantsProgress ? 1 : maxWaitSeconds)
    const record = await call.core.analysis.getAnalysis.query({ analysisId, waitSeconds, includeResult })
    if (record.status === 'failed') {
      const { code, message } = record.error ?? { code: 'unknown', message: 'No reason was recorded.' }
      throw new UserError(
        `Analysis ${analysisId} failed: ${cleanLine(code)}: ${shorten(cleanLine(message), 500)} ` +
          'After fixing the cause, call analyze_repository again.',
      )
    }
    if (record.status === 'completed' || left === 0) return record
    if (record.progress) call.reportProgress(analysisProgress(record.progress))
  }
}

/**
 * Repeats a call that core refuses until the first analysis of the project has ended. Returns undefined where that
 * takes too long.
 */
export async function afterFirstAnalysis<T>(ask: () => Promise<T>, call: Call): Promise<T | undefined> {
  try {
    return await ask()
  } catch (error) {
    const { coreFailure } = await import('../../client/core-client.ts')
    const failure = coreFailure(error)
    if (failure?.kind !== 'refused' || failure.hint?.kind !== 'analysis_running') throw error
    const { status } = await waitForAnalysis(failure.hint.analysisId, Date.now() + maxWaitMs, call, false)
    return status === 'completed' ? ask() : undefined
  }
}
