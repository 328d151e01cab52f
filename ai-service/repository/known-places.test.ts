import { expect, test } from 'vitest'
import { aCandidate, anAnalysis } from '../testing/analysis.ts'
import { readFacts } from './facts.ts'
import { completeTarget, findCandidate, isAvoided, isPlaceForTest } from './known-places.ts'

test.each([
  'src/a.test.ts',
  'tests/test_a.py',
  'pkg/a_test.go',
  'spec/models/a_spec.rb',
  'src/test/java/com/acme/ATest.java',
  'e2e/login.spec.ts',
  'tests/a.rs',
])('%s is a place for a test', (path) => {
  expect(isPlaceForTest(path)).toBe(true)
})

test.each([
  'src/a.ts',
  '../a.test.ts',
  'src/../../a.test.ts',
  '/a.test.ts',
  './a.test.ts',
  'a.test.ts/',
  '.git/a.test.ts',
  'src/.hidden/a.test.ts',
  'node_modules/a/a.test.ts',
  'tests/conftest.py',
  'tests/setup.ts',
  'spec/spec_helper.rb',
  'tests/a.json',
  'tests/Makefile',
  'C:\\a.test.ts',
  'C:/a.test.ts',
  'src\\a.test.ts',
  'a\u0000.test.ts',
  'a\n.test.ts',
  `${'a/'.repeat(600)}a.test.ts`,
  '',
])('%j is none', (path) => {
  expect(isPlaceForTest(path)).toBe(false)
})

test('finds a candidate by its name, also without its qualifier if that is unambiguous', () => {
  const testCandidates = ['Router.handle', 'parse', 'A.load', 'B.load'].map((symbol) => aCandidate({ symbol }))
  const facts = readFacts({ ...anAnalysis({ testCandidates }) })
  const find = (symbol: string | null, path = 'src/config.ts') => findCandidate(facts, path, symbol)?.symbol
  expect(['Router.handle', 'handle', 'load', 'A.load', 'other', null].map((symbol) => find(symbol))).toEqual([
    'Router.handle',
    'Router.handle',
    undefined,
    'A.load',
    undefined,
    undefined,
  ])
  expect(find('parse', 'src/other.ts')).toBeUndefined()
})

test('a target gets its lines from the analysis unless it has its own', () => {
  const facts = readFacts({ ...anAnalysis() })
  const target = { path: 'src/config.ts', symbol: 'parseConfig' }
  expect(completeTarget(facts, target)).toEqual({ ...target, startLine: 10, endLine: 42 })
  expect(completeTarget(facts, { ...target, startLine: 11, endLine: 12 })).toMatchObject({ startLine: 11, endLine: 12 })
  expect(completeTarget(facts, { path: 'src/new.ts', symbol: 'a' })).toEqual({ path: 'src/new.ts', symbol: 'a' })
})

test('an entry to avoid matches its symbol, or the whole file', () => {
  const about = { path: 'a.ts', symbol: 'a', testType: 'unit' as const }
  expect(isAvoided([{ file_path: 'a.ts', symbol: 'a' }], about)).toBe(true)
  expect(isAvoided([{ file_path: 'a.ts', symbol: 'a', test_type: 'e2e' }], about)).toBe(false)
  expect(isAvoided([{ file_path: 'a.ts' }], about)).toBe(false)
  expect(isAvoided([{ file_path: 'a.ts' }], { ...about, symbol: undefined })).toBe(true)
  expect(isAvoided(undefined, about)).toBe(false)
})

test('where the command of a run is known, it decides where a test may be', () => {
  const part = {
    directory: '',
    ecosystem: 'javascript',
    framework: 'mocha',
    command: 'mocha',
    testFiles: ['checks/*.js'],
  }
  expect(isPlaceForTest('checks/cart.js', [part])).toBe(true)
  expect(isPlaceForTest('src/cart.test.js', [part])).toBe(false)
  expect(isPlaceForTest('src/cart.test.js')).toBe(true)
  expect(isPlaceForTest('checks/cart.js')).toBe(false)
})
