import { append, move, remove, replace, write } from './edits.ts'
import type { KnownChange } from './known-change.ts'

const roundTax = replace('src/price.js', 'Math.floor((cents', 'Math.round((cents')
const closeInTime = replace('src/hours.js', 'now <= minutesOf(closes)', 'now < minutesOf(closes)')
const refuseNegative = replace(
  'src/stock.js',
  '    const left = ',
  '    if (amount < 0) throw new RangeError(`${amount} is no amount`)\n    const left = ',
)
const taxTest = append(
  'test/price.test.js',
  `
test('rounds the tax to the nearest cent', () => {
  assert.equal(withTax(999, 19), 1189)
  assert.equal(withTax(101, 7), 108)
})
`,
)
const negativeTest = append(
  'test/stock.test.js',
  `
test('refuses to take a negative amount', () => {
  const stock = stocked()
  assert.throws(() => stock.take('cup', -1), { name: 'RangeError', message: '-1 is no amount' })
  stock.take('cup', 0)
  assert.equal(stock.amountOf('cup'), 3)
})
`,
)
const parseTime = `/** Splits a list of hours such as \`08:30-12:00, 13:00-18:00\`. */
export function parseHours(text) {
  if (text.trim() === '') return []
  return text.split(',').map((part) => {
    const [opens, closes] = part.trim().split('-')
    if (minutesOf(closes) <= minutesOf(opens)) throw new Error(\`\${part.trim()} ends before it starts\`)
    return { opens, closes }
  })
}
`
const importParse = replace(
  'test/hours.test.js',
  'import { isOpen, minutesOf, weeklyHours }',
  'import { isOpen, minutesOf, parseHours, weeklyHours }',
)

const timeOf = `/** Writes minutes since midnight as a time. */
export function timeOf(minutes) {
  if (minutes < 0 || minutes >= 24 * 60) {
    const day = 24 * 60
    const rest = minutes % day
    return timeOf(rest < 0 ? rest + day : rest)
  }
  const hours = String(Math.floor(minutes / 60)).padStart(2, '0')
  return \`\${hours}:\${String(minutes % 60).padStart(2, '0')}\`
}
`
const writeTime = append('src/hours.js', `\n${timeOf}`)

export const nodeTest: readonly KnownChange[] = [
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
    name: 'refactoring that keeps behavior',
    edits: [
      replace(
        'src/stock.js',
        'return [...this.#amounts].filter(([, amount]) => amount < limit).map(([article]) => article)',
        `const found = []
    for (const [article, amount] of this.#amounts) {
      if (amount < limit) found.push(article)
    }
    return found`,
      ),
    ],
    expect: 'same',
    verdict: 'proved',
  },
  {
    name: 'refactoring with a change that tests notice',
    edits: [
      replace(
        'src/price.js',
        'if (percent < 0 || percent > 100) throw new RangeError(`${percent} percent is no discount`)',
        `const isDiscount = percent > 0 && percent < 100
  if (!isDiscount) throw new RangeError(\`\${percent} percent is no discount\`)`,
      ),
    ],
    expect: 'same',
    verdict: 'broken',
    isAside: true,
  },
  {
    name: 'refactoring with a change that no test notices',
    before: [replace('test/stock.test.js', "  assert.deepEqual(stocked().scarce(10), ['cup'])\n", '')],
    edits: [
      replace(
        'src/stock.js',
        'return [...this.#amounts].filter(([, amount]) => amount < limit).map(([article]) => article)',
        `const found = []
    for (const [article, amount] of this.#amounts) {
      if (amount <= limit) found.push(article)
    }
    return found`,
      ),
    ],
    expect: 'same',
    verdict: 'unproved',
  },
  {
    name: 'only a test',
    edits: [
      append(
        'test/hours.test.js',
        `
test('reads the last minute of a day', () => {
  assert.equal(minutesOf('23:59'), 1439)
})
`,
      ),
    ],
    verdict: 'no_code_changed',
  },
  {
    name: 'only a test, which fails',
    edits: [
      append(
        'test/hours.test.js',
        `
test('refuses an hour that no day has', () => {
  assert.throws(() => minutesOf('25:00'), /25:00 is no time/)
})
`,
      ),
    ],
    verdict: ['broken', 'unproved'],
    says: ['refuses an hour that no day has'],
    isAside: true,
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
    isAside: true,
  },
  {
    name: 'fix that deletes the test that it breaks',
    edits: [
      refuseNegative,
      replace('src/stock.js', 'if (left < 0)', 'if (left <= 0)'),
      negativeTest,
      replace(
        'test/stock.test.js',
        `test('takes articles out, all of them too', () => {
  const stock = stocked()
  stock.take('cup', 3)
  assert.equal(stock.amountOf('cup'), 0)
})

`,
        '',
      ),
    ],
    verdict: ['unproved', 'broken'],
    transitions: { 'takes articles out, all of them too': 'gone' },
    says: ['takes articles out, all of them too'],
  },
  {
    name: 'fix that skips the test that it breaks',
    edits: [
      refuseNegative,
      replace('src/stock.js', 'if (left < 0)', 'if (left <= 0)'),
      negativeTest,
      replace('test/stock.test.js', "test('takes articles out, all", "test.skip('takes articles out, all"),
    ],
    verdict: ['unproved', 'broken'],
    says: ['takes articles out, all of them too'],
    isAside: true,
  },
  {
    name: 'test that asserts nothing',
    edits: [
      closeInTime,
      append(
        'test/hours.test.js',
        `
test('closes in time', () => {
  isOpen(day, '18:00')
})
`,
      ),
    ],
    verdict: 'unproved',
    says: ['closes in time'],
    isAside: true,
  },
  {
    name: 'skipped test',
    edits: [
      closeInTime,
      append(
        'test/hours.test.js',
        `
test('closes in time', { skip: 'for now' }, () => {
  assert.equal(isOpen(day, '18:00'), false)
})
`,
      ),
    ],
    verdict: 'unproved',
  },
  {
    name: 'test to do',
    edits: [
      append(
        'src/hours.js',
        `
/** Whether the shop is closed all day. */
export const isClosed = ({ opens, closes }) => opens === closes
`,
      ),
      replace(
        'test/hours.test.js',
        'import { isOpen, minutesOf, weeklyHours }',
        'import { isClosed, isOpen, minutesOf, weeklyHours }',
      ),
      append(
        'test/hours.test.js',
        `
test('is closed all day', { todo: true }, () => {
  assert.equal(isClosed(day), true)
})
`,
      ),
    ],
    verdict: ['unproved', 'broken'],
    isAside: true,
  },
  {
    name: 'renamed test file',
    edits: [roundTax, taxTest, move('test/price.test.js', 'test/prices.test.js')],
    verdict: 'proved',
  },
  {
    name: 'test weakened to pass',
    edits: [
      replace('src/hours.js', 'return minutes / 60', 'return Math.floor(minutes / 60)'),
      replace('test/hours.test.js', "closes: '12:00' }]), 11.5)", "closes: '12:00' }]) >= 11, true)"),
    ],
    verdict: 'unproved',
    says: ['adds the hours of a week'],
    isAside: true,
  },
  {
    name: 'new function with good tests',
    edits: [
      append('src/hours.js', `\n${parseTime}`),
      importParse,
      append(
        'test/hours.test.js',
        `
test('splits a list of hours', () => {
  assert.deepEqual(parseHours('08:30-12:00, 13:00-18:00'), [
    { opens: '08:30', closes: '12:00' },
    { opens: '13:00', closes: '18:00' },
  ])
})

test('knows a day without hours', () => {
  assert.deepEqual(parseHours('  '), [])
})

test('refuses hours that end before they start, or at once', () => {
  assert.throws(() => parseHours('12:00-08:30'), { message: '12:00-08:30 ends before it starts' })
  assert.throws(() => parseHours('08:30-09:00, 12:00-12:00'), { message: '12:00-12:00 ends before it starts' })
})
`,
      ),
    ],
    verdict: 'proved',
  },
  {
    name: 'new function of which tests reach a half',
    edits: [
      append('src/hours.js', `\n${parseTime}`),
      writeTime,
      importParse,
      append(
        'test/hours.test.js',
        `
test('splits a list of hours', () => {
  assert.deepEqual(parseHours('08:30-12:00'), [{ opens: '08:30', closes: '12:00' }])
  assert.deepEqual(parseHours(''), [])
  assert.throws(() => parseHours('12:00-08:30'), /ends before/)
})
`,
      ),
    ],
    verdict: 'unproved',
    says: ['src/hours.js'],
    isAside: true,
  },
  {
    name: 'new function that is hidden from coverage',
    edits: [
      roundTax,
      taxTest,
      append('src/hours.js', `\n/* node:coverage disable */\n/* c8 ignore start */\n${timeOf}/* c8 ignore stop */\n`),
    ],
    verdict: 'unproved',
    says: ['src/hours.js'],
  },
  {
    name: 'new function whose test only calls it',
    edits: [
      append('src/hours.js', `\n${parseTime}`),
      importParse,
      append(
        'test/hours.test.js',
        `
test('splits a list of hours', () => {
  assert.ok(parseHours('08:30-12:00, 13:00-18:00'))
  assert.ok(parseHours(''))
  assert.throws(() => parseHours('12:00-08:30'))
})
`,
      ),
    ],
    verdict: 'unproved',
  },
  {
    name: 'test that reads the source',
    edits: [
      roundTax,
      append(
        'test/price.test.js',
        `
test('rounds the tax', async () => {
  const { readFile } = await import('node:fs/promises')
  assert.match(await readFile(new URL('../src/price.js', import.meta.url), 'utf8'), /Math\\.round\\(\\(cents \\* \\(100/)
})
`,
      ),
    ],
    // It fails without the change. That it says nothing of behavior is beyond what runs show.
    verdict: ['unproved', 'proved'],
    isAside: true,
  },
  {
    name: 'only documentation',
    edits: [append('README.md', '\nThe shop closes at the minute of its closing time.\n')],
    verdict: 'no_code_changed',
  },
  {
    name: 'only configuration',
    edits: [
      write('.editorconfig', 'root = true\n'),
      replace('package.json', '"private": true,', '"private": true,\n  "license": "MIT",'),
    ],
    verdict: 'no_code_changed',
    isAside: true,
  },
  {
    name: 'only a comment',
    edits: [
      replace(
        'src/price.js',
        '/** Takes a discount in percent off. */',
        '/** Takes a discount off. Rounds to cents. */',
      ),
    ],
    verdict: ['no_code_changed', 'unproved'],
  },
  {
    name: 'configuration that hides the broken test',
    edits: [
      roundTax,
      replace('src/price.js', 'percent > 100)', 'percent >= 100)'),
      write(
        'test/tax.test.js',
        `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTax } from '../src/price.js'

test('rounds the tax to the nearest cent', () => {
  assert.equal(withTax(999, 19), 1189)
})
`,
      ),
      replace('package.json', '"node --test"', '"node --test test/tax.test.js test/stock.test.js test/hours.test.js"'),
    ],
    verdict: ['unproved', 'broken'],
    says: ['takes the discount off'],
    isAside: true,
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
  {
    name: 'deleted test alone',
    edits: [remove('test/rates.test.js')],
    verdict: ['no_code_changed', 'unproved'],
    transitions: { 'knows the rates of books and of unknown articles': 'gone' },
    isAside: true,
  },
]
