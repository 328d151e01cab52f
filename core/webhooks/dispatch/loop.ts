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
  #isWoken = false
  #isStopped = false
  #endWait: (() => void) | undefined
  #wakeTimer: NodeJS.Timeout | undefined

  constructor(options: LoopOptions) {
    this.#options = options
  }

  /** Runs the next step now, or once more after the step that is running. */
  wake(): void {
    this.#isWoken = true
    clearTimeout(this.#wakeTimer)
    this.#wakeTimer = undefined
    this.#endWait?.()
  }

  /** Wakes the loop after this time, unless it is woken earlier. */
  wakeWithin(ms: number): void {
    this.#wakeTimer ??= setTimeout(() => this.wake(), ms)
  }

  stop(): void {
    this.#isStopped = true
    this.wake()
  }

  /** Resolves when the loop is stopped and its last step has ended. */
  async run(): Promise<void> {
    const { name, log, step } = this.#options
    let isFailing = false
    while (!this.#isStopped) {
      try {
        const waitMs = await step()
        if (isFailing) log.info(`${name} works again`)
        isFailing = false
        await this.#wait(waitMs)
      } catch (error) {
        if (!isFailing) log.error({ err: error }, `${name} failed; retrying`)
        isFailing = true
        await sleep(retryPauseMs)
      }
    }
  }

  /** Always yields to the event loop, so that a busy loop does not starve other work. */
  async #wait(ms: number): Promise<void> {
    if (this.#isWoken || !(ms > 0)) {
      await nextTurn()
    } else {
      const waiting = Promise.withResolvers<void>()
      this.#endWait = waiting.resolve
      // Timers may fire a millisecond early, and overflow beyond 2^31.
      const timeout = setTimeout(waiting.resolve, Math.min(ms + 1, 60_000))
      await waiting.promise
      clearTimeout(timeout)
      this.#endWait = undefined
    }
    this.#isWoken = false
  }
}
