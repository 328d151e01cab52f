/** A queue in which owners take turns, so that many entries of one owner delay the others by at most one each. */
export class FairQueue<Entry> {
  /** In the order of their turns. */
  readonly #owners = new Map<string, Entry[]>()
  size = 0

  add(owner: string, entry: Entry): void {
    const entries = this.#owners.get(owner)
    if (entries) entries.push(entry)
    else this.#owners.set(owner, [entry])
    this.size++
  }

  /** Takes the first entry of the first owner who may have another one. */
  take(mayHaveTurn: (owner: string) => boolean): Entry | undefined {
    for (const [owner, entries] of this.#owners) {
      if (!mayHaveTurn(owner)) continue
      const entry = entries.shift()
      this.#owners.delete(owner)
      if (entries.length > 0) this.#owners.set(owner, entries)
      this.size--
      return entry
    }
    return undefined
  }

  remove(owner: string, entry: Entry): void {
    const entries = this.#owners.get(owner) ?? []
    const index = entries.indexOf(entry)
    if (index < 0) return
    entries.splice(index, 1)
    if (entries.length === 0) this.#owners.delete(owner)
    this.size--
  }

  countOf(owner: string): number {
    return this.#owners.get(owner)?.length ?? 0
  }
}
