import type { Ranges } from '../../coverage/ranges.ts'
import { uniteRanges } from '../../coverage/ranges.ts'
import { isMutable } from '../worth.ts'
import { normal, ofMessages, valuesOf } from './altered-code.ts'
import { declaresType, isEmptyOfCode, isImport } from './code-lines.ts'
import type { ChangedFile, ChangedPlace, LinesOf, OldMutant } from './facts.ts'

export interface OldCodeInput {
  files: readonly ChangedFile[]
  /** Contents of the code files after and before the change. */
  sources: ReadonlyMap<string, string>
  sourcesBefore: ReadonlyMap<string, string>
}

export interface OldCode {
  places: ChangedPlace[]
  /** The removed lines that the change does not move, by paths of the base. */
  removed: Map<string, Ranges>
  mutants: OldMutant[]
}

interface Side {
  path: string
  lines: readonly string[]
  first: number
  last: number
}

interface Pair {
  file: ChangedFile
  now: Side | null
  before: Side | null
}

const maxFiles = 100
/** A longer line is not code that somebody wrote. */
const maxLineLength = 500
const maxCodeLength = 500
const maxMutants = 2_000

/** Reads which code a refactoring changes, which code it removes, and what could be changed in the removed code. */
export function readOldCode(input: OldCodeInput): OldCode {
  const pairs = pairsOf(input)
  const added = new Set(pairs.flatMap(({ now }) => textsOf(now)))
  const gone = new Set(pairs.flatMap(({ before }) => textsOf(before)))
  const removed = new Map<string, Ranges>()
  const places: ChangedPlace[] = []
  const mutants: OldMutant[] = []
  const dropped = droppedValues(pairs)
  for (const pair of pairs) {
    const now = codeLines(pair.now, gone)
    const before = codeLines(pair.before, added)
    if (pair.before !== null && before.length > 0) {
      const { path, lines } = pair.before
      const ranges = before.map((line): [number, number] => [line, line])
      removed.set(path, uniteRanges(removed.get(path) ?? [], ranges))
      if (isMutable(path) && mutants.length < maxMutants) mutants.push(...mutantsIn(path, lines, before, dropped))
    }
    if (now.length + before.length === 0 || onlyRenames(pair, input) || onlyTypes(pair, now, before)) continue
    const shown = now.length > 0 ? pair.now : pair.before
    const line = now[0] ?? before[0]
    if (shown === null || line === undefined || !isMutable(shown.path)) continue
    places.push({
      path: shown.path,
      line,
      code: (shown.lines[line - 1] ?? '').trim().slice(0, maxCodeLength),
      now: rangeOf(pair.now),
      before: rangeOf(pair.before),
    })
  }
  return { places, removed, mutants: mutants.slice(0, maxMutants) }
}

const rangeOf = (side: Side | null): LinesOf | null => side && { path: side.path, first: side.first, last: side.last }

/** Returns what the change has in the place of what: hunks, and whole files that it adds or deletes. */
function pairsOf({ files, sources, sourcesBefore }: OldCodeInput): Pair[] {
  const code = files.filter(({ kind }) => kind === 'code').slice(0, maxFiles)
  return code.flatMap((file): Pair[] => {
    const now = file.change === 'deleted' ? undefined : sources.get(file.path)?.split('\n')
    const before = file.before === null ? undefined : sourcesBefore.get(file.before)?.split('\n')
    const side = (path: string, lines: readonly string[], start: number, count: number): Side | null =>
      count === 0 ? null : { path, lines, first: start, last: start + count - 1 }
    const { path, before: old, hunks } = file
    if (hunks === undefined) {
      return [
        {
          file,
          now: now === undefined ? null : side(path, now, 1, now.length),
          before: before === undefined || old === null ? null : side(old, before, 1, before.length),
        },
      ]
    }
    if (now === undefined || before === undefined || old === null) return []
    return hunks.map(({ oldStart, oldLines, newStart, newLines }) => ({
      file,
      now: side(path, now, newStart, newLines),
      before: side(old, before, oldStart, oldLines),
    }))
  })
}

const slice = ({ lines, first, last }: Side) => lines.slice(first - 1, last)

const textsOf = (side: Side | null) => (side === null ? [] : slice(side).map((line) => line.trim()))

/** Returns the numbers of the lines with code, without imports and those that are also on the other side. */
function codeLines(side: Side | null, others: ReadonlySet<string>): number[] {
  if (side === null) return []
  const { path, lines, first } = side
  return slice(side).flatMap((line, index) =>
    isEmptyOfCode(line, path) || isImport(lines, first - 1 + index) || others.has(line.trim()) ? [] : first + index,
  )
}

const wordsOf = (line: string) => valuesOf(line.slice(0, maxLineLength))
const isName = (token: string | undefined) => token !== undefined && /^[A-Za-z_$][\w$]*$/.test(token)
const binding = new Set('const let var function def func fn for as catch class'.split(' '))

/**
 * Whether the code is the same except for its format and for new names of variables, which no other name of the file
 * can be taken for.
 */
function onlyRenames({ file, now, before }: Pair, { sources, sourcesBefore }: OldCodeInput): boolean {
  if (now === null || before === null) return false
  const [recent, old] = [slice(now).flatMap(wordsOf), slice(before).flatMap(wordsOf)]
  if (recent.length !== old.length) return false
  const names = new Map<string, string>()
  for (const [at, token] of recent.entries()) {
    const other = old[at]
    if (other === undefined || token === other) continue
    if (!isName(token) || !isName(other) || recent[at - 1] === '.') return false
    if ((names.get(other) ?? token) !== token) return false
    names.set(other, token)
  }
  if (names.size === 0) return true
  const after = (sources.get(file.path) ?? '').split('\n').map(wordsOf)
  const known = new Set((sourcesBefore.get(before.path) ?? '').split('\n').flatMap(wordsOf))
  const left = new Set(after.flat())
  return names
    .entries()
    .every(([from, to]) => !known.has(to) && !left.has(from) && after.some((line) => bindsName(line, to)))
}

function bindsName(tokens: readonly string[], name: string): boolean {
  const at = tokens.indexOf(name)
  if (at < 0) return false
  if (tokens.some((token) => binding.has(token))) return true
  const [next, second] = [tokens[at + 1], tokens[at + 2]]
  return (next === '=' && second !== '=') || (next === ':' && second === '=') || (next === '=' && second === '>')
}

const onlyTypes = ({ now, before }: Pair, ofNow: readonly number[], ofBefore: readonly number[]) =>
  ofNow.every((line) => now !== null && declaresType(now.lines[line - 1] ?? '', now.path)) &&
  ofBefore.every((line) => before !== null && declaresType(before.lines[line - 1] ?? '', before.path))

const isNumber = (token: string) => /^\d/.test(token) && Number.isFinite(Number(token.replaceAll('_', '')))
const isText = (token: string) => /^(['"]).*\1$/.test(token) && token.length >= 2
const isLiteral = (token: string) => isNumber(token) || isText(token)

/** Returns the values that the removed code contains more often than the added code. */
function droppedValues(pairs: readonly Pair[]): ReadonlySet<string> {
  const counts = new Map<string, number>()
  const count = (side: Side | null, by: number) => {
    for (const token of side === null ? [] : slice(side).flatMap(wordsOf)) {
      if (isLiteral(token)) counts.set(normal(token), (counts.get(normal(token)) ?? 0) + by)
    }
  }
  for (const { now, before } of pairs) {
    count(before, 1)
    count(now, -1)
  }
  return new Set([...counts].flatMap(([value, number]) => (number > 0 ? value : [])))
}

function mutantsIn(
  path: string,
  lines: readonly string[],
  wanted: readonly number[],
  dropped: ReadonlySet<string>,
): OldMutant[] {
  const isWanted = new Set(wanted)
  const mutants: OldMutant[] = []
  let offset = 0
  for (const [index, line] of lines.entries()) {
    if (isWanted.has(index + 1) && line.length <= maxLineLength) {
      const at = { path, line: index + 1 }
      const assignment = withoutAssignment(line, lines[index + 1] ?? '', path)
      if (assignment !== null) mutants.push({ ...at, operator: 'removed_assignment', ...placed(assignment, offset) })
      for (const { isSpare, ...value } of otherValues(line, path, dropped))
        mutants.push({ ...at, operator: 'value', ...placed(value, offset), ...(isSpare && { isSpare }) })
    }
    offset += line.length + 1
  }
  return mutants
}

interface InLine {
  original: string
  replacement: string
  /** The index in the line. */
  index: number
}

const placed = ({ original, replacement, index }: InLine, offset: number) => ({
  original,
  replacement,
  start: offset + index,
  end: offset + index + original.length,
})

const keywords = new Set(
  'const let var return if else for while do switch case default break continue import from export def class function func type interface throw raise try catch finally except with yield await async public private protected readonly static declare package go defer select match'.split(
    ' ',
  ),
)
const opening = new Set(['(', '[', '{'])
const closing = new Set([')', ']', '}'])
const continues = /^\s*(?:[.?:&|+*/%=<>-]|(?:and|or|if|else|in|is)\b)/

/** Removes the effect of a line that only assigns, and still evaluates its value where compilers insist on its use. */
function withoutAssignment(line: string, next: string, path: string): InLine | null {
  const text = line.trim()
  const statement = text.replace(/;$/, '')
  const tokens = valuesOf(statement)
  if (!isName(tokens[0]) || keywords.has(tokens[0] ?? '') || /[,\\([{=+*/&|>-]$/.test(statement)) return null
  if (continues.test(next)) return null
  let depth = 0
  let end = -1
  for (const [at, token] of tokens.entries()) {
    if (opening.has(token)) depth++
    if (closing.has(token)) depth--
    if (depth < 0) return null
    if (end < 0 && depth === 0 && token === '=') end = at
  }
  const [before = '', after = ''] = [tokens[end - 1], tokens[end + 1]]
  if (end < 1 || depth !== 0 || after === '=' || after === '>' || /^[=!<>:?]$/.test(before)) return null
  const index = line.indexOf(text)
  if (path.endsWith('.py')) return { original: statement, replacement: 'pass', index }
  if (!path.endsWith('.go')) return { original: statement, replacement: ';', index }
  const value = statement.slice(statement.indexOf('=') + 1).trim()
  const isPlain = isName(before) || closing.has(before)
  const names = isPlain ? countTargets(tokens.slice(0, end)) : 1
  return { original: statement, replacement: `${Array(names).fill('_').join(', ')} = ${value}`, index }
}

function countTargets(tokens: readonly string[]): number {
  let depth = 0
  let commas = 0
  for (const token of tokens) {
    if (opening.has(token)) depth++
    if (closing.has(token)) depth--
    if (depth === 0 && token === ',') commas++
  }
  return commas + 1
}

/** Replaces single values of a line by others. Texts for people are left out. */
function otherValues(line: string, path: string, dropped: ReadonlySet<string>): (InLine & { isSpare?: true })[] {
  if (line.includes('"""') || line.includes("'''")) return []
  const isMessage = ofMessages.test(line)
  const mark = path.endsWith('.py') ? '#' : '/'
  const found: (InLine & { isSpare?: true })[] = []
  let index = 0
  const tokens = valuesOf(line)
  for (const [at, token] of tokens.entries()) {
    // The rest is a comment.
    if (token === mark && (mark === '#' || tokens[at + 1] === mark)) break
    index = line.indexOf(token, index)
    const isValue = isNumber(token) ? tokens[at - 1] !== '.' : isText(token) && !isMessage
    if (isValue) {
      const replacement = isNumber(token)
        ? String(Number(token.replaceAll('_', '')) + 1)
        : `${token[0]}x${token.slice(1)}`
      found.push({ original: token, replacement, index, ...(!dropped.has(normal(token)) && { isSpare: true }) })
    }
    index += token.length
  }
  return found
}
