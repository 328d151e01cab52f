/** A set of small numbers, which takes one bit for each possible one. */
export class BitSet {
  readonly #bytes: Uint8Array

  constructor(size: number) {
    this.#bytes = new Uint8Array(Math.ceil(size / 8))
  }

  add(position: number): void {
    const at = position >> 3
    this.#bytes[at] = (this.#bytes[at] ?? 0) | (1 << (position & 7))
  }

  has(position: number): boolean {
    return ((this.#bytes[position >> 3] ?? 0) & (1 << (position & 7))) !== 0
  }
}
