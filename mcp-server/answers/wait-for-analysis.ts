import type { AnalysisWithResult } from '../../core/analysis/schema.ts'
import { UserError } from '../../client/user-error.ts'
import type { Call } from '../tools/tool.ts'
import { describeError, overallProgress } from './analysis-facts.ts'

const longestWaitSeconds = 45

/**
 * The analysis as it is once it has ended or the time is up. With a client that listens, waits in short steps so that it
 * hears of progress.
 *
 * @throws UserError where it failed
 */
export async function waitForAnalysis(analysisId: string, deadline: number, call: Call): Promise<AnalysisWithResult> {
  for (;;) {
    const left = Math.max(0, Math.floor((deadline - Date.now()) / 1_000))
    const waitSeconds = Math.min(left, call.wantsProgress ? 1 : longestWaitSeconds)
    const record = await call.core.analysis.getAnalysis.query({ analysisId, waitSeconds, includeResult: true })
    if (record.status === 'failed') {
      const reason = record.error ? describeError(record.error) : 'no reason is known'
      throw new UserError(
        `Analysis ${analysisId} failed: ${reason} Once that is mended, call analyze_repository again.`,
      )
    }
    if (record.status === 'completed' || left === 0) return record
    if (record.progress) call.reportProgress(overallProgress(record.progress))
  }
}
