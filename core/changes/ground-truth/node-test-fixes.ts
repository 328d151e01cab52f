import { append, move, replace } from './edits.ts'
import type { KnownChange } from './known-change.ts'
import { closeInTime, negativeTest, refuseNegative, roundTax, taxTest } from './node-test-edits.ts'

/** Fixes, with their tests or without. */
export const fixes: readonly KnownChange[] = [
  {
    name: 'right fix with its test',
    edits: [roundTax, taxTest],
    verdict: 'proved',
    transitions: { 'rounds the tax to the nearest cent': 'new_passing' },
  },
  { name: 'right fix without a test', edits: [closeInTime], verdict: 'unproved', isAside: true },
  {
    name: 'fix with a test that passes before it too',
    edits: [
      roundTax,
      append(
        'test/price.test.js',
        `
test('rounds the tax', () => {
  assert.equal(withTax(200, 50), 300)
})
`,
      ),
    ],
    verdict: 'unproved',
    says: ['rounds the tax'],
  },
  {
    name: 'fix with two tests of which one proves nothing',
    edits: [
      refuseNegative,
      negativeTest,
      append(
        'test/stock.test.js',
        `
test('takes one cup', () => {
  const stock = stocked()
  stock.take('cup', 1)
  assert.equal(stock.amountOf('cup'), 2)
})
`,
      ),
    ],
    verdict: 'proved',
    isAside: true,
  },
  {
    name: 'fix that breaks another test',
    edits: [refuseNegative, replace('src/stock.js', 'if (left < 0)', 'if (left <= 0)'), negativeTest],
    verdict: 'broken',
    transitions: { 'takes articles out, all of them too': 'broken' },
    says: ['takes articles out, all of them too'],
  },
  {
    name: 'flaky test',
    edits: [
      closeInTime,
      append(
        'test/hours.test.js',
        `
test('closes in time', () => {
  assert.equal(isOpen(day, '18:00'), false)
  assert.ok(Math.random() < 0.5)
})
`,
      ),
    ],
    verdict: 'flaky',
    says: ['closes in time'],
    repeats: 10,
  },
  {
    name: 'syntax error',
    edits: [roundTax, taxTest, replace('src/price.js', '/** Takes a discount', '}\n/** Takes a discount')],
    // The other files of tests still run.
    verdict: ['not_built', 'broken'],
    says: ["SyntaxError: Unexpected token '}'", 'src/price.js'],
    isAside: true,
  },
  {
    name: 'renamed test file',
    edits: [roundTax, taxTest, move('test/price.test.js', 'test/prices.test.js')],
    verdict: 'proved',
  },
  {
    name: 'data that the code reads, with a test',
    edits: [
      replace('data/rates.json', '"food": 7,', '"food": 7,\n  "newspaper": 7,'),
      append(
        'test/rates.test.js',
        `
test('knows the rate of newspapers', () => {
  assert.equal(rateOf('newspaper'), 7)
})
`,
      ),
    ],
    verdict: ['proved', 'no_code_changed'],
  },
  {
    name: 'fix that only deletes code',
    edits: [
      replace('src/rates.js', "  if (kind === 'food') return rates.other\n", ''),
      append(
        'test/rates.test.js',
        `
test('knows the rate of food', () => {
  assert.equal(rateOf('food'), 7)
})
`,
      ),
    ],
    before: [
      replace(
        'src/rates.js',
        '  return rates[kind]',
        "  if (kind === 'food') return rates.other\n  return rates[kind]",
      ),
    ],
    verdict: 'proved',
    isAside: true,
  },
  {
    name: 'fix with a generated file',
    edits: [roundTax, taxTest, replace('dist/shop.min.js', 'Math.floor(t*', 'Math.round(t*')],
    verdict: 'proved',
  },
  {
    name: 'right fix where a test fails already',
    before: [
      append(
        'test/rates.test.js',
        `
test('knows the rate of umbrellas', () => {
  assert.equal(rateOf('umbrella'), 20)
})
`,
      ),
    ],
    edits: [roundTax, taxTest],
    verdict: 'proved',
    transitions: { 'knows the rate of umbrellas': 'fails_both' },
    isAside: true,
  },
  {
    name: 'fix that mends a failing test',
    before: [taxTest],
    edits: [roundTax],
    verdict: 'proved',
    transitions: { 'rounds the tax to the nearest cent': 'fails_to_passes' },
  },
]
