import type { Context } from '../base/context.ts'
import { internal, invalid, procedureHint, timeout } from '../base/errors.ts'
import { loadResult, waitForAnalysis } from './get.ts'
import type { StartAnalysis } from './schema.ts'
import type { AnalysisResult } from '../../engines/analysis/schema.ts'
import { startAnalysis } from './start.ts'

const patience = 180_000

/** Analyses the repository and answers with the result when it is done. Whoever gives up waiting loses nothing. */
export async function analyzeRepository(ctx: Context, input: StartAnalysis): Promise<AnalysisResult> {
  const { id } = await startAnalysis(ctx, input)
  const row = await waitForAnalysis(ctx, id, patience)
  if (row.status === 'failed') {
    throw invalid(`The repository could not be analysed: ${row.error?.message ?? 'no reason was recorded'}`)
  }
  if (row.status !== 'completed') {
    throw timeout(
      `The analysis goes on. Ask for it with analysis.getAnalysis and analysisId ${id}.`,
      procedureHint('analysis.getAnalysis'),
    )
  }
  const result = await loadResult(ctx, id)
  if (!result) throw internal(`The analysis ${id} is completed but has no result.`)
  return result
}
