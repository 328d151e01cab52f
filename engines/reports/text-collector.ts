import { cutText, plainText } from './text.ts'

/** Joins the parts of a text, and holds only the part that is kept in the end. */
export class TextCollector {
  #max = 0
  #head = ''
  #tail = ''
  #dropped = 0

  start(max: number): void {
    this.#max = max
    this.#head = ''
    this.#tail = ''
    this.#dropped = 0
  }

  add(part: string): void {
    // Twice as much, because colors are removed later.
    const room = this.#max * 2
    if (this.#head.length < room) {
      this.#head += part
      return
    }
    this.#tail += part
    if (this.#tail.length > room * 2) {
      this.#dropped += this.#tail.length - room
      this.#tail = this.#tail.slice(-room)
    }
  }

  end(): string {
    const gap = this.#dropped === 0 ? '' : `\n… ${this.#dropped} characters left out …\n`
    return cutText(plainText(this.#head + gap + this.#tail), this.#max)
  }
}
