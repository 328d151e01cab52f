import { withLastStack } from '../attempts.ts'
import { checkTotal } from '../check-total.ts'
import type { Attempt, CaseStatus, ReadOptions, ReportReader, ReportSource, TestCase } from '../report.ts'
import { cutText, relativePath } from '../text.ts'
import { durationOrNull, lineOrNull, needed, oneOf, textOrNull } from './field.ts'
import { readJson } from './json-stream.ts'
import { each, either, flag, list, number, record, text, type ValueOf } from './shape.ts'

const statuses = new Map<string, CaseStatus>([
  ['passed', 'passed'],
  ['failed', 'failed'],
  ['skipped', 'skipped'],
  ['pending', 'skipped'],
  // Other statuses, such as todo.
  ['other', 'skipped'],
])

/** Reads CTRF (ctrf.io) in any version of its schema: `suite` was a text and is now a list. */
export const readCtrf: ReportReader = (source, options) =>
  readJson(
    source,
    options,
    ({ add }) =>
      record({
        results: record({
          tests: each(testShape(options), (test, path) => add(toCase(test, path, source, options))),
          summary: record({ tests: number, passed: number, failed: number }),
        }),
      }),
    (whole) => {
      const results = needed(whole.results, source, 'results')
      const found = needed(results.tests, source, 'results.tests')
      checkTotal(source, options, 'tests', needed(results.summary, source, 'results.summary').tests, found)
    },
  )

const testShape = ({ limits }: ReadOptions) =>
  record({
    name: text(limits.maxName),
    status: text(100),
    duration: number,
    suite: either(text(limits.maxName), list(text(limits.maxName), 100)),
    filePath: text(limits.maxName * 4),
    line: number,
    message: text(limits.maxMessage),
    trace: text(limits.maxStack),
    retries: number,
    flaky: flag,
    retryAttempts: list(
      record({ status: text(100), duration: number, message: text(limits.maxMessage), trace: text(limits.maxStack) }),
      limits.maxAttempts,
    ),
  })
type CtrfTest = ValueOf<ReturnType<typeof testShape>>

function toCase(test: CtrfTest, path: string, source: ReportSource, { limits, roots }: ReadOptions): TestCase {
  const status = oneOf(needed(test.status, source, `${path}.status`), statuses, source, `${path}.status`)
  const file = test.filePath === undefined ? null : relativePath(test.filePath, roots)
  const failed = status === 'passed' ? {} : test
  return {
    suite: cutText(suiteOf(test, file), limits.maxName),
    name: needed(test.name, source, `${path}.name`),
    file,
    line: lineOrNull(test.line),
    status,
    durationMs: durationOrNull(test.duration),
    message: textOrNull(failed.message),
    stack: textOrNull(failed.trace),
    attempts: attemptsOf(test, status, path, source, limits.maxAttempts),
  }
}

/** Removes the file, which some reporters include. */
function suiteOf({ suite = [] }: CtrfTest, file: string | null): string {
  const titles = typeof suite === 'string' ? suite.split(' > ') : suite
  return titles.filter((title) => title !== file && title !== file?.replace(/^.*\//, '')).join(' > ')
}

/** Reporters list attempts, count them, or only say that a test is flaky. */
function attemptsOf(test: CtrfTest, status: CaseStatus, path: string, source: ReportSource, max: number): Attempt[] {
  const listed = (test.retryAttempts ?? []).map((attempt, index): Attempt => {
    const place = `${path}.retryAttempts[${index}].status`
    const stack = textOrNull(attempt.trace)
    return {
      status: oneOf(needed(attempt.status, source, place), statuses, source, place),
      durationMs: durationOrNull(attempt.duration),
      message: textOrNull(attempt.message),
      ...(stack !== null && { stack }),
    }
  })
  if (listed.length > 0) return withLastStack(listed)
  const counted = Math.max(test.retries ?? 0, test.flaky === true && status === 'passed' ? 1 : 0)
  const length = Math.min(Math.max(0, Math.floor(counted)), max)
  return Array.from({ length }, () => ({ status: 'failed', durationMs: null, message: null }))
}
