import { replace } from './edits.ts'
import type { KnownChange } from './known-change.ts'

/** Refactorings, of which some change behavior by accident. */
export const refactorings: readonly KnownChange[] = [
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
