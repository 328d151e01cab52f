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
    if (!this.#words) {
      this.#words = wordsOf(this.text)
      wordsKept += this.#words.size
      if (wordsKept > maxWordsKept) {
        wordsKept = 0
        read = new WeakMap()
      }
    }
    return this.#words
  }

  /** Empty if it is not JavaScript. */
  get imports(): readonly ScriptImport[] {
    return (this.#imports ??= scriptImports(this.text))
  }
}

/** Each takes about 100 bytes. */
const maxWordsKept = 500_000
let wordsKept = 0
let read = new WeakMap<Buffer, TestText>()

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
