import type { Context } from '../base/context.ts'
import { conflict, invalid, timeout, unavailable } from '../base/errors.ts'
import { takeTurn } from '../http/take-turn.ts'
import { AnalysisInterrupted } from '../../engines/analysis/run.ts'
import { lockDirectory } from '../../engines/source/lock.ts'
import { cacheDirectory } from '../workspaces/cache-directory.ts'
import type { ProjectRow } from '../projects/entity.ts'
import type { AnalysisResult, AnalysisScope } from '../../engines/analysis/schema.ts'
import { analyzeProject, Refusal } from './analyze-project.ts'
import type { AnalyzedCommit } from './get.ts'

/** How long a call waits for an analysis of the project that has its clone. */
const maxCloneWaitMs = 30_000
/** The clone has the commit, so only the base of `since` is fetched. A slow server must not hold the turn for long. */
const limits = { fetchTimeoutMs: 45_000 }

/**
 * Ranks an analyzed commit, or the part of it that the scope names, with the newest coverage, and stores nothing. The
 * cache of the project has the facts of the commit.
 *
 * @throws AppError 400 that names what does not exist and the nearest names; 409 if an analysis of the project uses its
 *   clone for too long; 503 if the process that ranks is killed or runs out of memory
 */
export async function rankScope(
  ctx: Context,
  project: Omit<ProjectRow, 'settings'>,
  analyzed: AnalyzedCommit,
  scope?: AnalysisScope,
): Promise<AnalysisResult> {
  // The turns are few, so that calls of one project must not hold them while they wait for each other's clone.
  await waitForClone(cacheDirectory(ctx.config, project.id), ctx.signal, maxCloneWaitMs)
  return takeTurn(ctx, 'ranking', async (turn) => {
    try {
      const ref = { commitSha: analyzed.commitSha, branch: analyzed.branch ?? undefined }
      const wanted = { ref, of: analyzed, isKnown: true, limits, ...(scope && { scope }) }
      const { json } = await analyzeProject(turn, project, wanted)
      return JSON.parse(json) as AnalysisResult
    } catch (error) {
      if (error instanceof AnalysisInterrupted) {
        throw unavailable('The ranking was interrupted. Repeat the call, or limit it to a smaller part.', 1, {
          cause: error,
        })
      }
      if (!(error instanceof Refusal)) throw error
      const { code, message } = error.reason
      if (code === 'timeout') throw timeout(`${message} Repeat the call.`, { cause: error })
      const isOfScope = code === 'scope_not_found' || code === 'reference_not_found'
      throw invalid(isOfScope ? message : `Assay could not analyze the repository: ${message}`, { cause: error })
    }
  })
}

/**
 * Waits until no analysis uses the clone of a project.
 *
 * @throws AppError 409 if that takes longer than `milliseconds`
 */
export async function waitForClone(directory: string, signal: AbortSignal, milliseconds: number): Promise<void> {
  const deadline = AbortSignal.timeout(milliseconds)
  try {
    await using _lock = await lockDirectory(directory, AbortSignal.any([signal, deadline]))
  } catch (error) {
    if (signal.aborted || !deadline.aborted) throw error
    throw conflict('An analysis of this project is running. Repeat the call when it has ended.', { cause: error })
  }
}
