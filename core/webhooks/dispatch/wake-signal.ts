import { setImmediate as nextTurn } from 'node:timers/promises'

/** Lets one loop wait until there is work. */
export class WakeSignal {
  #isNotified = false
  #wake: (() => void) | undefined
  #timer: NodeJS.Timeout | undefined

  /** Ends the current wait, or the next one if the loop is not waiting. */
  notify(): void {
    this.#isNotified = true
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#wake?.()
  }

  /** Notifies after this time, unless it is notified earlier. */
  notifyWithin(ms: number): void {
    this.#timer ??= setTimeout(() => this.notify(), ms)
  }

  /**
   * Waits for a notification or for this long. It always yields to the event loop, so that a busy loop does not starve
   * other work.
   *
   * @param uninterrupted - ignore notifications
   */
  async wait(ms: number, { uninterrupted = false } = {}): Promise<void> {
    if (!uninterrupted && (this.#isNotified || !(ms > 0))) {
      await nextTurn()
    } else {
      // Timers may fire a millisecond early, and overflow beyond 2^31.
      const timer = Promise.withResolvers<void>()
      const timeout = setTimeout(timer.resolve, Math.min(ms + 1, 60_000))
      if (!uninterrupted) this.#wake = timer.resolve
      await timer.promise
      clearTimeout(timeout)
      this.#wake = undefined
    }
    this.#isNotified = false
  }
}
