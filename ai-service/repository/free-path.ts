import { posix } from 'node:path'
import { splitCamelCase } from './words.ts'

/** Where a test's name ends in something that tells runners what it is: `.test.ts`, `_test.go`, `_spec.rb`. */
const ending = /^(?<stem>.+?)(?<separator>[._-])(?<suffix>(?:test|tests|spec|cy|e2e)\.[a-z]+)$/i
const beginning = /^(?<stem>test_.+)(?<suffix>\.py)$/

/**
 * A path like the given one where no file is yet: what is generated is judged and thrown away as a file of its own, and
 * must not replace tests that somebody wrote. Undefined where names are bound to what the file holds.
 */
export function freePath(path: string, taken: ReadonlySet<string>, symbol?: string): string | undefined {
  if (!taken.has(path)) return path
  const { dir, base } = posix.parse(path)
  const words = splitCamelCase(symbol ?? '').toLowerCase().match(/[a-z0-9]+/g)?.slice(-4) ?? [] // prettier-ignore
  const numbers = Array.from({ length: 98 }, (_, index) => [...words, String(index + 2)])
  for (const marks of words.length > 0 ? [words, ...numbers] : numbers) {
    const name = insert(base, marks)
    if (name === undefined) return undefined
    const free = posix.join(dir, name)
    if (!taken.has(free)) return free
  }
  return undefined
}

function insert(base: string, words: readonly string[]): string | undefined {
  const python = beginning.exec(base)?.groups
  if (python) return `${python['stem']}_${words.join('_')}${python['suffix']}`
  const other = ending.exec(base)?.groups
  if (!other) return undefined
  const separator = other['separator'] ?? '.'
  return `${other['stem']}${separator}${words.join(separator === '.' ? '-' : separator)}${separator}${other['suffix']}`
}
