import { checkTotal } from '../check-total.ts'
import type { CaseStatus, ReadOptions, ReportReader, ReportSource, TestCase } from '../report.ts'
import { cutText, relativePath } from '../text.ts'
import { durationOrNull, needed, textOrNull } from './field.ts'
import { readJson } from './json-stream.ts'
import { each, number, record, text, type ValueOf } from './shape.ts'

/**
 * Reads the output of mocha's reporter `json`: `passes`, `pending` and `failures`. Skips `tests`, which repeats them
 * without the failed hooks.
 */
export const readMochaJson: ReportReader = (source, options) =>
  readJson(
    source,
    options,
    ({ add }) => {
      const listed = (status: CaseStatus) =>
        each(testShape(options), (test, path) => add(toCase(test, status, path, source, options)))
      return record({
        stats: record({ tests: number, passes: number, pending: number, failures: number }),
        passes: listed('passed'),
        pending: listed('skipped'),
        failures: listed('failed'),
      })
    },
    (whole, batch) => {
      const stats = needed(whole.stats, source, 'stats')
      for (const name of ['passes', 'pending', 'failures'] as const) {
        const found = needed(whole[name], source, name)
        if (stats[name] !== undefined && stats[name] !== found) {
          options.warn(`${source.name}: stats.${name} is ${stats[name]}, but the report has ${found}`)
        }
      }
      // The totals do not count failed hooks.
      if (batch.count() === 0) checkTotal(source, options, 'tests', stats.tests, 0)
    },
  )

const testShape = ({ limits }: ReadOptions) =>
  record({
    title: text(limits.maxName),
    fullTitle: text(limits.maxName * 2),
    file: text(limits.maxName * 4),
    duration: number,
    currentRetry: number,
    err: record({ message: text(limits.maxMessage), stack: text(limits.maxStack) }),
  })

function toCase(
  test: ValueOf<ReturnType<typeof testShape>>,
  status: CaseStatus,
  path: string,
  source: ReportSource,
  { limits, roots }: ReadOptions,
): TestCase {
  const name = needed(test.title, source, `${path}.title`)
  const fullTitle = test.fullTitle ?? name
  const suite = fullTitle.endsWith(name) ? fullTitle.slice(0, fullTitle.length - name.length).trim() : ''
  const earlier = Math.min(Math.max(0, Math.floor(test.currentRetry ?? 0)), limits.maxAttempts)
  return {
    suite: cutText(suite, limits.maxName),
    name,
    file: test.file === undefined ? null : relativePath(test.file, roots),
    line: null,
    status,
    durationMs: durationOrNull(test.duration),
    message: textOrNull(test.err?.message),
    stack: textOrNull(test.err?.stack),
    attempts: Array.from({ length: earlier }, () => ({ status: 'failed', durationMs: null, message: null })),
  }
}
