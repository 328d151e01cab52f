import { posix } from 'node:path'
import { conventionFor } from './conventions.ts'
import { isNamed, readTestName, splitCamelCase } from './test-name.ts'

const maxTries = 1_000

/**
 * Returns the path itself, or if it is in use the first free one with a number. Runners load that file too:
 * `cart-2.test.ts`, `cart_2_test.go`, `Cart2Test.java`.
 *
 * @returns undefined if all of them are in use
 */
export function freePath(path: string, isInUse: (path: string) => boolean): string | undefined {
  if (!isInUse(path)) return path
  const parts = partsOf(path)
  return firstFree(parts, { joint: parts.joint === '.' ? '-' : parts.joint, words: [] }, isInUse)
}

/**
 * As `freePath`, with the last words of the symbol in the name: `cart.add-item.test.ts`. Returns undefined for a used
 * name that is bound to the class in the file.
 */
export function freePathFor(
  symbol: string | undefined,
  path: string,
  isInUse: (path: string) => boolean,
): string | undefined {
  if (!isInUse(path)) return path
  const parts = partsOf(path)
  const { joint, isMarked } = parts
  const words = splitCamelCase(symbol ?? '').toLowerCase().match(/[a-z0-9]+/g)?.slice(-4) ?? [] // prettier-ignore
  return isMarked && joint !== '' ? firstFree(parts, { joint, words }, isInUse) : undefined
}

function firstFree(
  { start, end }: NameParts,
  { joint, words }: { joint: string; words: readonly string[] },
  isInUse: (path: string) => boolean,
): string | undefined {
  for (let number = words.length > 0 ? 1 : 2; number <= maxTries; number++) {
    const marks = number === 1 ? words : [...words, number]
    const other = `${start}${joint}${marks.join(joint === '.' ? '-' : joint)}${end}`
    if (!isInUse(other)) return other
  }
  return undefined
}

/** A path, split where a word fits into the file name. */
interface NameParts {
  start: string
  end: string
  /** Joins a word to the start; empty for a class name. */
  joint: string
  /** Whether the name shows that the file is a test. */
  isMarked: boolean
}

/** Runners may look for several marks in a row: `cart.e2e.spec.ts`. */
const moreMarks = /(?<![.-](?:tests?|specs?|cy|e2e|it))(?:[.-](?:tests?|specs?|cy|e2e|it))+$/

function partsOf(path: string): NameParts {
  const { affix, stem } = readTestName(path)
  const { base, ext } = posix.parse(path)
  const isMarked = isNamed(affix) || /^(?:tests?|specs?)$/i.test(stem)
  const start = path.slice(0, -base.length) + affix.prefix + (affix.suffix === '' ? stem : stem.replace(moreMarks, ''))
  const isClass = affix.suffix !== '' || /[A-Za-z]$/.test(affix.prefix)
  const usual =
    isMarked && isClass ? '' : ext === '' || conventionFor(path).languages.includes('JavaScript') ? '-' : '_'
  const joint = /^[._-]/.exec(affix.suffix)?.[0] ?? /[._-]$/.exec(affix.prefix)?.[0] ?? usual
  return { start, end: path.slice(start.length), joint, isMarked }
}

/** Returns the code of a test for a file with another name. Renames the class in languages that name files after it. */
export function renamedCode(code: string, from: string, to: string): string {
  const [before, after] = [classOf(from), classOf(to)]
  if (before === after || !isNamedAfterClass(from) || !/^\w+$/.test(before)) return code
  return code.replace(new RegExp(`\\b${before}\\b`, 'g'), after)
}

const classOf = (path: string) => posix.basename(path).replace(/\..*$/s, '')
const isNamedAfterClass = (path: string) => conventionFor(path).namedAfterClass === true
