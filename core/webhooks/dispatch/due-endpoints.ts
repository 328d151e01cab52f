/**
 * Remembers when to claim deliveries of which endpoint. It only mirrors the database and may be wrong: an entry that is
 * too early costs one query, and the next poll finds what is missing.
 */
export class DueEndpoints {
  readonly #dueAt = new Map<string, number>()
  readonly #full = new Set<string>()

  /** Keeps the earlier of the given and the known time. */
  add(webhookId: string, at: Date): void {
    const known = this.#dueAt.get(webhookId)
    if (known === undefined || at.getTime() < known) this.#dueAt.set(webhookId, at.getTime())
  }

  /** The endpoint has more due deliveries than it may have in flight. */
  waitForCapacity(webhookId: string): void {
    this.#full.add(webhookId)
  }

  /** A delivery of the endpoint has ended, so that it may send another one. */
  capacityFreed(webhookId: string, now: Date): void {
    if (this.#full.delete(webhookId)) this.add(webhookId, now)
  }

  /** Removes and returns due endpoints that may be claimed from, the oldest entries first. */
  take(now: Date, limit: number, isAllowed: (webhookId: string) => boolean): string[] {
    const due: string[] = []
    for (const [webhookId, at] of this.#dueAt) {
      if (due.length >= limit) break
      if (at <= now.getTime() && isAllowed(webhookId)) due.push(webhookId)
    }
    for (const webhookId of due) this.#dueAt.delete(webhookId)
    return due
  }

  /** The earliest time after now, in milliseconds since 1970; infinite if there is none. */
  nextAt(now: Date): number {
    let next = Number.POSITIVE_INFINITY
    for (const at of this.#dueAt.values()) if (at > now.getTime() && at < next) next = at
    return next
  }
}
