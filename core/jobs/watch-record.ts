import type { Logger } from '../base/log.ts'

const lookIntervalMs = 500

/** Follows a record while it is worked on. */
export interface RecordWatch extends AsyncDisposable {
  /** Aborts when the work is in vain: the record was ended or taken up by somebody else, or deleted. */
  signal: AbortSignal
  /** Does not wait for the next look: there is something new to write down. */
  lookNow: () => void
}

export interface Watched<Progress> {
  /** For the log. */
  id: string
  /** How far the work is; undefined before there is anything to tell. */
  progress: () => Progress | undefined
  /** Both say whether the record is still ours. */
  write: (progress: Progress) => Promise<boolean>
  look: () => Promise<boolean>
}

/** Looks at the record twice a second, and writes down how far the work is where that has changed. */
export function watchRecord<Progress>(log: Logger, watched: Watched<Progress>): RecordWatch {
  const inVain = new AbortController()
  let written = ''
  let looking: Promise<void> | undefined

  const look = async () => {
    const progress = watched.progress()
    const text = JSON.stringify(progress)
    const isOurs = progress && text !== written ? await watched.write(progress) : await watched.look()
    written = text
    if (!isOurs) inVain.abort(new Error('The attempt is not current any more.'))
  }
  const lookNow = () => {
    looking ??= look()
      .catch((error: unknown) => log.warn({ err: error, recordId: watched.id }, 'a record cannot be reached'))
      .finally(() => {
        looking = undefined
      })
  }
  const timer = setInterval(lookNow, lookIntervalMs)

  return {
    signal: inVain.signal,
    lookNow,
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await looking
    },
  }
}
