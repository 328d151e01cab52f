import type { AnalysisProgress } from '../core/analysis/schema.ts'
import type { AnalysisResult } from '../engines/analysis/schema.ts'
import { describeLocalRepository, type LocalRepository } from './local-repository.ts'
import { analyzeWorkingTree } from './working-tree.ts'

/** Where a local analysis stands when the caller stops waiting. */
export type LocalOutcome =
  | { done: true; repository: LocalRepository; result: AnalysisResult }
  | { done: false; repository: LocalRepository; progress: AnalysisProgress | undefined }

export interface Waiting {
  waitMs: number
  signal: AbortSignal
  onProgress?: (progress: AnalysisProgress) => void
  /** A later page is wanted of what was shown last; where that is no longer kept, the tree is analysed anew. */
  sameAsShown?: boolean
}

/** Analyses of working trees on the agent's own machine. */
export interface LocalAnalyzer extends Disposable {
  /**
   * Analyses the working tree around `path` as it is, uncommitted changes included. What is not done when the time is
   * over goes on, and the next call for the same tree waits for that one.
   */
  analyze: (path: string, waiting: Waiting) => Promise<LocalOutcome>
}

interface Run {
  result: Promise<AnalysisResult>
  progress: AnalysisProgress | undefined
  listeners: Set<(progress: AnalysisProgress) => void>
  waiting: number
  /** Somebody has the result: who asks next wants to see the tree as it is then. */
  isShown: boolean
  abort: AbortController
}

/** A result is stale after a while: the tree has changed. */
const keptMs = 5 * 60_000

/** @param cacheDirectory - where facts of earlier analyses are kept, so that the next one costs little */
export function createLocalAnalyzer(cacheDirectory: string): LocalAnalyzer {
  const runs = new Map<string, Run>()
  const forget = (root: string, run: Run) => {
    if (runs.get(root) === run) runs.delete(root)
  }

  const start = (root: string): Run => {
    const abort = new AbortController()
    const listeners: Run['listeners'] = new Set()
    const result = analyzeWorkingTree(root, {
      cacheDirectory,
      signal: abort.signal,
      onProgress: (progress) => {
        run.progress = progress
        for (const listener of listeners) listener(progress)
      },
    })
    const run: Run = { result, progress: undefined, listeners, waiting: 0, isShown: false, abort }
    // A failure belongs to whoever asks next; until then it is nobody's unhandled rejection.
    result.then(
      () => setTimeout(() => forget(root, run), keptMs).unref(),
      () => {},
    )
    runs.set(root, run)
    return run
  }

  return {
    analyze: async (path, { waitMs, signal, onProgress, sameAsShown = false }) => {
      const repository = await describeLocalRepository(path)
      const { root } = repository
      const known = runs.get(root)
      const run = known && (sameAsShown || !known.isShown) ? known : start(root)
      run.waiting += 1
      if (onProgress) run.listeners.add(onProgress)
      try {
        const result = await within(run.result, waitMs, signal)
        if (result === undefined) return { done: false, repository, progress: run.progress }
        run.isShown = true
        return { done: true, repository, result }
      } catch (error) {
        // With the last one who waits gone by its own will, nobody wants the result.
        if (!signal.aborted || run.waiting === 1) {
          run.abort.abort()
          forget(root, run)
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

/** The value, or undefined when the time is over first. */
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
