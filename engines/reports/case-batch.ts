import { ReportError, type ReadOptions, type ReportSource, type TestCase } from './report.ts'

const batchSize = 100

/** Collects the cases of a reader into batches. */
export interface CaseBatch {
  add: (testCase: TestCase) => void
  /** Returns the number of cases added since the start. */
  count: () => number
  /** Yields the full batches, or all cases. */
  take: (everything?: boolean) => Generator<TestCase[]>
}

/** @throws ReportError `too_many_tests` from `add` */
export function gatherCases(source: ReportSource, options: ReadOptions): CaseBatch {
  let cases: TestCase[] = []
  let count = 0
  return {
    add: (testCase) => {
      count += 1
      if (count > options.limits.maxCases) throw tooManyTests(source, options)
      cases.push(testCase)
    },
    count: () => count,
    *take(everything = false) {
      if (cases.length === 0 || (cases.length < batchSize && !everything)) return
      const full = cases
      cases = []
      for (let start = 0; start < full.length; start += batchSize) yield full.slice(start, start + batchSize)
    },
  }
}

export function tooManyTests(source: ReportSource, options: ReadOptions): ReportError {
  return new ReportError('too_many_tests', source.name, `the report has more than ${options.limits.maxCases} tests`)
}
