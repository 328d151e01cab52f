/**
 * Counts the slots of this process: each delivery in flight uses one. It counts for every owner of its endpoint.
 *
 * An owner gets another slot only while it holds fewer than are free. It leaves as many as it holds, so that another
 * owner always gets one, however many slow endpoints the first one has.
 */
export class Slots {
  #free: number
  readonly #held = new Map<string, number>()

  constructor(count: number) {
    this.#free = count
  }

  get free(): number {
    return this.#free
  }

  /** Takes one slot for these owners, and returns whether they got it. */
  take(owners: readonly string[]): boolean {
    if (this.#free === 0 || owners.some((owner) => this.#heldBy(owner) >= this.#free)) return false
    this.#free--
    for (const owner of owners) this.#held.set(owner, this.#heldBy(owner) + 1)
    return true
  }

  release(owners: readonly string[], count = 1): void {
    this.#free += count
    for (const owner of owners) {
      const left = this.#heldBy(owner) - count
      if (left > 0) this.#held.set(owner, left)
      else this.#held.delete(owner)
    }
  }

  #heldBy(owner: string): number {
    return this.#held.get(owner) ?? 0
  }
}
