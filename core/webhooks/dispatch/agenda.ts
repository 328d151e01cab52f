/**
 * When to look at which endpoint again. It is a note of what the database holds and may be wrong in both directions:
 * too early costs a look in vain, and what it lacks is found by the next round over the table.
 */
export class Agenda {
  readonly #dueAt = new Map<string, number>()
  readonly #full = new Set<string>()

  /** Whichever is earlier counts, this or what was expected before. */
  expect(webhookId: string, at: Date): void {
    const known = this.#dueAt.get(webhookId)
    if (known === undefined || at.getTime() < known) this.#dueAt.set(webhookId, at.getTime())
  }

  /** More is due than may be under way at once. */
  waitForRoom(webhookId: string): void {
    this.#full.add(webhookId)
  }

  /** A delivery of this endpoint has ended. */
  madeRoom(webhookId: string, now: Date): void {
    if (this.#full.delete(webhookId)) this.expect(webhookId, now)
  }

  /** Takes out what is due, those that have waited longest on this list first. */
  take(now: Date, limit: number): string[] {
    const due: string[] = []
    for (const [webhookId, at] of this.#dueAt) {
      if (due.length >= limit) break
      if (at <= now.getTime()) due.push(webhookId)
    }
    for (const webhookId of due) this.#dueAt.delete(webhookId)
    return due
  }

  /** In milliseconds since 1970; infinite when nothing is expected. */
  nextAt(): number {
    let next = Number.POSITIVE_INFINITY
    for (const at of this.#dueAt.values()) if (at < next) next = at
    return next
  }
}
