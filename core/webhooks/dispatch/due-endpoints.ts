import type { Slots } from './slots.ts'

export interface Endpoint {
  /** The id of its webhook. */
  id: string
  /** Its organization, if it has one, and the user who created it. */
  owners: readonly string[]
}

/** How many deliveries of an endpoint may be claimed: as many as slots were taken for it. */
export interface Share {
  endpoint: Endpoint
  maxClaims: number
}

/**
 * Remembers when to claim deliveries of which endpoint. It only mirrors the database and may be wrong: an entry that is
 * too early costs one query, and the next poll finds what is missing.
 */
export class DueEndpoints {
  readonly #now: () => Date
  /** Due endpoints, grouped by their owners. The first group has the next turn. */
  readonly #groups = new Map<string, Map<string, Endpoint>>()
  readonly #later = new Map<string, { endpoint: Endpoint; at: number }>()
  /** The earliest time in `#later`. */
  #nextAt = Number.POSITIVE_INFINITY
  /** Endpoints that are due again when one of their deliveries ends. */
  readonly #full = new Set<string>()

  constructor(now: () => Date) {
    this.#now = now
  }

  /** The endpoint may have a delivery that is due at this time. */
  add(endpoint: Endpoint, at: Date): void {
    const time = at.getTime()
    if (time <= this.#now().getTime()) {
      this.#addToGroup(endpoint)
    } else if (time < (this.#later.get(endpoint.id)?.at ?? Number.POSITIVE_INFINITY)) {
      this.#later.set(endpoint.id, { endpoint, at: time })
      this.#nextAt = Math.min(this.#nextAt, time)
    }
  }

  /**
   * Removes due endpoints and divides the free slots evenly among them. Groups take turns, so that an owner with many
   * endpoints does not delay others.
   */
  divide(slots: Slots, max: { endpoints: number; claimsEach: number }): Share[] {
    this.#moveDue()
    const shares: Share[] = []
    // Iteration reaches a group again if it was deleted and added, after all other groups. A group that gets no slot
    // keeps its place.
    for (const [owners, group] of this.#groups) {
      if (shares.length === max.endpoints || slots.free === 0) break
      const [endpoint] = group.values()
      if (!endpoint || !slots.take(endpoint.owners)) continue
      shares.push({ endpoint, maxClaims: 1 })
      group.delete(endpoint.id)
      this.#groups.delete(owners)
      if (group.size > 0) this.#groups.set(owners, group)
    }
    let growing = shares
    for (let count = 2; count <= max.claimsEach; count++) {
      growing = growing.filter(({ endpoint }) => slots.take(endpoint.owners))
      for (const share of growing) share.maxClaims = count
    }
    // Until the claim shows otherwise, so that a delivery which ends meanwhile is not missed.
    for (const { endpoint } of shares) this.#full.add(endpoint.id)
    return shares
  }

  /** A claim showed that the endpoint may have another delivery in flight. */
  hasCapacity(endpoint: Endpoint): void {
    this.#full.delete(endpoint.id)
  }

  deliveryEnded(endpoint: Endpoint): void {
    if (this.#full.delete(endpoint.id)) this.#addToGroup(endpoint)
  }

  /** Returns after how many milliseconds the next endpoint becomes due; infinite if there is none. */
  untilNext(): number {
    return this.#nextAt - this.#now().getTime()
  }

  #addToGroup(endpoint: Endpoint): void {
    const owners = endpoint.owners.join()
    const group = this.#groups.get(owners)
    if (group) group.set(endpoint.id, endpoint)
    else this.#groups.set(owners, new Map([[endpoint.id, endpoint]]))
  }

  #moveDue(): void {
    const now = this.#now().getTime()
    if (now < this.#nextAt) return
    this.#nextAt = Number.POSITIVE_INFINITY
    for (const [id, { endpoint, at }] of this.#later) {
      if (at > now) {
        this.#nextAt = Math.min(this.#nextAt, at)
      } else {
        this.#later.delete(id)
        this.#addToGroup(endpoint)
      }
    }
  }
}
