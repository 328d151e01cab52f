import { gatherCases } from './case-batch.ts'
import { ReportError } from './report.ts'
import type { CaseStatus, ReadOptions, ReportReader, TestCase } from './report.ts'
import { cutText, plainText } from './text.ts'
import { xmlEvents } from './xml-events.ts'
import type { Attributes, XmlHandlers } from './xml-events.ts'

const statuses: Record<string, CaseStatus> = {
  passed: 'passed',
  passedbutrunaborted: 'passed',
  warning: 'passed',
  completed: 'passed',
  notexecuted: 'skipped',
  inconclusive: 'skipped',
  notrunnable: 'skipped',
  pending: 'skipped',
}

/** Results are held until the classes are known, which come after them in the file. */
interface Result {
  testId: string
  name: string
  status: CaseStatus
  durationMs: number | null
  message: string
  stack: string
  /** The results of its rows count instead. */
  hasRows: boolean
}

/** The maximum number of characters of all messages and stacks. Later texts are omitted with a warning. */
const maxHeldText = 48 * 2 ** 20

/** Reads the report of `dotnet test --logger trx`. */
export const readTrx: ReportReader = async function* (source, options) {
  const reading = trxHandlers(source.name, options)
  for await (const _ of xmlEvents(source, reading.handlers, options))
    if (reading.results.length > options.limits.maxCases) break
  const cases = gatherCases(source, options)
  for (const testCase of reading.cases()) {
    cases.add(testCase)
    yield* cases.take()
  }
  yield* cases.take(true)
}

function trxHandlers(fileName: string, options: ReadOptions) {
  const { limits } = options
  const results: Result[] = []
  const classes = new Map<string, string>()
  const open: Result[] = []
  const path: string[] = []
  let definition: string | null = null
  let runError = ''
  let held = 0

  const textTarget = (name: string) => {
    const result = open.at(-1)
    if (result !== undefined && path.at(-2) === 'ErrorInfo' && (name === 'Message' || name === 'StackTrace'))
      return result
    return name === 'Text' && path.includes('RunInfo') ? 'run' : null
  }
  const handlers: XmlHandlers = {
    open: (name, attributes, line) => {
      if (path.length === 0 && name !== 'TestRun') {
        throw new ReportError(
          'unknown_format',
          fileName,
          `the root element <${name}> is not the root of a TRX report`,
          line,
        )
      }
      path.push(name)
      if (name === 'UnitTestResult') {
        const around = open.at(-1)
        if (around !== undefined) around.hasRows = true
        const result = resultOf(attributes)
        open.push(result)
        results.push(result)
      } else if (name === 'UnitTest') definition = attributes['id'] ?? null
      else if (name === 'TestMethod' && definition !== null) {
        // Cut here, because every result of the test repeats it.
        classes.set(definition, tidied(attributes['className']?.split(',', 1)[0]?.trim() ?? '', limits))
      }
      return textTarget(name) !== null
    },
    text: (text) => {
      const name = path.at(-1) ?? ''
      const target = textTarget(name)
      if (target === null) return
      if (target === 'run') {
        if (runError.length < limits.maxStack) runError = cutText(`${runError}${text}\n`, limits.maxStack)
      } else if (held < maxHeldText) {
        const field = name === 'Message' ? 'message' : 'stack'
        const max = field === 'message' ? limits.maxMessage : limits.maxStack
        const before = target[field].length
        if (before < max) target[field] = cutText(target[field] + plainText(text), max)
        held += target[field].length - before
        if (held >= maxHeldText)
          options.warn(`${fileName}: the failures have too much text; later failures have no text`)
      }
    },
    close: (name) => {
      path.pop()
      if (name === 'UnitTestResult') open.pop()
      if (name === 'UnitTest') definition = null
    },
  }

  function* cases(): Generator<TestCase> {
    let failed = false
    for (const result of results) {
      if (result.hasRows) continue
      failed ||= result.status === 'failed'
      yield caseOf(result, classes.get(result.testId) ?? '', limits)
    }
    // An error that stopped the whole run, such as a crash of the test host, belongs to no test.
    if (runError !== '' && !failed) {
      yield {
        ...blank,
        name: 'test run',
        status: 'failed',
        message: cutText(plainText(runError).trim(), limits.maxMessage),
      }
    }
  }
  return { handlers, results, cases }
}

const blank = { suite: '', file: null, line: null, durationMs: null, stack: null, attempts: [] }

function resultOf(attributes: Attributes): Result {
  return {
    testId: attributes['testId'] ?? '',
    name: attributes['testName'] ?? '',
    status: statuses[attributes['outcome']?.toLowerCase() ?? 'passed'] ?? 'failed',
    durationMs: timeSpan(attributes['duration']),
    message: '',
    stack: '',
    hasRows: false,
  }
}

function caseOf(result: Result, className: string, limits: ReadOptions['limits']): TestCase {
  const name =
    className !== '' && result.name.startsWith(`${className}.`) ? result.name.slice(className.length + 1) : result.name
  return {
    ...blank,
    suite: className,
    name: tidied(name, limits) || 'test',
    status: result.status,
    durationMs: result.durationMs,
    message: result.message.trim() || null,
    stack: result.stack.trim() || null,
  }
}

const tidied = (text: string, limits: ReadOptions['limits']) => cutText(plainText(text), limits.maxName)

/** Reads `days.hours:minutes:seconds.fraction`; the days are optional. */
function timeSpan(text: string | undefined): number | null {
  const [, days = '0', hours, minutes, seconds] = /^(?:(\d{1,6})\.)?(\d+):(\d+):(\d+(?:\.\d+)?)$/.exec(text ?? '') ?? []
  if (hours === undefined) return null
  const total = ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)
  return Number.isFinite(total) ? Math.round(total * 1_000_000) / 1000 : null
}
