import type { EntityManager } from 'typeorm'

const mostRemembered = 20_000

/** Knows whose webhooks are whose, and how much each owner has under way here. */
export class Owners {
  readonly #ofWebhook = new Map<string, string>()
  readonly #busy = new Map<string, number>()

  /** Looks up those that are not known yet: a webhook's owner never changes. */
  async learn(db: EntityManager, webhookIds: readonly string[]): Promise<void> {
    const unknown = webhookIds.filter((id) => !this.#ofWebhook.has(id))
    if (unknown.length === 0) return
    if (this.#ofWebhook.size > mostRemembered) this.#ofWebhook.clear()
    const rows = await db.query<{ id: string; owner: string }[]>(
      'SELECT id, coalesce(organization_id, user_id) AS owner FROM webhooks WHERE id = ANY ($1)',
      [webhookIds],
    )
    for (const { id, owner } of rows) this.#ofWebhook.set(id, owner)
  }

  /** Of these webhooks those whose owners may have more under way, each with up to `each` deliveries. */
  withRoom(webhookIds: readonly string[], each: number, most: number): string[] {
    const planned = new Map<string, number>()
    return webhookIds.filter((id) => {
      const owner = this.#ofWebhook.get(id) ?? id
      const busy = (this.#busy.get(owner) ?? 0) + (planned.get(owner) ?? 0)
      if (busy >= most) return false
      planned.set(owner, (planned.get(owner) ?? 0) + each)
      return true
    })
  }

  began(owner: string): void {
    this.#busy.set(owner, (this.#busy.get(owner) ?? 0) + 1)
  }

  ended(owner: string): void {
    const left = (this.#busy.get(owner) ?? 0) - 1
    if (left > 0) this.#busy.set(owner, left)
    else this.#busy.delete(owner)
  }
}
