import { detectLanguage } from '../languages/detect.ts'
import { dialectOf } from '../parsing/dialects.ts'
import { nameByFile } from '../parsing/javascript/file-name.ts'
import { parseFile } from '../parsing/parse-file.ts'
import type { VerificationTarget } from './schema.ts'

/** A target whose symbol has lines, or the names of the symbols that the file has instead. */
export type LocatedTarget = { target: VerificationTarget } | { known: string[] }

const timeoutMs = 5_000
const maxKnown = 5

/**
 * Gives the symbol of a target its lines in the file. A symbol is named as in the analysis, `Cart.add`, or by its last
 * part if only one symbol of the file ends with it. A target stays as it is if the file cannot be parsed, or if the symbol
 * is not there but the target has lines.
 */
export async function locateTarget(target: VerificationTarget, source: string): Promise<LocatedTarget> {
  const { path, symbol } = target
  if (symbol === undefined) return { target }
  const content = Buffer.from(source)
  const dialect = dialectOf(detectLanguage(path, content), path)
  const parsed = dialect && (await parseFile(content, dialect, { timeoutMs, checkNesting: true }))
  if (!parsed || !('facts' in parsed)) return { target }
  const { symbols } = nameByFile(parsed.facts, path)
  const exact = symbols.filter(({ name }) => name === symbol)
  const found = exact.length > 0 ? exact : symbols.filter(({ name }) => lastPart(name) === lastPart(symbol))
  // A getter and a setter, or a function with several signatures, are one symbol.
  const isOne = new Set(found.map(({ name }) => name)).size === 1
  if (isOne) {
    const startLine = Math.min(...found.map((one) => one.startLine))
    const endLine = Math.max(...found.map((one) => one.endLine))
    return { target: { ...target, startLine, endLine } }
  }
  if (target.startLine !== undefined) return { target }
  const names = [...new Set((found.length > 0 ? found : symbols).map(({ name }) => name))]
  return { known: names.toSorted((a, b) => distance(a, symbol) - distance(b, symbol)).slice(0, maxKnown) }
}

const lastPart = (name: string) => name.split(/[.#]|::/).at(-1) ?? name

const maxCompared = 100

/** How many characters must change to make one name of the other. */
function distance(one: string, other: string): number {
  const [a, b] = [one.toLowerCase().slice(0, maxCompared), other.toLowerCase().slice(0, maxCompared)]
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let index = 0; index < a.length; index++) {
    const next = [index + 1]
    for (let at = 0; at < b.length; at++) {
      const changed = (row[at] ?? 0) + (a[index] === b[at] ? 0 : 1)
      next.push(Math.min(changed, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
