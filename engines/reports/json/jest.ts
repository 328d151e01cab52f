import { splitStack } from '../frames.ts'
import { withLastStack } from '../attempts.ts'
import { checkTotal } from '../check-total.ts'
import type { Attempt, CaseStatus, ReadOptions, ReportReader, ReportSource, TestCase } from '../report.ts'
import { cutText, relativePath } from '../text.ts'
import { durationOrNull, lineOrNull, needed, oneOf, textOrNull } from './field.ts'
import { readJson } from './json-stream.ts'
import { caseList, each, either, list, number, record, text, type ValueOf } from './shape.ts'

const statuses = new Map<string, CaseStatus>([
  ['passed', 'passed'],
  ['failed', 'failed'],
  ['pending', 'skipped'],
  ['skipped', 'skipped'],
  ['todo', 'skipped'],
  ['disabled', 'skipped'],
])

/** Reads the output of `jest --json` and `vitest --reporter=json`. */
export const readJestJson: ReportReader = (source, options) => {
  let announcedCases = 0
  return readJson(
    source,
    options,
    (batch) =>
      record({
        numTotalTests: number,
        numFailedTests: number,
        testResults: each(fileShape(options), (file, path) => {
          const cases = casesOf(file, path, source, options)
          announcedCases += cases.length
          cases.forEach(batch.add)
          if (file.status === 'failed' && !cases.some(({ status }) => status === 'failed')) {
            batch.add(failedFile(file, path, source, options))
          }
        }),
      }),
    (whole, batch) => {
      needed(whole.testResults, source, 'testResults')
      // The totals do not count files that cannot be loaded.
      if (batch.count() > announcedCases && announcedCases === 0) return
      checkTotal(source, options, 'tests', whole.numTotalTests, announcedCases)
    },
  )
}

function fileShape(options: ReadOptions) {
  const { limits } = options
  // Old versions accept any value as the name of a test.
  const title = either(either(text(limits.maxName), number), list(either(text(limits.maxName), number), 100))
  const assertion = record({
    ancestorTitles: list(title, 100),
    title,
    status: text(100),
    duration: number,
    failureMessages: list(text(limits.maxStack), limits.maxAttempts),
    location: record({ line: number }),
    invocations: number,
    retryReasons: list(text(limits.maxMessage), limits.maxAttempts),
  })
  return record({
    name: text(limits.maxName * 4),
    status: text(100),
    message: text(limits.maxStack),
    assertionResults: caseList(assertion, options),
  })
}
type ResultFile = ValueOf<ReturnType<typeof fileShape>>
type Assertion = NonNullable<ResultFile['assertionResults']>[number]

function casesOf(file: ResultFile, path: string, source: ReportSource, options: ReadOptions): TestCase[] {
  const filePath = relativePath(needed(file.name, source, `${path}.name`), options.roots)
  return needed(file.assertionResults, source, `${path}.assertionResults`).map((assertion, index) =>
    toCase(assertion, filePath, `${path}.assertionResults[${index}]`, source, options),
  )
}

function toCase(
  assertion: Assertion,
  file: string | null,
  path: string,
  source: ReportSource,
  { limits }: ReadOptions,
): TestCase {
  const word = needed(assertion.status, source, `${path}.status`)
  const status = oneOf(word, statuses, source, `${path}.status`)
  const failures = status === 'failed' ? (assertion.failureMessages ?? []).map(splitStack) : []
  const stacks = failures.flatMap(({ stack }) => stack ?? [])
  return {
    suite: cutText(
      (assertion.ancestorTitles ?? [])
        .map(String)
        .filter((title) => title !== '')
        .join(' > '),
      limits.maxName,
    ),
    name: cutText(String(needed(assertion.title, source, `${path}.title`)), limits.maxName),
    file,
    line: lineOrNull(assertion.location?.line),
    status,
    durationMs: durationOrNull(assertion.duration),
    message:
      word === 'todo' ? 'todo' : cutOrNull(failures.map(({ message }) => message).join('\n\n'), limits.maxMessage),
    stack: cutOrNull(stacks.join('\n\n'), limits.maxStack),
    attempts: attemptsOf(assertion, status, limits),
  }
}

/** Jest reports the number of attempts, and vitest the errors of earlier attempts of a passed test. */
function attemptsOf(assertion: Assertion, status: CaseStatus, limits: ReadOptions['limits']): Attempt[] {
  const reasons = assertion.retryReasons ?? []
  const errors = status === 'passed' && reasons.length === 0 ? (assertion.failureMessages ?? []) : reasons
  const counted = Math.min(Math.max(errors.length, (assertion.invocations ?? 1) - 1, 0), limits.maxAttempts)
  const attempts = Array.from({ length: Math.floor(counted) }, (_, index): Attempt => {
    const error = errors[index]
    if (error === undefined) return { status: 'failed', durationMs: null, message: null }
    const { message, stack } = splitStack(error)
    const cutStack = cutOrNull(stack ?? '', limits.maxStack)
    return {
      status: 'failed',
      durationMs: null,
      message: cutOrNull(message, limits.maxMessage),
      ...(cutStack !== null && { stack: cutStack }),
    }
  })
  return withLastStack(attempts)
}

/** Makes a case for a file that could not be loaded, or that failed outside of its tests. */
function failedFile(file: ResultFile, path: string, source: ReportSource, { limits, roots }: ReadOptions): TestCase {
  const given = needed(file.name, source, `${path}.name`)
  const filePath = relativePath(given, roots)
  const { message, stack } = splitStack(file.message ?? '')
  const explained = cutOrNull(message, limits.maxMessage)
  return {
    suite: '',
    name: cutText(filePath ?? given.replace(/^.*[/\\]/, ''), limits.maxName),
    file: filePath,
    line: null,
    status: 'failed',
    durationMs: null,
    message: explained ?? 'The file failed outside of its tests.',
    stack: cutOrNull(stack ?? '', limits.maxStack),
    ...(explained === null ? { failure: 'unexplained' } : {}),
    attempts: [],
  }
}

const cutOrNull = (given: string, max: number) => textOrNull(cutText(given, max))
