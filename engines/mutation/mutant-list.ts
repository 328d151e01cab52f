import { lineCounter } from '../parsing/javascript/lines.ts'
import type { Ranges } from '../coverage/ranges.ts'
import type { MutationOperator } from './schema.ts'
import type { Mutant } from './mutant.ts'

export interface Span {
  start: number
  end: number
}

/** Minified sources have tens of thousands of mutants, but at most 100 are tried. */
const maxMutants = 10_000
/** A changed operator is shown with its operands unless these are longer. */
const maxContextLength = 60

const isWordEnd = /[\p{ID_Continue}$]/u

/** Collects the mutants of one source on the requested lines, without duplicates. */
export class MutantList {
  readonly source: string
  readonly #path: string
  readonly #lineOf: (offset: number) => number
  /** The number of requested lines up to each line. */
  readonly #asked: Uint32Array
  readonly #mutants = new Map<string, Mutant>()
  /** In order. */
  #left: readonly Span[] = []

  constructor(path: string, source: string, lines: Ranges) {
    this.#path = path
    this.source = source
    this.#lineOf = lineCounter(source)
    const last = this.#lineOf(source.length)
    this.#asked = new Uint32Array(last + 2)
    for (const [from, to] of lines) this.#asked.fill(1, Math.max(from, 1), Math.min(to, last) + 1)
    for (let line = 1; line <= last; line += 1)
      this.#asked[line] = (this.#asked[line] ?? 0) + (this.#asked[line - 1] ?? 0)
  }

  /** Leaves out mutants within parts of the source, which are in order. */
  leaveOut(parts: readonly Span[]): void {
    this.#left = parts
  }

  /** Whether the node contains a requested line. */
  touches({ start, end }: Span): boolean {
    const before = this.#asked[this.#lineOf(start) - 1] ?? 0
    return (this.#asked[this.#lineOf(end)] ?? 0) > before
  }

  text({ start, end }: Span): string {
    return this.source.slice(start, end)
  }

  /** @param context - a wider span that helps readers more than the changed text alone */
  add(operator: MutationOperator, { start, end }: Span, text: string, context?: Span): void {
    const replacement = this.#apart(start, end, text)
    const line = this.#lineOf(start)
    const asked = (this.#asked[line] ?? 0) > (this.#asked[line - 1] ?? 0)
    if (!asked || this.#isLeftOut(start, end)) return
    if (this.#mutants.size >= maxMutants || this.source.slice(start, end) === replacement) return
    const key = this.#changeOf(start, end, replacement)
    if (this.#mutants.has(key)) return
    const shown = context && this.#fits(context) ? context : { start, end }
    this.#mutants.set(key, {
      path: this.#path,
      line,
      operator,
      original: this.text(shown),
      replacement: this.source.slice(shown.start, start) + replacement + this.source.slice(end, shown.end),
      start: shown.start,
      end: shown.end,
    })
  }

  finish(): Mutant[] {
    return [...this.#mutants.values()].toSorted((a, b) => a.start - b.start || a.end - b.end)
  }

  #isLeftOut(start: number, end: number): boolean {
    let [low, high] = [0, this.#left.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#left[middle]?.start ?? Infinity) <= start) low = middle + 1
      else high = middle
    }
    return end <= (this.#left[low - 1]?.end ?? -1)
  }

  #fits({ start, end }: Span): boolean {
    return end - start <= maxContextLength && !this.source.slice(start, end).includes('\n')
  }

  /** Prevents words from joining, as in `return-1` and `return!x`. */
  #apart(start: number, end: number, text: string): string {
    const after = this.source[end] ?? ''
    const before = isWordEnd.test(this.source[start - 1] ?? '') && isWordEnd.test(text[0] ?? after) ? ' ' : ''
    return before + text + (text !== '' && isWordEnd.test(text.at(-1) ?? '') && isWordEnd.test(after) ? ' ' : '')
  }

  /** Removes the unchanged text at both ends of a change. */
  #changeOf(start: number, end: number, replacement: string): string {
    let from = start
    let to = end
    let text = replacement
    while (text !== '' && from < to && text[0] === this.source[from]) {
      from += 1
      text = text.slice(1)
    }
    while (text !== '' && from < to && text.at(-1) === this.source[to - 1]) {
      to -= 1
      text = text.slice(0, -1)
    }
    return `${from}:${to}:${text}`
  }
}
