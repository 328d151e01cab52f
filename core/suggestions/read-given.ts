import { taskAt, TaskFailure } from '../../engines/processes/tasks.ts'
import type { AnalysisResult } from '../../engines/analysis/schema.ts'
import type { Context } from '../base/context.ts'
import { engineRunner } from '../base/engines.ts'
import { invalid } from '../base/errors.ts'
import { invalidFields } from '../base/input.ts'
import type { GivenWork } from './read-given-task.ts'

const task = taskAt<GivenWork>(new URL('read-given-task.ts', import.meta.url))

/**
 * Reads an analysis that the caller sent, in another process: it may have hundreds of thousands of values. Of a large one
 * it keeps what the AI service can use.
 *
 * @throws AppError 400 that names the first wrong fields
 */
export async function readGivenAnalysis(ctx: Context, text: Buffer, owner: string): Promise<AnalysisResult> {
  const read = await engineRunner(ctx, 'interactive', owner)
    .run(task, text)
    .catch((error: unknown) => {
      if (!(error instanceof TaskFailure) || error.reason === 'lost') throw error
      throw invalid(`analysisOverride: ${error.problem}`, { cause: error })
    })
  if ('issues' in read) {
    const issues = read.issues.map(({ path, message }) => ({ path: ['analysisOverride', ...path], message }))
    throw invalidFields(issues, read.more)
  }
  // The text comes from our own code, which wrote it just before.
  return JSON.parse(read.analysis) as AnalysisResult
}
