import type { Files } from '../../../engines/source/testing/git-repository.ts'

/** A project with a bug: the discount applies one euro too late. */
export const cart = {
  'package.json': JSON.stringify({ name: 'cart', type: 'module', scripts: { test: 'node --test' } }),
  'README.md': '# Cart\n',
  'src/cart.js': `export function total(prices) {
  let sum = 0
  for (const price of prices) sum += price
  if (sum > 100) return sum - 10
  return sum
}
`,
  'src/format.js': "export const format = (sum) => sum.toFixed(2) + ' EUR'\n",
  'test/cart.test.js': testFile("import { total } from '../src/cart.js'", {
    'adds up': 'assert.equal(total([1, 2]), 3)',
    'gives a discount': 'assert.equal(total([60, 60]), 110)',
  }),
  'test/format.test.js': testFile("import { format } from '../src/format.js'", {
    'shows two digits': "assert.equal(format(1), '1.00 EUR')",
  }),
} satisfies Files

export const fixed = { 'src/cart.js': cart['src/cart.js'].replace('sum > 100', 'sum >= 100') }

/** Returns a file of node:test with tests by name. */
export function testFile(imports: string, tests: Readonly<Record<string, string>>): string {
  const cases = Object.entries(tests).map(([name, body]) => `test('${name}', () => {\n  ${body}\n})\n`)
  return `import assert from 'node:assert/strict'\nimport { test } from 'node:test'\n${imports}\n\n${cases.join('\n')}`
}

/** Tests of the border that the fix moves. */
export const border = testFile("import { total } from '../src/cart.js'", {
  'gives a discount from 100': 'assert.equal(total([100]), 90)',
  'gives none below': 'assert.equal(total([99]), 99)',
  'adds no more than the prices': 'assert.equal(total([50, 51]), 91)',
})
