import { createHash } from 'node:crypto'
import { extname, join, resolve } from 'node:path'
import type { AnalysisProgress } from '../core/analysis/schema.ts'
import type { AnalysisResult, AnalysisScope } from '../engines/analysis/schema.ts'
import type { MeasuredAncestor } from './measured-ancestor.ts'
import type { PlanSettings } from '../engines/test-plan/plan.ts'
import { cleanLine, shorten } from './sanitize.ts'
import { UserError } from './user-error.ts'
import type { WorkingTreeJob } from './working-tree-process.ts'

// In the same folder as this file, which is JavaScript in the published package.
const program = resolve(import.meta.dirname, `working-tree-process${extname(import.meta.filename)}`)

/** Their messages name what does not exist, and the nearest names. */
const scopeErrors = new Set(['scope_not_found', 'reference_not_found'])

export interface WorkingTreeOptions {
  /** Where facts are kept between analyses. */
  cacheDirectory: string
  signal: AbortSignal
  onProgress: (progress: AnalysisProgress) => void
  /** What the owner of the project set about running its tests. Without them, the files alone say it. */
  planSettings?: PlanSettings | undefined
  /** Limits the candidates. `since` counts uncommitted and untracked work as well. */
  scope?: AnalysisScope | undefined
  /** Without it, all coverage is estimated. */
  measured?: MeasuredAncestor | null | undefined
}

/**
 * Analyzes a working tree as it is on disk, in a child process: a large tree neither blocks this process nor leaves its
 * memory behind, and the code that reads the files has no access to the token.
 */
export async function analyzeWorkingTree(root: string, options: WorkingTreeOptions): Promise<AnalysisResult> {
  const { signal, onProgress, cacheDirectory, planSettings, scope, measured } = options
  signal.throwIfAborted()
  const [{ runInChildProcess }, { RepositoryError }] = await Promise.all([
    import('../engines/processes/child-jobs.ts'),
    import('../engines/source/types.ts'),
  ])
  const job: WorkingTreeJob = {
    root,
    factsFile: join(cacheDirectory, createHash('sha256').update(root).digest('hex').slice(0, 32)),
    planSettings,
    scope,
    measured,
  }
  try {
    return await runInChildProcess<AnalysisResult, AnalysisProgress>(program, job, {
      signal,
      onEvent: onProgress,
      inherit: ['PATH', 'HOME', 'TMPDIR'],
      // An agent soon asks again, and then only reads what it has changed.
      keepFor: root,
    })
  } catch (error) {
    if (signal.aborted || !(error instanceof RepositoryError)) throw error
    if (scopeErrors.has(error.code)) throw new UserError(shorten(cleanLine(error.message), 500))
    throw new UserError(`The analysis failed: ${cleanLine(error.code)}: ${shorten(cleanLine(error.message), 500)}`)
  }
}
