import type { Suggestion } from '../core/ai/schema.ts'
import type { TestBrief, TestCandidate, TestCase } from '../engines/analysis/schema.ts'
import { isValue } from '../engines/parsing/cases/text.ts'
import type { TestingPart } from '../engines/test-plan/schema.ts'
import { briefLines } from './brief-lines.ts'
import { cleanLine, cleanName, shorten } from './sanitize.ts'

/** A suggestion in words, for terminals and agents. Every line is clean and has no line break. */
export interface SuggestionWords {
  /** `src/queue.ts:301-304 Queue.#start, through Queue.add`. */
  place: string
  /** What to test, below the place. */
  lines: string[]
}

/** About 200 tokens: five suggestions and what stands above them fit into 1,500, also with names that take more. */
const maxBytes = 800
const maxTerminalBytes = 600
const short = { conditionBytes: 100, resultBytes: 60 }
const detailed = { conditionBytes: 500, resultBytes: 300 }
const maxBriefBytes = 130
const maxProseBytes = 1_000
/** What tests run and do not run comes first. */
const maxReasonBytes = 130
const minCases = 1
const maxChanges = 2
/** Shorter ones may be words of any sentence. */
const minCondition = 4

type Unnoticed = NonNullable<Suggestion['unnoticed']>[number]

/** How much is said: all of it, what fits on a terminal, or about 200 tokens for an agent. */
export type Extent = 'all' | 'terminal' | 'agent'

/** Words a suggestion: its cases, and what the author of the test needs to know. */
export function suggestionWords(suggestion: Suggestion, extent: Extent): SuggestionWords {
  const {
    description,
    rationale,
    cases = [],
    moreCases = 0,
    hasUncountedCases = false,
    unnoticed = [],
    brief,
  } = suggestion
  const place = placeOf(suggestion)
  const known = cases.length + unnoticed.length
  const maxReasons = extent !== 'agent' ? maxProseBytes : known > 0 ? maxReasonBytes : 240
  const reasons = shorten(cleanLine(rationale), maxReasons)
  // An agent has the cases and changes, which are facts, for the description.
  const saysMore =
    extent === 'agent'
      ? known === 0
      : !repeats(description, [...cases.map((one) => one.condition), ...unnoticed.map((one) => one.original)])
  const prose = [
    ...(saysMore ? [shorten(cleanLine(description), extent === 'agent' ? 300 : maxProseBytes)] : []),
    reasons,
  ]
  const all = extent === 'all'
  const max = all ? detailed : short
  // What was measured comes before what was read from the source.
  const measured = unnoticed.slice(0, all ? Infinity : maxChanges).map((one) => changeLine(one, max.resultBytes))
  const lines = cases.map(({ condition, result, ...one }) =>
    caseLine({
      ...one,
      condition: shorten(condition, max.conditionBytes),
      ...(result === undefined ? {} : { result: shorten(result, max.resultBytes) }),
    }),
  )
  const { brought, nearest } = all ? { brought: brief ? briefLines(brief) : [], nearest: [] } : briefInShort(brief)
  const agentBytes = maxBytes - bytesOf([place, ...prose, ...brought])
  const bytes = { all: Infinity, terminal: maxTerminalBytes, agent: agentBytes }[extent]
  const changes = fitting(measured, bytes - bytesOf(lines.slice(0, minCases)), lines.length === 0 ? 1 : 0)
  const shown = fitting(lines, bytes - bytesOf(changes), minCases)
  const more = cases.length - shown.length + moreCases
  const leftOut = more > 0 ? [`and ${hasUncountedCases ? 'at least ' : ''}${counted(more, 'more case')}`] : []
  const hasRoom = extent === 'terminal' || bytesOf([...changes, ...shown, ...leftOut, ...nearest]) <= agentBytes
  return { place, lines: [...prose, ...changes, ...shown, ...leftOut, ...brought, ...(hasRoom ? nearest : [])] }
}

/** `L3 no test noticed a >= 9 for a > 9`, when strength was measured. */
function changeLine({ line, original, replacement }: Unnoticed, bytes: number): string {
  const [before, after] = [cleanLine(original), cleanLine(replacement)]
  const same = before.length > bytes ? sameStart(before, after) : 0
  const code = (text: string) => shorten(same > 0 ? `…${text.slice(same)}` : text, bytes)
  const change = removed.has(after) ? `that ${code(before)} was removed` : `${code(after)} for ${code(before)}`
  return `L${line} no test noticed ${change}`
}

/** What is left where a statement is removed. */
const removed: ReadonlySet<string> = new Set(['', ';', 'pass'])

/** How many characters two texts have in common before the word in which they begin to differ. */
function sameStart(one: string, other: string): number {
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  return one.slice(0, at).trimEnd().lastIndexOf(' ') + 1
}

/** Whether the description is made of the cases and changes, which are shown below it. */
const repeats = (description: string, texts: readonly string[]) =>
  texts.some((text) => text.length >= minCondition && description.includes(text.slice(0, 40)))

/**
 * Words what most authors of a test need: the answer says once how the tests are run, and the signature is enough of the
 * parameters. The nearest test is shown where there is room for it.
 */
function briefInShort(brief: TestBrief | undefined): Record<'brought' | 'nearest', string[]> {
  if (!brief) return { brought: [], nearest: [] }
  const { command: _command, nearestTest: _nearest, ...needed } = brief
  const { command: _same, ...known } = brief
  const lines = briefLines(known).map((line) => shorten(line, maxBriefBytes))
  const count = briefLines(needed).length
  return { brought: lines.slice(0, count), nearest: lines.slice(count) }
}

function fitting(lines: readonly string[], bytes: number, least: number): string[] {
  let left = bytes
  const shown = lines.findIndex((line, index) => (left -= bytesOf([line])) < 0 && index >= least)
  return shown === -1 ? [...lines] : lines.slice(0, shown)
}

const bytesOf = (lines: readonly string[]) => lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 4, 0)

/** Names the code under test, and the public entry that a test calls to reach it. */
function placeOf({ file_path, target, through }: Suggestion): string {
  const lines = target ? `:${rangeOf(target)} ${shorten(cleanName(target.symbol), 120)}` : ''
  return `${shorten(cleanName(file_path), 200)}${lines}${throughWords(through, file_path)}`
}

/** `, through Queue.add`; with the file, if it is another one. */
export function throughWords(through: TestCandidate['through'], path: string): string {
  if (!through) return ''
  const file = through.path === path ? '' : ` in ${shorten(cleanName(through.path), 160)}`
  return `, through ${shorten(cleanName(through.symbol), 120)}${file}`
}

const rangeOf = ({ startLine, endLine }: { startLine: number; endLine: number }) =>
  startLine === endLine ? String(startLine) : `${startLine}-${endLine}`

/** What leaves a loop, or one round of it, stays in the function. */
function leaving(result: string | undefined): string {
  if (/^(?:continue|next|redo)\b/.test(result ?? '')) return 'goes on with the next round'
  if (/^break\b/.test(result ?? '')) return 'leaves the loop'
  return result === undefined ? 'returns early' : `returns ${result} early`
}

/** `panic: err` and Rust's `panic (unreachable!): text`, which are no types of errors. */
const panic = /^panic(?: (\(\w+!\)))?(?:: (.+))?$/s

function throwing(result: string | undefined): string {
  const [panics, macro, text] = panic.exec(result ?? '') ?? []
  if (panics === undefined) return `throws ${result ?? 'an error'}`
  return `panics${macro === undefined ? '' : ` ${macro}`}${text === undefined ? '' : ` with ${text}`}`
}

/** `catch (error) around read()`: the condition of a handler names it and what it is around. */
const handler = /^(?:catch|except|rescue)\b.* around /s

/** `L301 throws TypeError "Expected a number" when options.interval is not a number [1a2b3c4d]`. */
export function caseLine({ id, line, notMeasured, ...taken }: TestCase): string {
  return cleanLine(`L${line} ${caseWords(taken)}${notMeasured ? ' (not measured)' : ''} [${id}]`)
}

/** `throws TypeError when options.interval is not a number`. */
export function caseWords({ condition, outcome, result }: Pick<TestCase, 'condition' | 'outcome' | 'result'>): string {
  const what = result === undefined ? '' : ` ${result}`
  const acts = result !== undefined && isValue(result) ? 'uses' : 'runs'
  const where = `${handler.test(condition) ? 'in' : 'when'} ${condition}`
  const words: Record<TestCase['outcome'], string> = {
    throws: `${throwing(result)} ${where}`,
    returns: `returns${what} ${where}`,
    early_return: `${leaving(result)} ${where}`,
    loop_not_entered: `skips the loop when ${condition}`,
    catch: what === '' ? `reaches ${condition}` : `${acts}${what} in ${condition}`,
    default: what === '' ? `goes on when ${condition}` : `${acts}${what} when ${condition}`,
  }
  return words[outcome]
}

const maxParts = 3

/** Says once how the project is tested: `vitest, npm test, one file: npx vitest run {file}`. Undefined if that is not known. */
export function testingLine(
  parts: readonly TestingPart[] = [],
  briefs: readonly (TestBrief | undefined)[] = [],
): string | undefined {
  const frameworks = new Set(briefs.flatMap((brief) => (brief ? [brief.framework] : [])))
  const used = parts.filter(({ framework }) => frameworks.has(framework))
  const shown = (used.length > 0 ? used : parts)
    .slice(0, maxParts)
    .map(({ directory, framework, command, fileCommand }) => {
      const where = directory === '' ? '' : `${directory}: `
      const one = fileCommand === undefined ? '' : `, one file: ${fileCommand}`
      return `${where}${framework}, ${command}${one}`
    })
  return shown.length === 0 ? undefined : shorten(cleanLine(shown.join('; ')), 300)
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`
