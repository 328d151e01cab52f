import { append, move, replace, write } from './edits.ts'
import type { KnownChange } from './known-change.ts'

const feeOf = append(
  'src/price.js',
  `
/** Returns the fee of a payment. */
export function feeOf(amount) {
  if (amount > 50) return 0
  return 5
}
`,
)
const feeTest = (cases: string) => [
  replace('test/price.test.js', 'import { discounted, withTax }', 'import { discounted, feeOf, withTax }'),
  append(
    'test/price.test.js',
    `
test('takes a fee of small payments', () => {
  ${cases}
})
`,
  ),
]
const looseFeeTest = feeTest('assert.deepEqual([10, 100].map(feeOf), [5, 0])')
const totalOf = append(
  'src/price.js',
  `
/** Returns the price of several articles. */
export function totalOf(price, quantity) {
  return price * quantity
}
`,
)
const totalTest = [
  replace('test/price.test.js', 'import { discounted, withTax }', 'import { discounted, totalOf, withTax }'),
  append(
    'test/price.test.js',
    `
test('multiplies', () => {
  assert.equal(totalOf(3, 4), 12)
})
`,
  ),
]

/** Refactorings, of which some change behavior by accident. */
export const refactorings: readonly KnownChange[] = [
  {
    name: 'refactoring with another limit that no test notices',
    before: [feeOf, ...looseFeeTest],
    edits: [replace('src/price.js', '  if (amount > 50) return 0\n  return 5', '  return amount > 55 ? 0 : 5')],
    expect: 'same',
    verdict: 'unproved',
    isAside: true,
  },
  {
    name: 'refactoring that edits a limit alone',
    before: [feeOf, ...looseFeeTest],
    edits: [replace('src/price.js', 'amount > 50', 'amount > 55')],
    expect: 'same',
    verdict: 'unproved',
  },
  {
    name: 'refactoring with a default that no test needs',
    before: [totalOf, ...totalTest],
    edits: [replace('src/price.js', 'price * quantity', 'price * (quantity || 1)')],
    expect: 'same',
    verdict: 'unproved',
  },
  {
    name: 'refactoring with a branch that no test takes',
    before: [feeOf, ...feeTest('assert.deepEqual([10, 50, 51].map(feeOf), [5, 5, 0])')],
    edits: [replace('src/price.js', '  return 5\n', '  return amount < 0 ? 0 : 5\n')],
    expect: 'same',
    verdict: 'unproved',
    says: ['src/price.js:15'],
    isAside: true,
  },
  {
    name: 'branches replaced by an expression with tests of both sides',
    before: [feeOf, ...feeTest('assert.deepEqual([10, 50, 51].map(feeOf), [5, 5, 0])')],
    edits: [replace('src/price.js', '  if (amount > 50) return 0\n  return 5', '  return amount > 50 ? 0 : 5')],
    expect: 'same',
    verdict: 'proved',
  },
  {
    name: 'renamed local variable',
    edits: [
      replace('src/hours.js', '  let minutes = 0\n', '  let sum = 0\n'),
      replace('src/hours.js', '    minutes += ', '    sum += '),
      replace('src/hours.js', 'return minutes / 60', 'return sum / 60'),
    ],
    expect: 'same',
    verdict: 'proved',
    isAside: true,
  },
  {
    name: 'extracted function',
    edits: [
      replace(
        'src/price.js',
        '  return cents - Math.round((cents * percent) / 100)',
        '  return cents - shareOf(cents, percent)',
      ),
      append('src/price.js', '\nfunction shareOf(cents, percent) {\n  return Math.round((cents * percent) / 100)\n}\n'),
    ],
    expect: 'same',
    verdict: 'proved',
  },
  {
    name: 'function moved to a new module',
    edits: [
      replace(
        'src/price.js',
        `
/** Takes a discount in percent off. */
export function discounted(cents, percent) {
  if (percent < 0 || percent > 100) throw new RangeError(\`\${percent} percent is no discount\`)
  return cents - Math.round((cents * percent) / 100)
}
`,
        '',
      ),
      write(
        'src/discount.js',
        `/** Takes a discount in percent off. */
export function discounted(cents, percent) {
  if (percent < 0 || percent > 100) throw new RangeError(\`\${percent} percent is no discount\`)
  return cents - Math.round((cents * percent) / 100)
}
`,
      ),
      replace(
        'test/price.test.js',
        "import { discounted, withTax } from '../src/price.js'",
        "import { discounted } from '../src/discount.js'\nimport { withTax } from '../src/price.js'",
      ),
    ],
    before: [
      replace(
        'test/price.test.js',
        'assert.throws(() => discounted(1000, 101)',
        'assert.equal(discounted(1, 0), 1)\n  assert.throws(() => discounted(1000, 101)',
      ),
    ],
    expect: 'same',
    verdict: 'proved',
    isAside: true,
  },
  {
    name: 'renamed file with its imports',
    before: [
      write(
        'src/cart.js',
        `import { withTax } from './price.js'

/** Returns what all articles cost with taxes. */
export function sumOf(prices) {
  return prices.reduce((sum, price) => sum + withTax(price, 19), 0)
}
`,
      ),
      write(
        'test/cart.test.js',
        `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sumOf } from '../src/cart.js'

test('adds prices', () => {
  assert.equal(sumOf([100, 200]), 357)
})
`,
      ),
    ],
    edits: [
      move('src/price.js', 'src/prices.js'),
      replace('src/cart.js', './price.js', './prices.js'),
      replace('test/price.test.js', '../src/price.js', '../src/prices.js'),
    ],
    expect: 'same',
    verdict: 'proved',
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
]
