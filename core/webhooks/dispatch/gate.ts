import { setImmediate as nextTurn } from 'node:timers/promises'

/** Where one waits until there is something to do. */
export class Gate {
  #isOpen = false
  #wake: (() => void) | undefined
  #opening: NodeJS.Timeout | undefined

  /** Lets through whoever waits, or who comes next. */
  open(): void {
    this.#isOpen = true
    clearTimeout(this.#opening)
    this.#opening = undefined
    this.#wake?.()
  }

  /** Opens that much later, if it does not anyway. */
  openWithin(ms: number): void {
    this.#opening ??= setTimeout(() => this.open(), ms)
  }

  /**
   * Waits until it opens, or for so long; one turn of the event loop at least, so that whoever comes again and again
   * keeps nobody else from their work. @param patiently - opening does not shorten the wait
   */
  async pass(ms: number, { patiently = false } = {}): Promise<void> {
    if (!patiently && (this.#isOpen || !(ms > 0))) {
      await nextTurn()
    } else {
      // Timers end up to a millisecond early, and hold no more than 2^31.
      const timer = Promise.withResolvers<void>()
      const timeout = setTimeout(timer.resolve, Math.min(ms + 1, 60_000))
      if (!patiently) this.#wake = timer.resolve
      await timer.promise
      clearTimeout(timeout)
      this.#wake = undefined
    }
    this.#isOpen = false
  }
}
