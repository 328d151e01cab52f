import { randomBytes } from 'node:crypto'
import { manyLines } from '../repository/safe-text.ts'
import type { Redact } from '../secrets.ts'

/** The mark around repository text. It is random, so that no text can close its own fence. */
export const newBoundary = () => randomBytes(12).toString('hex')

export interface Section {
  name: string
  /** Describes the section. Contains no repository text. */
  title: string
  /** The most important entry comes first. */
  entries: readonly string[]
  /** The share of the space for all sections, 0 to 1. The next section gets the unused rest. */
  share: number
}

export interface Fenced {
  text: string
  /** Tells the caller what did not fit. */
  warnings: string[]
}

/** Estimates the tokens of a text, on the high side: code has about three bytes per token. */
export const estimateTokens = (text: string) => Math.ceil(Buffer.byteLength(text) / 3)

/** Joins the entries that fit into a prompt, the most important first, with a fence around each section. */
export function fenceSections(
  sections: readonly Section[],
  { boundary, tokens, redact }: { boundary: string; tokens: number; redact: Redact },
): Fenced {
  let left = tokens
  const warnings: string[] = []
  const texts = sections.flatMap(({ name, title, entries, share }) => {
    const framed = (text: string) => `${title}\n[[ ${name} ${boundary} ]]\n${text}\n[[ end ${name} ${boundary} ]]`
    const room = Math.min(left, tokens * share) - estimateTokens(framed('')) - 1
    const fitted = fit(entries, room, redact)
    if (fitted.cut > 0) {
      warnings.push(
        `${fitted.cut} of ${entries.length} ${name} exceeded the limit of the model and were cut or omitted.`,
      )
    }
    if (fitted.text === '') return []
    const text = framed(fitted.text)
    left -= estimateTokens(text) + 1
    return [text]
  })
  return { text: texts.join('\n\n'), warnings }
}

/** A shortened entry must have at least this many characters to be useful. */
const minShortened = 200

function fit(entries: readonly string[], tokens: number, redact: Redact): { text: string; cut: number } {
  const kept: string[] = []
  let left = Math.max(0, Math.floor(tokens))
  for (const [index, entry] of entries.entries()) {
    // Longer ones cannot fit, and need not be read to their end. A key is looked for before lines are cut, and again
    // when nothing invisible is left that could hide one.
    const clean = redact(manyLines(redact(entry.slice(0, left * 3 + 1))))
    const size = estimateTokens(clean) + 1
    if (size <= left && entry.length <= left * 3) {
      kept.push(clean)
      left -= size
      continue
    }
    const cut = left > minShortened ? cutLines(clean, left - 20) : ''
    if (cut !== '') kept.push(`${cut}\n[cut here]`)
    return { text: kept.join('\n'), cut: entries.length - index }
  }
  return { text: kept.join('\n'), cut: 0 }
}

/** Cuts at the end of a line, because half of a key would not be recognized as a key. */
function cutLines(text: string, tokens: number): string {
  const bytes = Buffer.from(text).subarray(0, tokens * 3)
  return bytes.subarray(0, Math.max(0, bytes.lastIndexOf('\n'))).toString('utf8')
}
