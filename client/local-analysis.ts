import type { AnalysisProgress } from '../core/analysis/schema.ts'
import type { AnalysisResult } from '../engines/analysis/schema.ts'
import { describeLocalRepository, type LocalRepository } from './local-repository.ts'
import { analyzeWorkingTree, type WorkingTreeOptions } from './working-tree.ts'

/** The state of a local analysis when the caller stops waiting. */
export type LocalOutcome =
  | { done: true; repository: LocalRepository; result: AnalysisResult }
  | { done: false; repository: LocalRepository; progress: AnalysisProgress | undefined }

/** What an analysis of a working tree takes from its caller. */
type Wanted = Pick<WorkingTreeOptions, 'scope' | 'measured' | 'planSettings'>

export interface Waiting extends Wanted {
  waitMs: number
  signal: AbortSignal
  onProgress?: (progress: AnalysisProgress) => void
  /** Returns the previous result for a later page. Analyzes the tree again where that result has expired. */
  sameAsShown?: boolean
}

/** Analyzes working trees on the agent's machine. */
export interface LocalAnalyzer extends Disposable {
  /**
   * Analyzes the working tree that contains `path`, with uncommitted changes. An analysis that takes longer than
   * `waitMs` continues, and the next call for the same tree and scope waits for it.
   */
  analyze: (path: string, waiting: Waiting) => Promise<LocalOutcome>
}

interface Run {
  result: Promise<AnalysisResult>
  progress: AnalysisProgress | undefined
  listeners: Set<(progress: AnalysisProgress) => void>
  waiting: number
  /** A caller has received the result, so the next call analyzes the tree again. */
  isShown: boolean
  abort: AbortController
}

/** The tree may change, so a result expires. */
const keptMs = 5 * 60_000

/** @param cacheDirectory - facts of earlier analyses, which make the next one faster */
export function createLocalAnalyzer(cacheDirectory: string): LocalAnalyzer {
  const runs = new Map<string, Run>()
  const forget = (key: string, run: Run) => {
    if (runs.get(key) === run) runs.delete(key)
  }

  const start = (key: string, root: string, wanted: Wanted): Run => {
    const abort = new AbortController()
    const listeners: Run['listeners'] = new Set()
    const result = analyzeWorkingTree(root, {
      cacheDirectory,
      ...wanted,
      signal: abort.signal,
      onProgress: (progress) => {
        run.progress = progress
        for (const listener of listeners) listener(progress)
      },
    })
    const run: Run = { result, progress: undefined, listeners, waiting: 0, isShown: false, abort }
    // The next caller receives the failure. Until then it must not count as an unhandled rejection.
    result.then(
      () => setTimeout(() => forget(key, run), keptMs).unref(),
      () => {},
    )
    runs.set(key, run)
    return run
  }

  return {
    analyze: async (path, { waitMs, signal, onProgress, sameAsShown = false, scope, measured, planSettings }) => {
      const repository = await describeLocalRepository(path)
      const { root } = repository
      const key = JSON.stringify([root, scope, planSettings, measured && [measured.commitSha, measured.files.length]])
      const known = runs.get(key)
      const run = known && (sameAsShown || !known.isShown) ? known : start(key, root, { scope, measured, planSettings })
      run.waiting += 1
      if (onProgress) run.listeners.add(onProgress)
      try {
        const result = await within(run.result, waitMs, signal)
        if (result === undefined) return { done: false, repository, progress: run.progress }
        run.isShown = true
        return { done: true, repository, result }
      } catch (error) {
        // The last waiting caller has cancelled, so the analysis stops.
        if (!signal.aborted || run.waiting === 1) {
          run.abort.abort()
          forget(key, run)
        }
        throw error
      } finally {
        run.waiting -= 1
        if (onProgress) run.listeners.delete(onProgress)
      }
    },
    [Symbol.dispose]: () => {
      for (const { abort } of runs.values()) abort.abort()
      runs.clear()
    },
  }
}

/** Resolves to undefined where the time is over first. */
async function within<T>(promise: Promise<T>, ms: number, signal: AbortSignal): Promise<T | undefined> {
  signal.throwIfAborted()
  const { promise: over, resolve, reject } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), ms)
  const onAbort = () => reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([promise, over])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
}
