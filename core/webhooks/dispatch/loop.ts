import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../../base/log.ts'

const retryPauseMs = 500

export interface LoopOptions {
  name: string
  log: Logger
  /** Returns after how many milliseconds to run again, unless the loop is woken earlier. */
  step: () => Promise<number>
}

/** Runs a step again and again. After a failure it retries every half second, and logs the first failure and the recovery. */
export class Loop {
  readonly #options: LoopOptions
  readonly #stopping = new AbortController()
  /** Since the last step began. */
  #isWoken = false
  #endWait = () => {}

  constructor(options: LoopOptions) {
    this.#options = options
  }

  /** Runs the next step now, or once more after the step that is running. */
  wake(): void {
    this.#isWoken = true
    this.#endWait()
  }

  stop(): void {
    this.#stopping.abort()
    this.wake()
  }

  /** Resolves when the loop is stopped and its last step has ended. */
  async run(): Promise<void> {
    const { name, log, step } = this.#options
    const { signal } = this.#stopping
    let isFailing = false
    while (!signal.aborted) {
      this.#isWoken = false
      try {
        const waitMs = await step()
        if (isFailing) log.info(`${name} works again`)
        isFailing = false
        await this.#wait(waitMs)
      } catch (error) {
        if (!isFailing) log.error({ err: error }, `${name} failed; retrying`)
        isFailing = true
        await sleep(retryPauseMs, undefined, { signal }).catch(() => {}) // Aborted by `stop`.
      }
    }
  }

  async #wait(ms: number): Promise<void> {
    // Even a busy loop does not starve other work.
    await nextTurn()
    if (this.#isWoken || !(ms > 0)) return
    const waiting = Promise.withResolvers<void>()
    this.#endWait = waiting.resolve
    // Timers may fire a millisecond early, and overflow beyond 2^31.
    const timeout = setTimeout(waiting.resolve, Math.min(ms + 1, 60_000))
    await waiting.promise
    clearTimeout(timeout)
  }
}
