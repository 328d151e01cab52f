import type { Context } from '../../context.ts'
import { TestRunEntity, type TestRunRow } from '../entity.ts'
import type { RunProgress } from '../schema.ts'

const lookIntervalMs = 500

/** Follows the record of a run while it is worked on. */
export interface RunWatch extends AsyncDisposable {
  /** Aborts when the work is in vain: the run was cancelled, taken up by somebody else, or deleted. */
  signal: AbortSignal
  report(progress: Omit<RunProgress, 'logLines'>): void
}

/** Looks at the record twice a second, and writes down at once how far the work is. */
export function watchRun(
  { db, log }: Pick<Context, 'db' | 'log'>,
  { id, attempt }: Pick<TestRunRow, 'id' | 'attempt'>,
  countLines: () => number,
): RunWatch {
  const runs = db.getRepository(TestRunEntity)
  const inVain = new AbortController()
  let current: Omit<RunProgress, 'logLines'> | undefined
  let written = ''
  let looking: Promise<void> | undefined

  const look = async () => {
    const progress = current && { ...current, logLines: countLines() }
    const text = JSON.stringify(progress)
    const still = { id, attempt, status: 'RUNNING' as const }
    const found =
      progress && text !== written
        ? (await runs.update(still, { progress })).affected !== 0
        : await runs.existsBy(still)
    written = text
    if (!found) inVain.abort(new Error('The run was ended by somebody else.'))
  }
  const lookNow = () => {
    looking ??= look()
      .catch((error: unknown) => log.warn({ err: error, runId: id }, 'the record of a run cannot be reached'))
      .finally(() => {
        looking = undefined
      })
  }
  const timer = setInterval(lookNow, lookIntervalMs)

  return {
    signal: inVain.signal,
    report: (progress) => {
      current = progress
      lookNow()
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await looking
    },
  }
}
