import type { ChangeEvidence, SideResult } from '../../engines/verdicts/change/schema.ts'

const side: SideResult = {
  commitSha: 'a'.repeat(40),
  outcome: 'passed',
  totalTests: 3,
  failedTests: 0,
  problem: null,
  durationMs: 10,
  cached: false,
}

/** Returns the evidence of a change in which nothing was found. */
export const changeEvidence = (fields: Partial<ChangeEvidence> = {}): ChangeEvidence => ({
  reason: 'no_test_fails_without_it',
  summary: 'No test fails without the change.',
  missing: [],
  base: side,
  head: { ...side, commitSha: 'b'.repeat(40) },
  files: { code: 1, tests: 1, other: 0 },
  counts: {
    fails_to_passes: 0,
    passes_to_passes: 3,
    broken: 0,
    fails_both: 0,
    new_passing: 0,
    new_failing: 0,
    gone: 0,
    flaky: 0,
  },
  tests: [],
  patch: null,
  mutation: null,
  notRun: [],
  command: 'node --test',
  output: '',
  warnings: [],
  durationMs: 100,
  ...fields,
})

/** Returns evidence with as much of everything as a change can have, all of it made of one text. */
export function largestEvidence(text: string): ChangeEvidence {
  const long = (length: number, what = '') => `${what}${text.repeat(Math.ceil(length / text.length))}`.slice(0, length)
  const many = <T>(count: number, one: (index: number) => T) => Array.from({ length: count }, (_, index) => one(index))
  return changeEvidence({
    summary: long(2_000, 'summary '),
    missing: many(20, (index) => long(2_000, `missing ${index} `)),
    tests: many(200, (index) => ({
      test: long(2_000, `test ${index} `),
      file: long(1_000, `file ${index} `),
      line: index,
      transition: index % 2 === 0 ? ('broken' as const) : ('new_failing' as const),
      isOfChange: index % 2 === 0 ? null : ('added' as const),
      withoutChange: index % 2 === 0 ? null : ('passes' as const),
      failure: {
        test: '',
        kind: 'assertion' as const,
        message: long(2_000, `message ${index} `),
        file: long(1_000, `place ${index} `),
        line: index,
      },
    })),
    counts: { ...changeEvidence().counts, broken: 100, new_failing: 100 },
    patch: {
      lines: 5_000,
      coveredLines: 10,
      branches: 900,
      coveredBranches: 400,
      partialLines: 300,
      partial: many(50, (index) => ({ path: long(1_000, `path ${index} `), line: index, taken: 1, total: 3 })),
      percent: 0.2,
      uncovered: many(50, (index) => ({
        path: long(1_000, `path ${index} `),
        startLine: index,
        endLine: index + 3,
        code: long(2_000, `code ${index}\n`),
        cases: many(10, (one) => long(500, `case ${one} `)),
      })),
      unmeasured: many(50, (index) => long(500, `unmeasured ${index} `)),
    },
    mutation: {
      found: 500,
      tried: 100,
      killed: 10,
      timedOut: 5,
      invalid: 5,
      survived: 80,
      seed: 'a',
      survivors: many(20, (index) => ({
        path: long(1_000, `path ${index} `),
        line: index,
        operator: 'boundary' as const,
        original: long(500, `original ${index} `),
        replacement: long(500, `replacement ${index} `),
      })),
    },
    notRun: ['repeats', 'without_change', 'mutants'],
    command: long(2_000, 'node --test '),
    output: long(8_000, 'output '),
    warnings: many(30, (index) => long(2_000, `warning ${index} `)),
  })
}
