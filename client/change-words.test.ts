import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { expect, test } from 'vitest'
import type { ChangedTest } from '../engines/verdicts/change/schema.ts'
import { changeDigest } from './change-words.ts'
import { changeEvidence, largestEvidence } from './testing/change-evidence.ts'

const tools = { maxBytes: 3_300, audience: 'tools' } as const
const unproved = { verdict: 'unproved', intent: 'change' } as const

test('shows what the author needs for the next step, and nothing else', () => {
  const changed: ChangedTest = {
    test: 'cart > adds',
    file: 'test/cart.test.js',
    line: 4,
    transition: 'new_passing',
    isOfChange: 'added',
    withoutChange: 'fails',
    failure: null,
  }
  const evidence = changeEvidence({
    missing: ['No test runs src/cart.js:7.'],
    tests: [
      {
        ...changed,
        test: 'cart > taxes',
        transition: 'broken',
        isOfChange: null,
        withoutChange: null,
        failure: {
          test: 'cart > taxes',
          kind: 'assertion',
          message: 'expected 2\nto be 3',
          file: 'src/tax.js',
          line: 9,
        },
      },
      changed,
      { ...changed, test: 'cart > exists', withoutChange: 'passes' },
      { ...changed, test: 'cart > rounds', transition: 'broken', isOfChange: 'changed', withoutChange: 'passes' },
    ],
    counts: { ...changeEvidence().counts, broken: 2, new_passing: 2 },
    patch: {
      lines: 3,
      coveredLines: 2,
      branches: 5,
      coveredBranches: 3,
      partialLines: 2,
      partial: [
        { path: 'src/cart.js', line: 3, taken: 1, total: 2 },
        { path: 'src/cart.js', line: 5, taken: 0, total: 1 },
      ],
      percent: 66.7,
      uncovered: [
        { path: 'src/cart.js', startLine: 7, endLine: 8, code: 'if (sum > 9)\n  return 1', cases: ['sum > 9'] },
      ],
      unmeasured: [],
    },
    mutation: {
      found: 4,
      tried: 4,
      killed: 3,
      timedOut: 0,
      invalid: 0,
      survived: 1,
      seed: 'a',
      survivors: [{ path: 'src/cart.js', line: 3, operator: 'boundary', original: 'a > b', replacement: 'a >= b' }],
    },
    command: 'node --test test/cart.test.js',
  })
  expect(changeDigest(unproved, evidence, tools)).toMatchObject({
    failing: [
      { transition: 'broken', test: 'cart > taxes', place: 'src/tax.js:9', cause: 'expected 2 to be 3' },
      { transition: 'broken', test: 'cart > rounds', place: 'test/cart.test.js:4', cause: null },
    ],
    missing: ['No test runs src/cart.js:7.'],
    passWithoutChange: ['cart > exists'],
    failWithoutChange: ['cart > adds'],
    unproved: [{ place: 'src/cart.js:7-8', code: 'if (sum > 9)\n  return 1', cases: ['sum > 9'] }],
    survivors: [{ place: 'src/cart.js:3', original: 'a > b', replacement: 'a >= b' }],
    coverage: 'tests run 2 of 3 changed lines and 3 of 5 branches (src/cart.js:3 1 of 2, src/cart.js:5 0 of 1)',
    mutants: '4 of 4 tried: 3 killed, 1 survived',
    output: null,
    command: 'node --test test/cart.test.js',
    more: null,
  })
})

const ofChange: ChangedTest = {
  test: 'cart > rounds',
  file: 'test/cart.test.js',
  line: 4,
  transition: 'new_passing',
  isOfChange: 'added',
  withoutChange: 'fails',
  failure: null,
}
const commands = { ...tools, audience: 'commands' } as const

test('says what the tests of the change do on the old code, by name to people, and as numbers to tools that have the names', () => {
  const evidence = changeEvidence({
    counts: { ...changeEvidence().counts, new_passing: 1, fails_to_passes: 1 },
    tests: [
      ofChange,
      { ...ofChange, test: 'cart > taxes', transition: 'fails_to_passes', isOfChange: 'changed' },
      { ...ofChange, test: 'cart > \u001b[31mcounts', withoutChange: 'not_built' },
      {
        ...ofChange,
        test: 'cart > exists',
        transition: 'passes_to_passes',
        isOfChange: 'changed',
        withoutChange: 'passes',
      },
      { ...ofChange, test: 'cart > waits', withoutChange: 'not_run' },
      { ...ofChange, test: 'cart > sums', transition: 'broken', isOfChange: 'changed' },
      { ...ofChange, test: 'cart > saves', transition: 'fails_both', isOfChange: 'changed' },
      { ...ofChange, test: 'shop > opens', transition: 'fails_to_passes', isOfChange: null, withoutChange: null },
    ],
  })
  const sides = 'with the change 3 ran, 0 failed; on the base commit 3 ran, 0 failed; 1 fixed, 1 new and passing'
  expect(changeDigest(unproved, evidence, commands).tests).toBe(
    'the new and changed tests `cart > rounds`, `cart > taxes` fail on the old code and pass on the new; ' +
      'the new test `cart > counts` cannot be loaded on the old code and passes on the new; ' +
      'the changed test `cart > exists` passes on the old code too; ' +
      `the new test \`cart > waits\` has no result on the old code; ${sides}`,
  )
  expect(changeDigest(unproved, evidence, tools).tests).toBe(
    '2 new and changed tests fail on the old code and pass on the new; ' +
      '1 new test cannot be loaded on the old code and passes on the new; ' +
      '1 changed test passes on the old code too; ' +
      `1 new test has no result on the old code; ${sides}`,
  )
})

test('counts the tests of the change where they are many, and says that the evidence lists only the first ones', () => {
  const many = (count: number) =>
    changeEvidence({ tests: Array.from({ length: count }, (_, at) => ({ ...ofChange, test: `cart > ${at}` })) })
  expect(changeDigest(unproved, many(4), commands).tests).toMatch(
    /^4 new tests fail on the old code and pass on the new; /,
  )
  expect(changeDigest(unproved, many(200), commands).tests).toMatch(/^at least 200 new tests fail on the old code /)
  expect(changeDigest(unproved, changeEvidence(), commands).tests).toBe(
    'with the change 3 ran, 0 failed; on the base commit 3 ran, 0 failed',
  )
})

test('a change without code that needed no run says nothing of runs', () => {
  const side = { ...changeEvidence().head, outcome: 'not_run' as const, totalTests: 0 }
  const warnings = ['The tests did not run without the change, so results before it are not known.', 'Another.']
  const evidence = changeEvidence({ reason: 'documentation', base: side, head: side, warnings })
  const digest = changeDigest({ verdict: 'no_code_changed', intent: 'change' }, evidence, commands)
  expect(digest).toMatchObject({ tests: null, warnings: ['Another.'] })
  expect(changeDigest(unproved, evidence, commands)).toMatchObject({ warnings, tests: expect.any(String) })
})

test('names the option or the argument for a refactoring', () => {
  const evidence = changeEvidence({ summary: 'If it stays the same, verify with `expect: same`.' })
  expect(changeDigest(unproved, evidence, commands).summary).toContain('verify with `--expect same`.')
  expect(changeDigest(unproved, evidence, tools).summary).toContain('verify with `expect: "same"`.')
})

test('shows the last lines of an output that can give a reason, each once', () => {
  const stack = [
    'file:///work/src/price.js:3',
    "SyntaxError: Unexpected token '}'",
    '    at compileSourceTextModule (node:internal/modules/esm/utils:319:16)',
    '    at async node:internal/modules/esm/loader:639:26',
  ]
  const counts = ['ℹ tests 1', 'ℹ pass 0', 'ℹ duration_ms 40.1']
  const end = ['Node.js v24.21.0', '✖ test/price.test.js (46ms)', ...counts, '✖ failing tests:', '']
  const many = Array.from({ length: 20 }, (_, at) => `printed ${at}`)
  const output = [...stack, ...end, ...stack].join('\n')
  const shown = (text: string) =>
    changeDigest({ verdict: 'not_built', intent: 'change' }, changeEvidence({ output: text }), commands).output
  expect(shown(output)).toBe(['✖ test/price.test.js (46ms)', '✖ failing tests:', ...stack.slice(0, 2)].join('\n'))
  expect(shown(many.join('\n'))).toBe(['…', ...many.slice(10)].join('\n'))
})

test('does not repeat what the summary says, also where both are shortened', () => {
  const [first, second, third] = ['No test fails without it.', 'Nothing runs src/cart.js:7.', '3 of 4 mutants survive.']
  const missing = (summary: string, gaps: string[], maxBytes = 3_300) =>
    changeDigest(unproved, changeEvidence({ summary, missing: gaps }), { ...tools, maxBytes }).missing
  expect(missing(`${first} ${second}`, [first, second])).toEqual([])
  expect(missing(`${first} ${second}`, [first, second, third])).toEqual([third])
  // The room for a summary is less than that for a second long sentence.
  const long = (what: string) => `${what} ${'is missing, '.repeat(150)}at last.`
  const gaps = [long('This'), long('That'), third]
  const left = missing(gaps.slice(0, 2).join(' '), gaps, 1_500)
  expect(left).toEqual([expect.stringMatching(/^That is missing, .*…$/), third])
})

test('counts what is missing beyond the summary', () => {
  const gaps = Array.from({ length: 60 }, (_, at) => `No test runs line ${at}.`)
  const { missing, more } = changeDigest(
    unproved,
    changeEvidence({ summary: gaps.slice(0, 2).join(' '), missing: gaps }),
    tools,
  )
  expect(missing[0]).toBe('No test runs line 2.')
  expect(more).toBe(`... and ${58 - missing.length} more missing proofs`)
})

test('names few of the lines without all branches, and no branches where none are measured', () => {
  const { patch } = largestEvidence('x')
  if (patch === null) throw new Error('there is no patch')
  const few = changeDigest(unproved, changeEvidence({ patch: { ...patch, unmeasured: [] } }), tools)
  expect(few.coverage).toMatch(/ and 400 of 900 branches \(path 0 x+…?:0 1 of 3, [^,]+, [^,]+, 297 more\)$/)
  const none = changeEvidence({ patch: { ...patch, branches: 0, coveredBranches: 0, partialLines: 0, partial: [] } })
  expect(changeDigest(unproved, none, tools).coverage).toMatch(/^tests run 10 of 5000 changed lines; 50 changed files/)
  const ofOne = { ...patch, lines: 1, coveredLines: 0, branches: 0, unmeasured: patch.unmeasured.slice(0, 1) }
  const one = changeEvidence({ patch: ofOne })
  expect(changeDigest(unproved, one, tools).coverage).toBe(
    'tests run 0 of 1 changed line; 1 changed file was not measured',
  )
})

test('a refactoring needs no test that fails without it', () => {
  const evidence = largestEvidence('x')
  expect(changeDigest({ verdict: 'proved', intent: 'same' }, evidence, tools).passWithoutChange).toEqual([])
})

test.each([
  ['words', 'the quick brown fox jumps over the lazy dog '],
  ['paths', 'src/features/checkout/components/price-summary/'],
  ['symbols', '{}[]"\\<>|&^%$#@!~`'],
  ['another script', '測試不應該依賴時間'],
  ['emoji', '🧪👩‍🔬'],
  ['hidden characters', '\u202e\u200b\u001b[31m'],
])('the largest evidence of %s takes at most 1,100 tokens, and says what it leaves out', (_name, text) => {
  const digest = changeDigest({ verdict: 'not_built', intent: 'change' }, largestEvidence(text), tools)
  expect(encode(JSON.stringify(digest)).length).toBeLessThanOrEqual(1_100)
  expect(digest.failing.length).toBeGreaterThan(0)
  expect(digest.more).toMatch(/^\.\.\. and 19\d more failing tests, \d+ more missing proofs, /)
  expect(JSON.stringify(digest)).not.toMatch(/\\u001b|\u202e|\u200b/)
})

test('more room shows more, and everything fits where there is enough', () => {
  const small = changeDigest(unproved, largestEvidence('a b '), tools)
  const large = changeDigest(unproved, largestEvidence('a b '), { ...tools, maxBytes: 20_000 })
  expect(large.failing.length).toBeGreaterThan(small.failing.length)
  expect(changeDigest(unproved, changeEvidence(), tools).more).toBeNull()
})

test('says which survivors are in the old code, and counts them apart', () => {
  const survivor = { path: 'src/cart.js', line: 3, operator: 'value', original: '11', replacement: '12' } as const
  const { survivors, mutants } = changeDigest(
    unproved,
    changeEvidence({
      mutation: {
        found: 9,
        tried: 4,
        killed: 3,
        timedOut: 0,
        invalid: 0,
        survived: 1,
        seed: 'a',
        inOldCode: { found: 5, tried: 2, killed: 1, timedOut: 0, invalid: 0, survived: 1 },
        survivors: [{ ...survivor, isInOldCode: true }],
      },
    }),
    tools,
  )
  expect(survivors).toEqual([{ place: 'src/cart.js:3 in the old code', original: '11', replacement: '12' }])
  expect(mutants).toBe('2 of 4 tried: 2 killed, 0 survived; in the old code 2 of 5 tried: 1 killed, 1 survived')
})
