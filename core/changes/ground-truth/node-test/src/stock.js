/** The amounts of articles in a store. */
export class Stock {
  #amounts = new Map()

  amountOf(article) {
    return this.#amounts.get(article) ?? 0
  }

  add(article, amount) {
    this.#amounts.set(article, this.amountOf(article) + amount)
  }

  /** Takes articles out; throws if there are too few. */
  take(article, amount) {
    const left = this.amountOf(article) - amount
    if (left < 0) throw new Error(`only ${this.amountOf(article)} of ${article}`)
    this.#amounts.set(article, left)
  }

  /** Lists the articles of which there are fewer than the limit. */
  scarce(limit) {
    return [...this.#amounts].filter(([, amount]) => amount < limit).map(([article]) => article)
  }
}
