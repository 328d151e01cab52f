import { isDeepStrictEqual } from 'node:util'

/** Longer code is not compared. */
const maxTokens = 500
const maxCodeLength = 5_000

const isText = (found: string) => /^['"`]/.test(found)
const isValue = (found: string) =>
  isText(found) || /^(?:\d|\/.)/.test(found) || /^(?:true|false|null|None|nil|undefined|True|False)$/.test(found)
/** A line with a text for people, or with the version of a program. */
export const ofMessages =
  /throw|raise|panic|error|exception|warn|log|print|message|msg|title|label|description|help|hint|placeholder|version/i
const ofTypes = /^\s*(?:(?:export |declare )*(?:type|interface)\b|\|)/

/**
 * Whether two forms of code certainly mean something different although tests may accept both: another value in the same
 * place, an operand of a condition more or less, code with or without a condition or a catch around it, or an `await` less.
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

function addsMeaning(shorter: readonly string[], longer: readonly string[], isLess: boolean): boolean {
  let first = 0
  while (first < shorter.length && shorter[first] === longer[first]) first++
  const more = longer.length - shorter.length
  const isInserted = isDeepStrictEqual(shorter.slice(first), longer.slice(first + more))
  if (isInserted) {
    const inserted = longer.slice(first, first + more)
    if (joins.has(inserted[0] ?? '') || joins.has(inserted.at(-1) ?? '')) return true
    // `return await` only differs within a catch.
    if (isLess && inserted.length === 1 && inserted[0] === 'await') return longer[first - 1] !== 'return'
  }
  return guards.has(longer[0] ?? '') && isWithin(shorter, longer)
}

function isWithin(shorter: readonly string[], longer: readonly string[]): boolean {
  for (let at = 1; at + shorter.length <= longer.length; at++)
    if (isDeepStrictEqual(longer.slice(at, at + shorter.length), shorter)) return true
  return false
}
