import { withLastStack } from '../attempts.ts'
import { checkTotal } from '../check-total.ts'
import type { Attempt, CaseStatus, ReadOptions, ReportReader, ReportSource, TestCase } from '../report.ts'
import { cutText, relativePath } from '../text.ts'
import { durationOrNull, lineOrNull, needed, oneOf, textOrNull } from './field.ts'
import { readJson } from './json-stream.ts'
import { caseList, each, later, list, number, record, type Shape, text, type ValueOf } from './shape.ts'

const outcomes = new Map<string, CaseStatus>([
  ['expected', 'passed'],
  ['flaky', 'passed'],
  ['unexpected', 'failed'],
  ['skipped', 'skipped'],
])

/** Reads the output of Playwright's reporter `json`. The Playwright project becomes the outermost suite. */
export const readPlaywrightJson: ReportReader = (source, options) => {
  const { limits } = options
  let rootDir = ''
  return readJson(
    source,
    options,
    (batch) =>
      record({
        config: record({ rootDir: text(limits.maxName * 4) }),
        suites: each(suiteShape(options), (suite, path, root) => {
          rootDir = (root as { config?: { rootDir?: string } }).config?.rootDir ?? ''
          addSuite(suite, '', path, { source, options, rootDir, add: batch.add })
        }),
        errors: list(errorShape(options), 100),
        stats: record({ expected: number, unexpected: number, flaky: number, skipped: number }),
      }),
    (whole, batch) => {
      needed(whole.suites, source, 'suites')
      const stats = needed(whole.stats, source, 'stats')
      const found = batch.count()
      for (const error of whole.errors ?? []) batch.add(outsideError(error, options))
      const announced = Object.values(stats).reduce((sum, count) => sum + count, 0)
      if (found > 0 || batch.count() === 0) checkTotal(source, options, 'tests', announced, found)
    },
  )
}

const errorShape = ({ limits }: ReadOptions) =>
  record({
    message: text(limits.maxMessage),
    stack: text(limits.maxStack),
    value: text(limits.maxMessage),
    location: record({ file: text(limits.maxName * 4), line: number }),
  })

function specShape(options: ReadOptions) {
  const { limits } = options
  const result = record({ status: text(100), duration: number, error: errorShape(options) })
  const test = record({
    projectName: text(limits.maxName),
    expectedStatus: text(100),
    status: text(100),
    results: list(result, limits.maxAttempts + 1),
    annotations: list(record({ type: text(100), description: text(limits.maxMessage) }), 20),
  })
  return record({
    title: text(limits.maxName),
    file: text(limits.maxName * 4),
    line: number,
    tests: caseList(test, options),
  })
}
type Spec = ValueOf<ReturnType<typeof specShape>>
type PlaywrightTest = NonNullable<Spec['tests']>[number]
type Result = NonNullable<PlaywrightTest['results']>[number]

interface Suite {
  title?: string
  file?: string
  specs?: Spec[]
  suites?: Suite[]
}

function suiteShape(options: ReadOptions): Shape<Suite> {
  const { limits } = options
  const shape: Shape<Suite> = record({
    title: text(limits.maxName),
    file: text(limits.maxName * 4),
    specs: caseList(specShape(options), options),
    suites: caseList(
      later(() => shape),
      options,
    ),
  })
  return shape
}

interface Reading {
  source: ReportSource
  options: ReadOptions
  rootDir: string
  add: (testCase: TestCase) => void
}

function addSuite(suite: Suite, above: string, path: string, reading: Reading): void {
  // The outermost suite is the file.
  const isFile = suite.title === undefined || suite.title === suite.file
  const titles = isFile ? above : cutText(joined(above, suite.title), reading.options.limits.maxName)
  suite.specs?.forEach((spec, specIndex) => {
    const specPath = `${path}.specs[${specIndex}]`
    needed(spec.tests, reading.source, `${specPath}.tests`).forEach((test, index) => {
      reading.add(toCase(test, spec, titles, `${specPath}.tests[${index}]`, specPath, reading))
    })
  })
  suite.suites?.forEach((inner, index) => addSuite(inner, titles, `${path}.suites[${index}]`, reading))
}

function toCase(
  test: PlaywrightTest,
  spec: Spec,
  titles: string,
  path: string,
  specPath: string,
  { source, options, rootDir }: Reading,
): TestCase {
  const status = oneOf(needed(test.status, source, `${path}.status`), outcomes, source, `${path}.status`)
  const results = test.results ?? []
  const last = results.at(-1)
  return {
    suite: cutText(joined(test.projectName, titles), options.limits.maxName),
    name: needed(spec.title, source, `${specPath}.title`),
    file: fileOf(spec.file, rootDir, options.roots),
    line: lineOrNull(spec.line),
    status,
    durationMs: durationOrNull(last?.duration),
    message: messageOf(test, status, last),
    stack: status === 'failed' ? textOrNull(last?.error?.stack) : null,
    attempts: withLastStack(results.slice(0, -1).map((result) => toAttempt(result, test))),
  }
}

const joined = (...titles: (string | undefined)[]) => titles.filter(Boolean).join(' > ')

function messageOf(test: PlaywrightTest, status: CaseStatus, last: Result | undefined): string | null {
  if (status === 'passed') return null
  if (status === 'skipped') {
    return textOrNull(test.annotations?.find(({ type }) => type === 'skip' || type === 'fixme')?.description)
  }
  const message = textOrNull(last?.error?.message ?? last?.error?.value)
  if (message !== null || last === undefined) return message
  return `The test was expected to be ${test.expectedStatus ?? 'passed'}, but is ${last.status ?? 'unknown'}.`
}

function toAttempt(result: Result, test: PlaywrightTest): Attempt {
  const asExpected = result.status === (test.expectedStatus ?? 'passed')
  const stack = asExpected ? null : textOrNull(result.error?.stack)
  return {
    status: result.status === 'skipped' ? 'skipped' : asExpected ? 'passed' : 'failed',
    durationMs: durationOrNull(result.duration),
    message: asExpected ? null : textOrNull(result.error?.message),
    ...(stack !== null && { stack }),
  }
}

/** The report names files relative to the folder of the tests, which may differ from the repository. */
function fileOf(file: string | undefined, rootDir: string, roots: readonly string[]): string | null {
  if (file === undefined) return null
  return (rootDir === '' ? null : relativePath(`${rootDir}/${file}`, roots)) ?? relativePath(file, roots)
}

/** An error that belongs to no test, such as a file that cannot be loaded. */
function outsideError(error: ValueOf<ReturnType<typeof errorShape>>, { limits, roots }: ReadOptions): TestCase {
  const file = error.location?.file === undefined ? null : relativePath(error.location.file, roots)
  return {
    suite: '',
    name: cutText(file ?? 'error outside of tests', limits.maxName),
    file,
    line: lineOrNull(error.location?.line),
    status: 'failed',
    durationMs: null,
    message: textOrNull(error.message ?? error.value) ?? 'An error happened outside of tests.',
    stack: textOrNull(error.stack),
    attempts: [],
  }
}
