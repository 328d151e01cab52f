/** Lets `capacity` pass at once, and `perSecond` in the long run. */
export class TokenBucket {
  readonly #capacity: number
  readonly #perSecond: number
  readonly #now: () => number
  #tokens: number
  #filledAt: number

  constructor(capacity: number, perSecond: number, now: () => number) {
    this.#capacity = capacity
    this.#perSecond = perSecond
    this.#now = now
    this.#tokens = capacity
    this.#filledAt = now()
  }

  take(): boolean {
    const now = this.#now()
    const gained = ((now - this.#filledAt) / 1_000) * this.#perSecond
    this.#tokens = Math.min(this.#capacity, this.#tokens + gained)
    this.#filledAt = now
    if (this.#tokens < 1) return false
    this.#tokens -= 1
    return true
  }
}
