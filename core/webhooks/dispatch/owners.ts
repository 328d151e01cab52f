import type { EntityManager } from 'typeorm'

const mostRemembered = 20_000

/** SQL for whose a webhook (w) is: its organization's, if it has one, and of who made it. */
export const ownersOf = `array_remove(ARRAY[w.organization_id, w.user_id], NULL)`

/**
 * Knows whose webhooks are whose and how much each owner has under way here. No owner has more than half of what all
 * others leave free, so that there is room for one more, however many webhooks others have and however slow those are.
 */
export class Owners {
  readonly #ofWebhook = new Map<string, string[]>()
  readonly #busy = new Map<string, number>()
  #free: number

  constructor(places: number) {
    this.#free = places
  }

  get free(): number {
    return this.#free
  }

  /** Looks up those that are not known yet: a webhook's owners never change. */
  async learn(db: EntityManager, webhookIds: readonly string[]): Promise<void> {
    const unknown = webhookIds.filter((id) => !this.#ofWebhook.has(id))
    if (unknown.length === 0) return
    if (this.#ofWebhook.size > mostRemembered) this.#ofWebhook.clear()
    const rows = await db.query<{ id: string; owners: string[] }[]>(
      `SELECT w.id, ${ownersOf} AS owners FROM webhooks w WHERE w.id = ANY ($1)`,
      [webhookIds],
    )
    for (const { id, owners } of rows) this.#ofWebhook.set(id, owners)
  }

  /** Deals out what is free among these webhooks, at most so much each. */
  share(webhookIds: readonly string[], mostEach: number): Map<string, number> {
    const shares = new Map<string, number>()
    for (const id of webhookIds) {
      const share = this.shareOf(id, mostEach)
      if (share < 1) continue
      shares.set(id, share)
      this.began(this.#of(id), share)
    }
    for (const [id, share] of shares) this.ended(this.#of(id), share)
    return shares
  }

  /** The less is left, the less each gets, so that what hangs has less than what does not. */
  shareOf(webhookId: string, mostEach: number): number {
    const room = this.roomFor(webhookId)
    return Math.min(room, mostEach, Math.max(1, Math.floor((8 * room) / mostEach)))
  }

  /** How much more of this webhook there may be: each of its owners has to have room. */
  roomFor(webhookId: string): number {
    // What is free and what the owner has, halved, less what it has.
    return Math.min(...this.#of(webhookId).map((owner) => Math.ceil((this.#free - this.#busyOf(owner)) / 2)))
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
