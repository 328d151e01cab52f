import type { Logger } from '../base/log.ts'

const checkIntervalMs = 500

/** Watches a record while a worker processes it. */
export interface RecordWatch extends AsyncDisposable {
  /** Aborts when the record was ended or deleted, or another worker has started a newer attempt. */
  signal: AbortSignal
  /** Stores new progress immediately. */
  checkNow: () => void
}

export interface Watched<Progress> {
  id: string
  /** Returns the progress of the work; undefined before it has begun. */
  progress: () => Progress | undefined
  /** Stores the progress and returns whether the attempt is current. */
  write: (progress: Progress) => Promise<boolean>
  isCurrent: () => Promise<boolean>
}

/** Checks the record twice a second, and stores the progress if it has changed. */
export function watchRecord<Progress>(log: Logger, watched: Watched<Progress>): RecordWatch {
  const lost = new AbortController()
  let written = ''
  let checking: Promise<void> | undefined

  const check = async () => {
    const progress = watched.progress()
    const text = JSON.stringify(progress)
    const isCurrent = progress && text !== written ? await watched.write(progress) : await watched.isCurrent()
    written = text
    if (!isCurrent) lost.abort(new Error('The attempt is no longer current.'))
  }
  const checkNow = () => {
    checking ??= check()
      .catch((error: unknown) => log.warn({ err: error, recordId: watched.id }, 'cannot check the state of a record'))
      .finally(() => {
        checking = undefined
      })
  }
  const timer = setInterval(checkNow, checkIntervalMs)

  return {
    signal: lost.signal,
    checkNow,
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await checking
    },
  }
}
