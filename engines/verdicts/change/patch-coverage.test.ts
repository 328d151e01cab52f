import { expect, test } from 'vitest'
import type { ChangedFile, UncoveredCase } from './facts.ts'
import { changedLines } from './patch-coverage.ts'
import { code, codeFile, fix, measured, side } from './testing.ts'

function linesOf(
  files: ChangedFile[],
  coverage: Parameters<typeof measured>[0],
  sources: Record<string, string> = {},
  cases: [path: string, cases: UncoveredCase[]][] = [],
) {
  const facts = fix({
    files,
    head: side([], { coverage: measured(coverage) }),
    sources: new Map(Object.entries(sources)),
    cases: new Map(cases),
  })
  return changedLines(facts)
}

const wholeFile = code({ lines: [[1, 2 ** 31]], change: 'added', before: null, removed: [] })

test('counts changed lines that the coverage of the head names', () => {
  const { patch } = linesOf([code({ lines: [[2, 6]] })], { [codeFile]: { covered: '1-3,9', uncovered: '5' } })
  expect(patch).toMatchObject({ lines: 3, coveredLines: 2, partialLines: 0, percent: 66.6, unmeasured: [] })
})

test('has no percentage of no lines', () => {
  const { patch } = linesOf([code({ lines: [[4, 4]] })], { [codeFile]: { covered: '1-3', uncovered: '5' } })
  expect(patch).toMatchObject({ lines: 0, coveredLines: 0, percent: null, uncovered: [], unmeasured: [] })
})

test('does not round up to 100 percent, and not below a whole one', () => {
  expect(linesOf([wholeFile], { [codeFile]: { covered: '1-9999', uncovered: '10000' } }).patch?.percent).toBe(99.9)
  expect(linesOf([wholeFile], { [codeFile]: { covered: '1-57', uncovered: '58-100' } }).patch?.percent).toBe(57)
})

test('counts the branches of changed lines, and names the lines that run without all of them', () => {
  const file = {
    covered: '3-5,8-9',
    uncovered: '6',
    branches: '3:2,4:2,5:1,8:1,9:1',
    partial: '5:1/3,6:0/2,8:1/2,9:1/2',
  }
  expect(linesOf([code({ lines: [[4, 8]] })], { [codeFile]: file }).patch).toMatchObject({
    lines: 4,
    coveredLines: 3,
    branches: 9,
    coveredBranches: 4,
    partialLines: 2,
    partial: [
      { path: codeFile, line: 5, taken: 1, total: 3 },
      { path: codeFile, line: 8, taken: 1, total: 2 },
    ],
  })
})

test('names at most 50 lines without all branches, and counts the others', () => {
  const lines = Array.from({ length: 60 }, (_, at) => at + 1)
  const file = { covered: '1-60', partial: lines.map((line) => `${line}:0/2`).join(',') }
  const { patch } = linesOf([wholeFile], { [codeFile]: file })
  expect(patch).toMatchObject({ branches: 120, coveredBranches: 0, partialLines: 60 })
  expect(patch?.partial).toHaveLength(50)
})

test('shows uncovered lines with their code, merged over blanks, comments and brackets, the longest first', () => {
  const source = ['a()', 'if (b) {', '  c()', '', '  // d', '  e()', '}', 'f()', 'g()', 'h()'].join('\n')
  const cases = [
    { line: 2, only: [8], text: '!b' },
    { line: 2, only: [3], text: 'b' },
    ...[1, 6, 7, 9].map((line) => ({ line, only: [], text: `line ${line}` })),
  ]
  const { patch, longestUncovered } = linesOf(
    [wholeFile],
    { [codeFile]: { covered: '2,8', uncovered: '1,3,6,9-10' } },
    { [codeFile]: source },
    [[codeFile, cases]],
  )
  expect(longestUncovered).toBe(2)
  expect(patch?.uncovered).toEqual([
    { path: codeFile, startLine: 3, endLine: 6, code: '  c()\n\n  // d\n  e()', cases: ['b', 'line 6'] },
    { path: codeFile, startLine: 9, endLine: 10, code: 'g()\nh()', cases: ['line 9'] },
    { path: codeFile, startLine: 1, endLine: 1, code: 'a()', cases: ['line 1'] },
  ])
})

test('bounds the ranges and their code', () => {
  const lines = Array.from({ length: 400 }, (_, at) => (at % 2 === 0 ? 'covered()' : 'x'.repeat(9_000)))
  const uncovered = Array.from({ length: 200 }, (_, at) => at * 2 + 2).join(',')
  const covered = Array.from({ length: 200 }, (_, at) => at * 2 + 1).join(',')
  const { patch } = linesOf([wholeFile], { [codeFile]: { covered, uncovered } }, { [codeFile]: lines.join('\n') })
  expect([patch?.uncovered.length, patch?.uncovered[0]?.code.length]).toEqual([50, 2_000])
  const long = linesOf(
    [wholeFile],
    { [codeFile]: { uncovered: '1-300' } },
    { [codeFile]: lines.map(() => 'y').join('\n') },
  )
  expect(long.patch?.uncovered[0]?.code).toMatch(/^(?:y\n){40}…$/)
})

test('names changed files without coverage, and those that a test could have loaded', () => {
  const files = ['src/new.ts', 'src/types.ts', 'src/old.d.ts', 'schema.sql'].map((path) => code({ path, before: path }))
  const found = linesOf(
    [...files, code()],
    { [codeFile]: { covered: '4' } },
    {
      'src/new.ts': 'export function a() {\n  return 1\n}\n',
      'src/types.ts':
        "import type { A } from './a.ts'\n\nexport interface B extends A {\n  call(text: string): void\n}\n",
    },
  )
  expect(found.patch?.unmeasured).toEqual(['src/new.ts', 'src/types.ts', 'src/old.d.ts', 'schema.sql'])
  expect(found.notLoaded).toEqual(['src/new.ts'])
})

test('ignores tests, deleted files and renamed ones', () => {
  const files = [
    code({ path: 'a.test.ts', kind: 'test' }),
    code({ path: 'gone.ts', change: 'deleted', lines: [] }),
    code({ path: 'moved.ts', lines: [], removed: [] }),
  ]
  expect(linesOf(files, { 'a.test.ts': { covered: '1-9' } }).patch).toMatchObject({
    lines: 0,
    percent: null,
    unmeasured: [],
  })
})

test('knows nothing without coverage, and trusts no file named like a property of objects', () => {
  expect(changedLines(fix({ head: side([]) }))).toMatchObject({ patch: null, canRun: null })
  expect(linesOf([code({ path: 'constructor' })], { [codeFile]: {} }).patch?.unmeasured).toEqual(['constructor'])
})
