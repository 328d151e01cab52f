import { isDeepStrictEqual } from 'node:util'

/** Longer code is not compared. */
const maxTokens = 500
const maxCodeLength = 5_000

const isText = (found: string) => /^['"`]/.test(found)
const isValue = (found: string) =>
  isText(found) || /^(?:\d|\/.)/.test(found) || /^(?:true|false|null|None|nil|undefined|True|False)$/.test(found)
/** A line with a text for people, or with the version of a program: `logger` and `TypeError`, but not `login`. */
export const ofMessages = wordsIn([
  'throws?',
  'raises?',
  'panic(?:s|f|ln)?',
  'error(?:s|f)?',
  'exceptions?',
  'warn(?:s|ings?)?',
  'log(?:s|ger|ging)?',
  'print(?:s|f|ln)?',
  'messages?',
  'msgs?',
  'titles?',
  'labels?',
  'descriptions?',
  'help',
  'hints?',
  'placeholders?',
  'versions?',
])

/** Matches words in lower case, in upper case, and as parts of names in camel case. */
function wordsIn(words: readonly string[]): RegExp {
  const lower = words.join('|')
  const capital = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('|')
  const upper = words.map((word) => word.toUpperCase()).join('|')
  return new RegExp(`(?:(?<![A-Za-z])(?:${lower})|(?:${capital}))(?![a-z])|(?<![A-Z])(?:${upper})(?![A-Z])`)
}

const ofTypes = /^\s*(?:(?:export |declare )*(?:type|interface)\b|\|)/

/**
 * Whether two forms of code certainly mean something different although tests may accept both: another value in the same
 * place, an operand or comparison of a condition more or less, code with or without a condition or a catch around it, only
 * one of the two values of a condition, or an `await` less.
 */
export function meansAnother(before: string, now: string): boolean {
  if (before.length > maxCodeLength || now.length > maxCodeLength) return false
  const [old, recent] = [tokensOf(before), tokensOf(now)]
  if (old.length === 0 || recent.length === 0 || Math.max(old.length, recent.length) > maxTokens) return false
  if (old.length === recent.length) return hasOtherValue(old, recent)
  const [shorter, longer] = old.length < recent.length ? [old, recent] : [recent, old]
  const names = (tokens: readonly Token[]) => tokens.map(({ value }) => value)
  return addsMeaning(names(shorter), names(longer), shorter === recent)
}

interface Token {
  value: string
  line: string
}

const tokensOf = (code: string): Token[] =>
  code.split('\n').flatMap((line) => valuesOf(line).map((value) => ({ value: normal(value), line })))

const joins = new Set(['&&', '||', 'and', 'or'])
/** A regular expression begins after one of these, a division does not. */
const beforePattern = new Set(['(', '=', ':', ',', '?', '&&', '||', '[', 'return'])

/** Splits a line into names, values and single marks. A string is one of them. */
export function valuesOf(line: string): string[] {
  const values: string[] = []
  for (let at = 0; at < line.length;) {
    const first = line[at] ?? ''
    const isQuoted = /['"`]/.test(first) || (first === '/' && beforePattern.has(values.at(-1) ?? ''))
    const end = isQuoted ? endOfQuoted(line, at) : endOfWord(line, at)
    if (first.trim() !== '') values.push(line.slice(at, end))
    at = end
  }
  return values
}

/** The end of a string or regular expression. */
function endOfQuoted(line: string, start: number): number {
  let isInClass = false
  for (let at = start + 1; at < line.length; at++) {
    const character = line[at]
    if (character === '\\') at++
    else if (character === line[start] && !isInClass) return at + 1
    else if (line[start] === '/' && /[[\]]/.test(character ?? '')) isInClass = character === '['
  }
  return line.length
}

function endOfWord(line: string, start: number): number {
  const isNumber = /\d/.test(line[start] ?? '')
  const isOfWord = (character = '') => /[\w$]/.test(character) || (isNumber && character === '.')
  let at = start
  while (at < line.length && isOfWord(line[at])) at++
  if (at > start) return at
  return joins.has(line.slice(start, start + 2)) ? start + 2 : start + 1
}

/** The same value has several forms. */
export function normal(value: string): string {
  if (/^['"]/.test(value)) return `'${value.slice(1, -1)}'`
  const amount = /^\d/.test(value) ? Number(value.replaceAll('_', '')) : Number.NaN
  return Number.isNaN(amount) ? value : String(amount)
}

function hasOtherValue(old: readonly Token[], recent: readonly Token[]): boolean {
  let differs = false
  for (const [at, { value, line }] of old.entries()) {
    const other = recent[at]
    if (other === undefined || other.value === value) continue
    if (!isValue(value) || !isValue(other.value) || ofTypes.test(line)) return false
    const isMessage = isText(value) && isText(other.value) && ofMessages.test(line)
    if (!isMessage) differs = true
  }
  return differs
}

const guards = new Set(['if', 'try', 'unless'])
const conditions = new Set(['if', 'elif', 'unless', 'while'])

function addsMeaning(shorter: readonly string[], longer: readonly string[], isLess: boolean): boolean {
  let first = 0
  while (first < shorter.length && shorter[first] === longer[first]) first++
  const more = longer.length - shorter.length
  const isInserted = isDeepStrictEqual(shorter.slice(first), longer.slice(first + more))
  if (isInserted) {
    const inserted = longer.slice(first, first + more)
    if (joins.has(inserted[0] ?? '') || joins.has(inserted.at(-1) ?? '')) return true
    if (more > 1 && conditions.has(longer[0] ?? '') && inserted.some((token) => /^[=!<>]$/.test(token))) return true
    // `return await` only differs within a catch.
    if (isLess && inserted.length === 1 && inserted[0] === 'await') return longer[first - 1] !== 'return'
  }
  if (guards.has(longer[0] ?? '') && isWithin(shorter, longer)) return true
  return isOneOfTwo(shorter.slice(first), longer.slice(first))
}

/** Whether `b` or `c` takes the place of `a ? b : c`. Both begin with the first difference. */
function isOneOfTwo(shorter: readonly string[], longer: readonly string[]): boolean {
  let same = 0
  while (same < shorter.length && shorter.at(-1 - same) === longer.at(-1 - same)) same++
  const value = shorter.slice(0, shorter.length - same)
  const choice = longer.slice(0, longer.length - same)
  const asks = choice.indexOf('?')
  if (asks < 0 || !choice.includes(':', asks)) return false
  if (value.length === 0) return asks === 0 || choice.at(-1) === ':'
  const isFirst = isDeepStrictEqual(choice.slice(asks + 1, asks + 1 + value.length), value)
  const isSecond = isDeepStrictEqual(choice.slice(-value.length), value) && choice.at(-1 - value.length) === ':'
  return (isFirst && choice[asks + 1 + value.length] === ':') || isSecond
}

function isWithin(shorter: readonly string[], longer: readonly string[]): boolean {
  for (let at = 1; at + shorter.length <= longer.length; at++)
    if (isDeepStrictEqual(longer.slice(at, at + shorter.length), shorter)) return true
  return false
}
