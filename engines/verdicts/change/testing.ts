import type { FailureKind } from '../schema.ts'
import type { MutantOutcome } from '../facts.ts'
import type { Measured, MeasuredFile, OutcomeCase, RunOutcome } from '../outcome.ts'
import type { ChangedFile, ChangeFacts, RestoredPart, SideFacts } from './facts.ts'

/** The test file and the code file of the stories. */
export const testFile = 'test/cart.test.ts'
export const codeFile = 'src/cart.ts'

export function passed(name: string, change: Partial<OutcomeCase> = {}): OutcomeCase {
  return {
    suite: 'cart',
    name,
    file: testFile,
    status: 'passed',
    durationMs: 3,
    message: null,
    kind: null,
    place: null,
    testLines: [],
    ...change,
  }
}

export const skipped = (name: string, change: Partial<OutcomeCase> = {}) =>
  passed(name, { status: 'skipped', ...change })

export const failed = (name: string, change: Partial<OutcomeCase> = {}, kind: FailureKind = 'assertion') =>
  passed(name, {
    status: 'failed',
    message: 'expected 2 to be 3',
    kind,
    place: { file: testFile, line: 7 },
    ...change,
  })

/** A file that the runner could not load, as vitest and jest report it. */
export const notLoaded = (file = testFile, message = "SyntaxError: Unexpected token '}'") =>
  failed(file, { suite: '', file, message, place: { file: codeFile, line: 4 } }, 'not_built')

export function run(cases: readonly OutcomeCase[], change: Partial<RunOutcome> = {}): RunOutcome {
  const count = (status: OutcomeCase['status']) => cases.filter((found) => found.status === status).length
  const isFailed = count('failed') > 0
  return {
    execution: {
      reason: isFailed ? 'failed' : 'ok',
      exitCode: isFailed ? 1 : 0,
      signal: null,
      message: null,
      usage: { wallMs: 900, cpuMs: null, peakMemoryBytes: null },
    },
    cases,
    totals: {
      totalTests: cases.length,
      passedTests: count('passed'),
      failedTests: count('failed'),
      skippedTests: count('skipped'),
      flakyTests: 0,
    },
    problem: null,
    coverage: null,
    hang: null,
    output: '',
    warnings: [],
    ...change,
  }
}

/** A run that was stopped or could not report. */
export const stopped = (code: string, message: string, cases: readonly OutcomeCase[] = []) =>
  run(cases, { problem: { code, message } })

export const side = (runs: readonly RunOutcome[], change: Partial<SideFacts> = {}): SideFacts => ({
  commitSha: 'a'.repeat(40),
  runs,
  problem: null,
  coverage: null,
  durationMs: 900.4,
  cached: false,
  ...change,
})

export const measured = (files: Record<string, Partial<MeasuredFile>>): Measured => ({
  files: Object.fromEntries(
    Object.entries(files).map(([path, file]) => [path, { covered: '', uncovered: '', branches: '', ...file }]),
  ),
})

export const code = (change: Partial<ChangedFile> = {}): ChangedFile => ({
  path: codeFile,
  before: codeFile,
  kind: 'code',
  change: 'changed',
  lines: [[4, 5]],
  removed: [[4, 4]],
  ...change,
})

export const tests = (change: Partial<ChangedFile> = {}): ChangedFile => ({
  path: testFile,
  before: testFile,
  kind: 'test',
  change: 'changed',
  lines: [[20, 30]],
  removed: [],
  ...change,
})

export const other = (path = 'README.md'): ChangedFile => ({
  path,
  before: path,
  kind: 'other',
  change: 'changed',
  lines: [[1, 1]],
  removed: [[1, 1]],
})

export const mutants = (...outcomes: MutantOutcome[]): NonNullable<ChangeFacts['mutation']> => ({
  found: outcomes.length,
  seed: '1f',
  judged: outcomes.map((outcome, at) => ({
    outcome,
    killedBy: outcome === 'killed' ? ['cart > rounds'] : [],
    mutant: { path: codeFile, line: 4 + (at % 2), operator: 'boundary', original: 'a < b', replacement: 'a <= b' },
  })),
})

/** Mutants of the code that a refactoring removes. */
export const inOldCode = (...outcomes: MutantOutcome[]): NonNullable<ChangeFacts['oldCode']> => ({
  found: outcomes.length,
  judged: outcomes.map((outcome) => ({
    outcome,
    mutant: { path: codeFile, line: 3, operator: 'value', original: '11', replacement: '12' },
  })),
})

export const restored = (change: Partial<RestoredPart> = {}): RestoredPart => ({
  path: codeFile,
  line: 4,
  kind: 'replacement',
  now: 'a >= b',
  before: 'a > b',
  outcome: 'survived',
  ...change,
})

/** A right fix with its test: `rounds` is new, fails without the change and passes with it. */
export function fix(change: Partial<ChangeFacts> = {}): ChangeFacts {
  return {
    intent: 'change',
    files: [code(), tests()],
    base: side([run([passed('adds', { line: 3 })])], {
      coverage: measured({ [codeFile]: { covered: '1-4', uncovered: '6' } }),
    }),
    head: side(
      [
        run([passed('adds', { line: 3 }), passed('rounds', { line: 22 })]),
        run([passed('rounds', { line: 22 })]),
        run([passed('rounds', { line: 22 })]),
      ],
      { coverage: measured({ [codeFile]: { covered: '1-5', uncovered: '7' } }) },
    ),
    withoutChange: [run([failed('rounds', { line: 22 }), passed('adds', { line: 3 })])],
    mutation: mutants('killed', 'killed', 'survived'),
    restored: [],
    textTests: [],
    sources: new Map([[codeFile, ['one', 'two', 'three', 'four', 'five', 'six', 'seven'].join('\n')]]),
    sourcesBefore: new Map(),
    cases: new Map(),
    notRun: [],
    warnings: [],
    ...change,
  }
}

/** A refactoring of the same code without any change of tests. */
export const refactoring = (change: Partial<ChangeFacts> = {}): ChangeFacts =>
  fix({
    intent: 'same',
    files: [code()],
    head: side([run([passed('adds', { line: 3 })])], {
      coverage: measured({ [codeFile]: { covered: '1-5', uncovered: '7' } }),
    }),
    withoutChange: null,
    mutation: mutants('killed', 'killed', 'timed_out'),
    ...change,
  })
