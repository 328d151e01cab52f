import { type ScriptImport, scriptImports } from './imports/script-imports.ts'

/** How often a test calls a name, mentions it at all, and mentions it as a member. */
export interface Uses {
  calls: number
  mentions: number
  members: number
}

const maxWords = 200_000

/** The text of a test, with what is found in it. */
export class TestText {
  readonly text: string
  #words: ReadonlyMap<string, Uses> | undefined
  #imports: readonly ScriptImport[] | undefined

  constructor(text: string) {
    this.text = text
  }

  get words(): ReadonlyMap<string, Uses> {
    const words = this.#words ?? wordsOf(this.text)
    if (!this.#words) bytesKept += this.#bytesOf(words)
    this.#words = words
    withWords.delete(this)
    withWords.add(this)
    for (const oldest of withWords) {
      if (bytesKept <= maxBytesKept || oldest === this) break
      oldest.#forgetWords()
    }
    return words
  }

  #forgetWords(): void {
    if (this.#words) bytesKept -= this.#bytesOf(this.#words)
    this.#words = undefined
    withWords.delete(this)
  }

  #bytesOf = (words: ReadonlyMap<string, Uses>) => this.text.length + 100 * words.size

  /** Empty if it is not JavaScript. */
  get imports(): readonly ScriptImport[] {
    return (this.#imports ??= scriptImports(this.text))
  }
}

/** What is kept for the next analysis. Words that were not asked for the longest are forgotten. */
const maxBytesKept = 64 * 2 ** 20
let bytesKept = 0
/** Those not asked for the longest come first. */
const withWords = new Set<TestText>()

const read = new WeakMap<Buffer, TestText>()

/** A content that is kept for the next analysis keeps what was found in it. */
export function testTextOf(content: Buffer): TestText {
  const known = read.get(content) ?? new TestText(content.toString('utf8'))
  read.set(content, known)
  return known
}

function wordsOf(text: string): Map<string, Uses> {
  const words = new Map<string, Uses>()
  let count = 0
  for (const { index, 1: word = '', 2: call } of text.matchAll(/([\p{L}_$][\p{L}\p{N}_$]*)(\()?/gu)) {
    const uses = words.get(word) ?? { calls: 0, mentions: 0, members: 0 }
    words.set(word, uses)
    uses.mentions += 1
    if (call !== undefined) uses.calls += 1
    if (/[.:>]/.test(text[index - 1] ?? '')) uses.members += 1
    if ((count += 1) > maxWords) break
  }
  return words
}
