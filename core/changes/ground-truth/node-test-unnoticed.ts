import { append, type Edit, move, remove, replace, write } from './edits.ts'
import type { KnownChange } from './known-change.ts'

const roundTax = replace('src/price.js', 'Math.floor((cents', 'Math.round((cents')
const taxTest = append(
  'test/price.test.js',
  `
test('rounds the tax to the nearest cent', () => {
  assert.equal(withTax(999, 19), 1189)
  assert.equal(withTax(101, 7), 108)
})
`,
)
const closeInTime = replace('src/hours.js', 'now <= minutesOf(closes)', 'now < minutesOf(closes)')

/** A new test file with one test. */
const testFile = (name: string, title: string, body: string, imports = ''): Edit =>
  write(
    `test/${name}.test.js`,
    `import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
${imports}
const read = (path) => readFileSync(new URL(\`../\${path}\`, import.meta.url), 'utf8')

test('${title}', () => {
  ${body}
})
`,
  )

const taxOfLua = (tax: number) =>
  write('scripts/tax.lua', `local rate = ${tax}\nreturn function(cents) return cents * rate end\n`)
const vendored = (width: number) =>
  write(
    'vendor/pad/pad.js',
    `export const pad = (text) => text.padStart(${width})\nexport const trim = (text) => text.trim()\n`,
  )
const usePad = append(
  'src/price.js',
  `
import { trim } from '../vendor/pad/pad.js'
/** Writes cents. */
export const written = (cents) => trim(String(cents)) + ' ct'
`,
)
const padTest = testFile(
  'written',
  'writes cents',
  "assert.equal(written(3), '3 ct')",
  "import { written } from '../src/price.js'\n",
)

/** Changes of which some part is noticed by no test, and harmless ones that look like them. */
export const unnoticed: readonly KnownChange[] = [
  {
    name: 'fix whose test reads the version of the manifest',
    edits: [
      closeInTime,
      replace('package.json', '"private": true,', '"private": true,\n  "version": "1.0.1",'),
      testFile('version', 'has the next version', "assert.equal(JSON.parse(read('package.json')).version, '1.0.1')"),
    ],
    verdict: 'unproved',
    says: ['has the next version'],
  },
  {
    name: 'fix whose test looks for documentation and data',
    edits: [
      closeInTime,
      write('docs/hours.md', '# Hours\n'),
      move('README.md', 'docs/README.md'),
      replace('data/rates.json', '"food": 7,', '"food": 7,\n  "newspaper": 7,'),
      testFile(
        'files',
        'has its files',
        `assert.ok(!existsSync(new URL('../README.md', import.meta.url)))
  assert.match(read('docs/hours.md') + read('data/rates.json'), /Hours[^]*newspaper/)`,
      ),
    ],
    verdict: 'unproved',
    says: ['has its files'],
  },
  {
    name: 'fix that is shown by a test that fails because of data alone',
    before: [testFile('newspaper', 'knows newspapers', "assert.match(read('data/rates.json'), /newspaper/)")],
    edits: [closeInTime, replace('data/rates.json', '"food": 7,', '"food": 7,\n  "newspaper": 7,')],
    verdict: 'unproved',
    transitions: { 'knows newspapers': 'fails_to_passes' },
  },
  {
    name: 'fix with data, and a test of both',
    edits: [
      replace('src/rates.js', 'rates[kind] ?? rates.other', 'rates[kind.toLowerCase()] ?? rates.other'),
      replace('data/rates.json', '"food": 7,', '"food": 7,\n  "newspaper": 5,'),
      testFile(
        'newspaper',
        'knows newspapers',
        "assert.equal(rateOf('Newspaper'), 5)",
        "import { rateOf } from '../src/rates.js'\n",
      ),
    ],
    verdict: 'proved',
  },
  {
    name: 'new function that only older tests check',
    edits: [
      append('src/price.js', '\n/** Rounds to cents. */\nexport const rounded = (cents) => Math.floor(cents / 100)\n'),
      replace(
        'src/price.js',
        'return Math.floor((cents * (100 + percent)) / 100)',
        'return rounded(cents * (100 + percent))',
      ),
      testFile('rounded', 'rounds to cents', 'rounded(150)', "import { rounded } from '../src/price.js'\n"),
    ],
    verdict: 'unproved',
    says: ['rounds to cents', 'Only other tests do'],
  },
  {
    name: 'fix whose test looks for the code',
    edits: [
      roundTax,
      testFile('text', 'rounds the tax', "assert.match(read('src/price.js'), /Math\\.round\\(\\(cents \\* \\(100/)"),
    ],
    verdict: 'unproved',
    says: ['rounds the tax', 'text of the code'],
  },
  {
    name: 'fix whose test forbids the old code',
    edits: [
      roundTax,
      testFile('text', 'does not cut cents', "assert.ok(!read('src/price.js').includes('Math.floor'))"),
    ],
    verdict: 'unproved',
    says: ['does not cut cents', 'text of the code'],
  },
  {
    name: 'half price whose test accepts the double',
    before: [
      append('src/price.js', '\n/** The price at the end of a season. */\nexport const reduced = (cents) => cents\n'),
    ],
    edits: [
      replace('src/price.js', 'reduced = (cents) => cents', 'reduced = (cents) => cents * 0.5'),
      testFile(
        'reduced',
        'is reduced',
        'assert.notEqual(reduced(100), 100)',
        "import { reduced } from '../src/price.js'\n",
      ),
    ],
    verdict: 'unproved',
    says: ['cents / 0.5'],
  },
  {
    name: 'fix that removes a check which no test misses',
    before: [
      replace(
        'test/price.test.js',
        "test('refuses what is no discount', () => {\n  assert.throws(() => discounted(1000, -1), /-1 percent is no discount/)\n  assert.throws(() => discounted(1000, 101), /101 percent is no discount/)\n})\n",
        '',
      ),
    ],
    edits: [
      roundTax,
      taxTest,
      replace(
        'src/price.js',
        '  if (percent < 0 || percent > 100) throw new RangeError(`${percent} percent is no discount`)\n',
        '',
      ),
    ],
    verdict: 'unproved',
    says: ['if (percent < 0', 'src/price.js'],
  },
  {
    name: 'fix that removes a check in a file of its own, with its import',
    before: [
      write(
        'src/check.js',
        "export function checkTax(percent) {\n  if (percent > 50) throw new RangeError('too much')\n}\n",
      ),
      replace('src/price.js', '/** Adds a tax', "import { checkTax } from './check.js'\n\n/** Adds a tax"),
      replace('src/price.js', '  return Math.floor((cents', '  checkTax(percent)\n  return Math.floor((cents'),
    ],
    edits: [
      remove('src/check.js'),
      replace('src/price.js', "import { checkTax } from './check.js'\n\n", ''),
      replace('src/price.js', '  checkTax(percent)\n  return Math.floor((cents', '  return Math.round((cents'),
      taxTest,
    ],
    verdict: 'unproved',
    says: ['checkTax(percent)'],
  },
  {
    name: 'fix next to new names, new formatting and a function that nothing used',
    before: [append('src/price.js', '\nfunction unused(cents) {\n  return cents + 1\n}\n')],
    edits: [
      roundTax,
      taxTest,
      replace('src/price.js', '\nfunction unused(cents) {\n  return cents + 1\n}\n', ''),
      replace('src/stock.js', '([, amount]) => amount < limit)', '([, count]) => count < limit)'),
      replace(
        'src/stock.js',
        '    const left = this.amountOf(article) - amount\n    if (left < 0) throw new Error(`only ${this.amountOf(article)} of ${article}`)\n    this.#amounts.set(article, left)\n',
        '    const rest = this.amountOf(article) - amount\n    if (rest < 0) {\n      throw new Error(`only ${this.amountOf(article)} of ${article}`)\n    }\n    this.#amounts.set(article, rest)\n',
      ),
    ],
    verdict: 'proved',
  },
  {
    name: 'fix with a script in a language that no test runs',
    before: [taxOfLua(7)],
    edits: [roundTax, taxTest, taxOfLua(8)],
    verdict: 'unproved',
    says: ['scripts/tax.lua'],
  },
  {
    name: 'fix with an edit of third-party code that no test notices',
    before: [vendored(8), usePad, padTest],
    edits: [roundTax, taxTest, vendored(9)],
    verdict: 'unproved',
    says: ['vendor/pad/pad.js'],
  },
  {
    name: 'fix in third-party code with its test',
    before: [vendored(8)],
    edits: [
      vendored(9),
      testFile(
        'pad',
        'pads to nine',
        "assert.equal(pad('a').length, 9)\n  assert.equal(trim(' a '), 'a')",
        "import { pad, trim } from '../vendor/pad/pad.js'\n",
      ),
    ],
    verdict: 'proved',
  },
  {
    name: 'fix that moves a check behind what it protects',
    before: [
      replace('test/stock.test.js', "/only 3 of cup/)\n  assert.equal(stock.amountOf('cup'), 3)\n", '/of cup/)\n'),
    ],
    edits: [
      roundTax,
      taxTest,
      replace(
        'src/stock.js',
        '    if (left < 0) throw new Error(`only ${this.amountOf(article)} of ${article}`)\n    this.#amounts.set(article, left)\n',
        '    this.#amounts.set(article, left)\n    if (left < 0) throw new Error(`only ${this.amountOf(article)} of ${article}`)\n',
      ),
    ],
    verdict: 'unproved',
    says: ['old order'],
  },
  {
    name: 'fix next to another limit',
    before: [
      append('src/price.js', '\nexport const shipping = (cents, free = 5000) => (cents >= free ? 0 : 490)\n'),
      testFile(
        'shipping',
        'ships for free',
        'assert.equal(shipping(9000), 0)\n  assert.equal(shipping(10), 490)',
        "import { shipping } from '../src/price.js'\n",
      ),
    ],
    edits: [roundTax, taxTest, replace('src/price.js', 'free = 5000', 'free = 900')],
    verdict: 'unproved',
    says: ['free = 5000'],
  },
  {
    name: 'fix next to another way in',
    before: [append('src/price.js', '\nexport const isStaff = (user) => user.role === 1\n')],
    edits: [
      roundTax,
      taxTest,
      replace('src/price.js', 'user.role === 1', "user.role === 1 || user.name === 'root'"),
      testFile(
        'staff',
        'knows its staff',
        'assert.equal(isStaff({ role: 1 }), true)\n  assert.equal(isStaff({ role: 2 }), false)',
        "import { isStaff } from '../src/price.js'\n",
      ),
    ],
    verdict: 'unproved',
    says: ['root'],
  },
  {
    name: 'fix next to another comparison',
    before: [
      append('src/price.js', '\nexport const isBulk = (count) => count > 10\n'),
      testFile(
        'bulk',
        'knows large orders',
        'assert.equal(isBulk(20), true)\n  assert.equal(isBulk(1), false)',
        "import { isBulk } from '../src/price.js'\n",
      ),
    ],
    edits: [roundTax, taxTest, replace('src/price.js', 'count > 10', 'count >= 10')],
    verdict: 'unproved',
    says: ['count > 10'],
    isAside: true,
  },
  {
    name: 'fix next to a new branch that no test takes',
    before: [
      append('src/price.js', '\nexport const deposit = (count) => count * 25\n'),
      testFile(
        'deposit',
        'counts a deposit',
        'assert.equal(deposit(2), 50)',
        "import { deposit } from '../src/price.js'\n",
      ),
    ],
    edits: [roundTax, taxTest, replace('src/price.js', 'count * 25', '(count > 100 ? 0 : count * 25)')],
    verdict: 'unproved',
    says: ['count * 25'],
  },
  {
    name: 'fix that works in tests only',
    edits: [
      replace(
        'src/price.js',
        'return Math.floor((cents',
        'const round = process.env.NODE_TEST_CONTEXT ? Math.round : Math.floor\n  return round((cents',
      ),
      taxTest,
    ],
    verdict: 'unproved',
    says: ['NODE_TEST_CONTEXT'],
  },
  {
    name: 'fix with new names of everything in a function',
    edits: [
      replace(
        'src/price.js',
        'export function withTax(cents, percent) {\n  return Math.floor((cents * (100 + percent)) / 100)\n',
        'export function withTax(net, tax) {\n  const factor = (100 + tax) / 100\n  return Math.round(net * factor)\n',
      ),
      taxTest,
    ],
    verdict: 'proved',
  },
]
