import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { expect, test } from 'vitest'
import type { Suggestion } from '../core/ai/schema.ts'
import type { TestCase } from '../engines/analysis/schema.ts'
import { caseLine, suggestionWords, testingLine } from './suggestion-words.ts'
import { longSuggestions, longTesting } from './testing/suggestions.ts'

const tokensOf = (lines: readonly string[]) => encode(lines.join('\n')).length

const interval: TestCase = {
  id: '1a2b3c4d',
  line: 301,
  condition: 'options.interval is not a finite number',
  outcome: 'throws',
  result: 'TypeError "Expected a number"',
  covered: false,
}

const suggestion: Suggestion = {
  file_path: 'source/index.ts',
  test_type: 'unit',
  description: 'Tests that add rejects an interval that is not finite.',
  rationale: 'exported; complexity 12',
  example_code: '',
  target: { symbol: 'PQueue.#tryToStartAnother', startLine: 301, endLine: 304 },
  through: { path: 'source/index.ts', symbol: 'PQueue.add', startLine: 120, endLine: 180 },
  cases: [interval, { ...interval, line: 304, outcome: 'early_return', condition: '!this.#isPaused', id: 'ffffffff' }],
  brief: {
    framework: 'ava',
    testFile: { path: 'test/test.ts', exists: true },
    command: 'npx ava test/test.ts',
    import: "import PQueue from '../source/index.js'",
    signature: 'add(function_, options?)',
    construct: 'new PQueue(options)',
    parameters: [{ name: 'function_', isOptional: false }],
    nearestTest: { path: 'test/test.ts', line: 9, helpers: ['fixture'] },
  },
}

test('words a case as what the code does and when', () => {
  const { result: _result, ...bare } = interval
  expect(caseLine(interval)).toBe(
    'L301 throws TypeError "Expected a number" when options.interval is not a finite number [1a2b3c4d]',
  )
  expect(caseLine({ ...interval, covered: null, notMeasured: true })).toMatch(
    /finite number \(not measured\) \[1a2b3c4d\]$/,
  )
  const words = (['throws', 'returns', 'early_return', 'loop_not_entered', 'catch', 'default'] as const).map(
    (outcome) => caseLine({ ...bare, outcome, condition: 'c' }),
  )
  expect(words).toEqual([
    'L301 throws an error when c [1a2b3c4d]',
    'L301 returns when c [1a2b3c4d]',
    'L301 returns early when c [1a2b3c4d]',
    'L301 skips the loop when c [1a2b3c4d]',
    'L301 reaches c [1a2b3c4d]',
    'L301 goes on when c [1a2b3c4d]',
  ])
  const leaves = (result: string) => caseLine({ ...bare, outcome: 'early_return', condition: 'c', result })
  expect(leaves('continue')).toBe('L301 goes on with the next round when c [1a2b3c4d]')
  expect(leaves('break')).toBe('L301 leaves the loop when c [1a2b3c4d]')
  const handler = { ...interval, outcome: 'catch' as const, condition: 'catch around read()', result: 'retry()' }
  expect(caseLine(handler)).toBe('L301 runs retry() in catch around read() [1a2b3c4d]')
  expect(caseLine({ ...handler, outcome: 'throws', result: 'SyntaxError: no' })).toBe(
    'L301 throws SyntaxError: no in catch around read() [1a2b3c4d]',
  )
  const panics = ['panic: err', 'panic (unreachable!)', 'panic (assert!): too long', 'panic'].map((result) =>
    caseLine({ ...interval, outcome: 'throws', condition: 'err != nil', result }),
  )
  expect(panics).toEqual([
    'L301 panics with err when err != nil [1a2b3c4d]',
    'L301 panics (unreachable!) when err != nil [1a2b3c4d]',
    'L301 panics (assert!) with too long when err != nil [1a2b3c4d]',
    'L301 panics when err != nil [1a2b3c4d]',
  ])
  expect(caseLine({ ...interval, outcome: 'default', result: 'x = 1' })).toContain('L301 runs x = 1 when options')
  const taken = ['0', "'a = b()'", '[]', 'None'].map((result) => caseLine({ ...interval, outcome: 'default', result }))
  expect(taken).toEqual(taken.map(() => expect.stringMatching(/ uses .* when /)))
  expect(caseLine({ ...interval, outcome: 'default', result: '[a] = take()' })).toContain(' runs [a] = take() when ')
  expect(caseLine({ ...interval, condition: 'a\n\u001b[31mb' })).toMatch(/ when a b \[/)
})

test('says the place, the public entry, the cases and what the author of the test needs', () => {
  expect(suggestionWords(suggestion, 'terminal')).toEqual({
    place: 'source/index.ts:301-304 PQueue.#tryToStartAnother, through PQueue.add',
    lines: [
      'Tests that add rejects an interval that is not finite.',
      'exported; complexity 12',
      'L301 throws TypeError "Expected a number" when options.interval is not a finite number [1a2b3c4d]',
      'L304 returns TypeError "Expected a number" early when !this.#isPaused [ffffffff]',
      'test file: test/test.ts (exists, add to it), ava',
      "import: import PQueue from '../source/index.js'",
      'construct: new PQueue(options)',
      'signature: add(function_, options?)',
      'nearest test: test/test.ts:9, helpers: fixture',
    ],
  })
  const { place, lines } = suggestionWords(suggestion, 'terminal')
  expect(suggestionWords(suggestion, 'agent'), 'the cases say more than the description').toEqual({
    place,
    lines: lines.slice(1),
  })
  const repeating = { ...suggestion, description: `Unit test: throws where \`${interval.condition}\` (line 301).` }
  for (const extent of ['agent', 'terminal'] as const) {
    expect(suggestionWords(repeating, extent).lines, 'the cases say it already').toEqual(lines.slice(1))
  }
  expect(suggestionWords(suggestion, 'all').lines).toEqual(
    expect.arrayContaining(['run: npx ava test/test.ts', 'nearest test: test/test.ts:9, helpers: fixture']),
  )
})

test('says how many cases the suggestion leaves out', () => {
  for (const extent of ['agent', 'terminal', 'all'] as const) {
    expect(suggestionWords({ ...suggestion, moreCases: 28 }, extent).lines).toContain('and 28 more cases')
    const uncounted = { ...suggestion, moreCases: 28, hasUncountedCases: true as const }
    expect(suggestionWords(uncounted, extent).lines).toContain('and at least 28 more cases')
  }
})

test('bounds the texts of the AI service and of the repository, also with all details', () => {
  const text = 'x'.repeat(8_192)
  const long = {
    ...suggestion,
    description: text,
    rationale: text,
    cases: [{ ...interval, condition: text, result: text }],
  }
  for (const extent of ['agent', 'terminal', 'all'] as const) {
    const { lines } = suggestionWords(long, extent)
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(1_000)
    expect(lines.find((line) => line.startsWith('L301'))).toMatch(/ \[1a2b3c4d\]$/)
  }
})

test('a suggestion without cases gives its reason', () => {
  const { cases: _cases, brief: _brief, through: _through, ...bare } = suggestion
  expect(suggestionWords(bare, 'agent').lines).toEqual([suggestion.description, suggestion.rationale])
})

test('says once how the project is tested', () => {
  expect(testingLine(longTesting, [suggestion.brief])).toContain('packages/payment-reconciliation-service: vitest')
  const part = { directory: '', ecosystem: 'javascript', framework: 'ava', command: 'npm test' }
  expect(testingLine([{ ...part, fileCommand: 'npx ava {file}' }])).toBe('ava, npm test, one file: npx ava {file}')
  expect(testingLine([...longTesting, part], [suggestion.brief])).toBe('ava, npm test')
  expect(testingLine()).toBeUndefined()
})

test('a suggestion stays within 250 tokens, however long its names are, and says what it left out', () => {
  for (const long of longSuggestions(5)) {
    const { place, lines } = suggestionWords(long, 'agent')
    expect(tokensOf([place, ...lines]), lines.join('\n')).toBeLessThanOrEqual(250)
    const shown = lines.filter((line) => line.startsWith('L') && !line.includes('no test noticed'))
    expect(shown.length).toBeGreaterThan(0)
    for (const line of shown) expect(line, 'keeps the id').toMatch(/ \[[0-9a-f]{8}\]$/)
    expect(lines.join('\n')).toMatch(/and \d+ more cases/)
    const all = suggestionWords(long, 'all').lines
    expect(all.filter((line) => line.startsWith('L'))).toHaveLength(5 + long.unnoticed.length)
  }
})

test('changes that no test notices come before cases, because they were measured', () => {
  const unnoticed = [
    { line: 302, original: 'a > 9', replacement: 'a >= 9' },
    { line: 303, original: 'log(a)', replacement: '' },
    { line: 304, original: 'b', replacement: 'c' },
  ]
  const lines = (extent: 'agent' | 'all') => suggestionWords({ ...suggestion, unnoticed }, extent).lines
  expect(lines('agent').slice(1, 4)).toEqual([
    'L302 no test noticed a >= 9 for a > 9',
    'L303 no test noticed that log(a) was removed',
    expect.stringContaining('L301 throws TypeError'),
  ])
  expect(lines('all')).toContain('L304 no test noticed c for b')
  const long = 'options.reconciliationWindow.numberOfOutstandingTransactions > configuration.maximum'
  const change = { line: 305, original: long, replacement: long.replace('>', '>=') }
  const [, line] = suggestionWords({ ...suggestion, unnoticed: [change] }, 'all')
    .lines.filter((one) => one.startsWith('L305'))
    .concat(
      suggestionWords({ ...suggestion, cases: [], unnoticed: [change] }, 'agent').lines.filter((one) =>
        one.startsWith('L305'),
      ),
    )
  expect(line).toBe('L305 no test noticed …>= configuration.maximum for …> configuration.maximum')
})
