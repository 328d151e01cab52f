import type { EntityManager } from 'typeorm'

const maxRemembered = 20_000

/** SQL for the owners of a webhook (w): its organization, if it has one, and the user who created it. */
export const ownersOf = `array_remove(ARRAY[w.organization_id, w.user_id], NULL)`

/**
 * Divides the slots of this process among the owners of webhooks. No owner gets more than half of the slots that the
 * others leave free, so that another owner always gets one, however many slow webhooks the others have.
 */
export class Owners {
  readonly #ofWebhook = new Map<string, string[]>()
  readonly #busy = new Map<string, number>()
  #free: number

  constructor(slots: number) {
    this.#free = slots
  }

  get free(): number {
    return this.#free
  }

  /** Loads the owners of webhooks and caches them, since they never change. */
  async learn(db: EntityManager, webhookIds: readonly string[]): Promise<void> {
    const unknown = webhookIds.filter((id) => !this.#ofWebhook.has(id))
    if (unknown.length === 0) return
    if (this.#ofWebhook.size > maxRemembered) this.#ofWebhook.clear()
    const rows = await db.query<{ id: string; owners: string[] }[]>(
      `SELECT w.id, ${ownersOf} AS owners FROM webhooks w WHERE w.id = ANY ($1)`,
      [webhookIds],
    )
    for (const { id, owners } of rows) this.#ofWebhook.set(id, owners)
  }

  /** Divides the free slots evenly among these webhooks, within the limits of their owners. */
  share(webhookIds: readonly string[], maxEach: number): Map<string, number> {
    const shares = new Map<string, number>()
    const each = Math.max(1, Math.min(maxEach, Math.floor(this.#free / webhookIds.length)))
    for (const id of webhookIds) {
      const share = Math.min(each, this.capacityFor(id))
      if (share < 1) continue
      shares.set(id, share)
      this.began(this.#of(id), share)
    }
    for (const [id, share] of shares) this.ended(this.#of(id), share)
    return shares
  }

  /** Returns how many more slots this webhook may use: the minimum over its owners. */
  capacityFor(webhookId: string): number {
    let capacity = this.#free
    for (const owner of this.#ofWebhook.get(webhookId) ?? []) {
      // Half of (free + busy of this owner), minus busy.
      capacity = Math.min(capacity, Math.ceil((this.#free - this.#busyOf(owner)) / 2))
    }
    return capacity
  }

  began(owners: readonly string[], count = 1): void {
    this.#free -= count
    for (const owner of owners) this.#busy.set(owner, this.#busyOf(owner) + count)
  }

  ended(owners: readonly string[], count = 1): void {
    this.#free += count
    for (const owner of owners) {
      const left = this.#busyOf(owner) - count
      if (left > 0) this.#busy.set(owner, left)
      else this.#busy.delete(owner)
    }
  }

  #of(webhookId: string): string[] {
    return this.#ofWebhook.get(webhookId) ?? [webhookId]
  }

  #busyOf(owner: string): number {
    return this.#busy.get(owner) ?? 0
  }
}
