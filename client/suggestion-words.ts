import type { Suggestion } from '../core/ai/schema.ts'
import type { TestBrief, TestCandidate, TestCase } from '../engines/analysis/schema.ts'
import type { TestingPart } from '../engines/test-plan/schema.ts'
import { cleanLine, cleanName, shorten } from './sanitize.ts'

/** A suggestion in words, for terminals and agents. Every line is clean and has no line break. */
export interface SuggestionWords {
  /** `src/queue.ts:301-304 Queue.#start, through Queue.add`. */
  place: string
  /** What to test, below the place. */
  lines: string[]
}

/** About 200 tokens: five suggestions and what stands above them fit into 1,500, also with names that take more. */
const maxBytes = 820
const maxConditionBytes = 100
const maxResultBytes = 60
const minCases = 1

/**
 * Words a suggestion: its cases, and what the author of the test needs to know. Cuts it to about 200 tokens unless all
 * is wanted.
 *
 * @param common - what was said above all suggestions, which is not repeated
 */
export function suggestionWords(
  suggestion: Suggestion,
  { common, detail = false }: { common?: Testing; detail?: boolean },
): SuggestionWords {
  const { description, rationale, cases = [], brief } = suggestion
  const place = placeOf(suggestion)
  const brought = brief ? briefWords(brief, common, detail) : []
  if (detail) {
    const all = [description, rationale].map((text) => cleanLine(text))
    return { place, lines: [...all, ...cases.map((one) => caseLine(one)), ...brought] }
  }
  // Cases are facts of the source. Where there are some, the reason for the place only repeats what the ranking says.
  const prose = [shorten(cleanLine(description), cases.length > 0 ? 160 : 300)]
  if (cases.length === 0) prose.push(shorten(cleanLine(rationale), 200))
  const left = maxBytes - bytesOf([place, ...prose, ...brought])
  const shown = fitting(
    cases.map(({ condition, result, ...one }) =>
      caseLine({
        ...one,
        condition: shorten(condition, maxConditionBytes),
        ...(result === undefined ? {} : { result: shorten(result, maxResultBytes) }),
      }),
    ),
    left,
  )
  const more = cases.length - shown.length
  return { place, lines: [...prose, ...shown, ...(more > 0 ? [`and ${counted(more, 'more case')}`] : []), ...brought] }
}

function fitting(lines: readonly string[], bytes: number): string[] {
  let left = bytes
  const shown = lines.findIndex((line, index) => (left -= bytesOf([line])) < 0 && index >= minCases)
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

/** `L301 throws TypeError "Expected a number" when options.interval is not a number [1a2b3c4d]`. */
export function caseLine({ id, line, condition, outcome, result }: TestCase): string {
  const what = result === undefined ? '' : ` ${result}`
  const ends: Record<TestCase['outcome'], string> = {
    throws: `throws${what || ' an error'}`,
    returns: `returns${what || ''}`,
    early_return: `returns early${what && `:${what}`}`,
    loop_not_entered: `skips the loop${what && `:${what}`}`,
    catch: `catches${what || ' an error'}`,
    default: `takes the default${what && `:${what}`}`,
  }
  return cleanLine(`L${line} ${ends[outcome]} when ${condition} [${id}]`)
}

/** How all suggestions of an answer are tested. */
export interface Testing {
  /** `vitest: npx vitest run {file}`. */
  line: string
  framework: string
}

const maxParts = 3

/** Says once how the project is tested. Undefined if nothing is known, or if the suggestions differ. */
export function testingOf(
  parts: readonly TestingPart[] = [],
  briefs: readonly (TestBrief | undefined)[] = [],
): Testing | undefined {
  const frameworks = new Set(briefs.flatMap((brief) => (brief ? [brief.framework] : [])))
  const used = parts.filter(({ framework }) => frameworks.size === 0 || frameworks.has(framework))
  const shown = (used.length > 0 ? used : parts).slice(0, maxParts)
  const [framework = shown[0]?.framework ?? ''] = frameworks
  if (shown.length === 0 && frameworks.size !== 1) return undefined
  const line =
    shown.length === 0
      ? framework
      : shown
          .map(({ directory, framework: name, command, fileCommand }) => {
            const where = directory === '' ? '' : `${directory}: `
            const one = fileCommand === undefined ? '' : `, one file: ${fileCommand}`
            return `${where}${name}, ${command}${one}`
          })
          .join('; ')
  return { line: shorten(cleanLine(line), 300), framework: frameworks.size > 1 ? '' : framework }
}

/** What to write where. In short, the signature is enough of the parameters, and the test to extend is the nearest one. */
function briefWords(brief: TestBrief, common: Testing | undefined, detail: boolean): string[] {
  const { framework, testFile, command, construct, signature, parameters = [], nearestTest } = brief
  const max = (bytes: number) => (detail ? 1_000 : bytes)
  const how = testFile.exists ? 'extend' : 'new'
  const other = framework === common?.framework ? '' : `, ${framework}`
  const lines = [
    `Test: ${shorten(cleanName(testFile.path), max(140))} (${how}${shorten(cleanLine(other), 40)})`,
    ...(brief.import === undefined ? [] : [`Import: ${shorten(cleanLine(brief.import), max(140))}`]),
    ...(signature === undefined && construct === undefined
      ? []
      : [
          `Call: ${[construct, signature].flatMap((text) => (text === undefined ? [] : [shorten(cleanLine(text), max(110))])).join('; ')}`,
        ]),
  ]
  if (!detail) return lines
  const helpers = nearestTest?.helpers.length ? `, with ${nearestTest.helpers.join(', ')}` : ''
  return [
    ...lines,
    ...parameters.map(({ name, type, isOptional }) =>
      cleanLine(`Parameter: ${name}${isOptional ? '?' : ''}${type === undefined ? '' : `: ${type}`}`),
    ),
    ...(command === undefined ? [] : [`Run: ${cleanLine(command)}`]),
    ...(nearestTest
      ? [
          `Read first: ${cleanName(nearestTest.path)}${nearestTest.line === undefined ? '' : `:${nearestTest.line}`}${cleanLine(helpers)}`,
        ]
      : []),
  ]
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`
