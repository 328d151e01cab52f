/** A line of TAP without its indentation; `other` is output of a test. */
export type TapLine =
  | { kind: 'version' }
  | TapPlan
  | TestPoint
  | { kind: 'subtest'; title: string }
  | { kind: 'comment'; text: string }
  | { kind: 'bail'; reason: string }
  | { kind: 'yaml' }
  | { kind: 'close' }
  | { kind: 'other' }

export interface TapPlan {
  kind: 'plan'
  /** Number of the first test: 1, unless the report is a part of a larger one. */
  first: number
  /** A range that ends before it begins, such as `1..0`, announces no test. */
  count: number
  /** As written. */
  range: string
  reason: string
}

export interface TestPoint {
  kind: 'point'
  ok: boolean
  number: number | null
  description: string
  directive: 'skip' | 'todo' | null
  reason: string
  durationMs: number | null
  /** Its sub-tests follow, in braces. */
  opens: boolean
}

const point = /^(not )?ok\b(?:\s+(\d{1,15})\b)?\s*(?:-(?=\s|$))?\s*(.*)$/s
// TAP 14 lets every plan begin at 1, but its harnesses also read the `8..11` of a report in parts.
const plan = /^(\d{1,15})\.\.(\d{1,15})\s*(?:#\s*(?:skip\S*)?\s*(.*))?$/is
// A hash in a description is written with a backslash before it.
const directive = /(?:^|\s)#\s*(skip|todo|time=)(\S*)\s*(.*)$/is

export function parseTapLine(line: string): TapLine {
  const text = line.trim()
  if (text.startsWith('ok') || text.startsWith('not ok')) {
    const match = point.exec(text)
    if (match) return parsePoint(match[1] === undefined, match[2], match[3] ?? '')
  }
  const range = plan.exec(text)
  if (range) return parsePlan(Number(range[1]), Number(range[2]), range[3] ?? '')
  if (text.startsWith('#')) {
    const title = /^# Subtest(?:: (.*))?$/.exec(text)
    if (title) return { kind: 'subtest', title: unescape(title[1] ?? '') }
    return { kind: 'comment', text: text.slice(1).replace(/^ /, '') }
  }
  if (/^bail out!/i.test(text)) return { kind: 'bail', reason: text.slice('bail out!'.length).trim() }
  if (/^TAP version \d+$/i.test(text)) return { kind: 'version' }
  if (text === '---') return { kind: 'yaml' }
  return { kind: text === '}' ? 'close' : 'other' }
}

function parsePlan(first: number, last: number, reason: string): TapPlan {
  return {
    kind: 'plan',
    first,
    count: Math.max(0, last - first + 1),
    range: `${first}..${last}`,
    reason: reason.trim(),
  }
}

function parsePoint(ok: boolean, number: string | undefined, rest: string): TestPoint {
  const opens = /(?:^|\s)\{$/.test(rest)
  const text = opens ? rest.slice(0, -1).trimEnd() : rest
  const match = directive.exec(text)
  const word = match?.[1]?.toLowerCase()
  return {
    kind: 'point',
    ok,
    number: number === undefined ? null : Number(number),
    description: unescape((match ? text.slice(0, match.index) : text).trim()),
    directive: word === 'skip' || word === 'todo' ? word : null,
    reason: match && word !== 'time=' ? unescape(match[3]?.trim() ?? '').replace(/^-$/, '') : '',
    durationMs: word === 'time=' ? milliseconds(match?.[2] ?? '') : null,
    opens,
  }
}

function milliseconds(time: string): number | null {
  const match = /^([\d.]+)(ms|s)$/.exec(time)
  if (!match) return null
  const value = Number(match[1]) * (match[2] === 's' ? 1_000 : 1)
  return Number.isFinite(value) ? value : null
}

const unescape = (text: string) => text.replace(/\\([#\\])/g, '$1')
