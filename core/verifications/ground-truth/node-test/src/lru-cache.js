/** Keeps the entries that were used last. */
export class LruCache {
  #entries = new Map()
  #capacity

  constructor(capacity) {
    if (capacity < 1) throw new RangeError('a cache holds at least one entry')
    this.#capacity = capacity
  }

  get(key) {
    if (!this.#entries.has(key)) return undefined
    const value = this.#entries.get(key)
    this.#entries.delete(key)
    this.#entries.set(key, value)
    return value
  }

  set(key, value) {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    if (this.#entries.size > this.#capacity) this.#entries.delete(this.#entries.keys().next().value)
  }

  get size() {
    return this.#entries.size
  }
}
