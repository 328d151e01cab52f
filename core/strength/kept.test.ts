import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Files } from '../../engines/source/testing/git-repository.ts'
import { createRunScene, type RunScene } from '../test-runs/testing/scene.ts'
import type { Measurement, MeasureStrength } from './schema.ts'

// Many measurements take long on a busy machine.
vi.setConfig({ testTimeout: 300_000 })

const shop = {
  'package.json': '{ "type": "module", "scripts": { "test": "node --test" } }',
  'src/rates.js': 'export const rates = { low: 7, high: 19 }\n',
  'src/price.js': `import { rates } from './rates.js'
export function total(net, kind) {
  if (net < 0) throw new RangeError('negative')
  return net + (net * rates[kind]) / 100
}
export function discount(net) {
  return net > 100 ? net - 10 : net
}
`,
  'src/stock.js': `export function isLow(count) {
  return count < 3
}
`,
  'test/price.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { total, discount } from '../src/price.js'
test('adds the tax', () => assert.equal(total(100, 'low'), 107))
test('gives a discount', () => assert.equal(discount(200), 190))
`,
  'test/stock.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLow } from '../src/stock.js'
test('knows a low stock', () => assert.equal(isLow(1), true))
`,
}

const hasGo = spawnSync('go', ['version']).status === 0

let scene: RunScene
beforeAll(async () => {
  scene = await createRunScene({ verificationConcurrency: 2 })
})
afterAll(() => scene[Symbol.asyncDispose]())

async function measure(projectId: string, how: Partial<MeasureStrength> = {}): Promise<Measurement> {
  const { id } = await scene.client.strength.measure.mutate({ projectId, ...how })
  for (;;) {
    const found = await scene.client.strength.get.query({ measurementId: id, waitSeconds: 45 })
    if (found.completedAt !== null) return found
  }
}

/** How many mutants count, and how many of these were not tried again. */
async function triedAndKept(projectId: string, how: Partial<MeasureStrength> = {}) {
  const { error, evidence } = await measure(projectId, how)
  expect(error).toBeNull()
  const { reason, tried = 0, kept = 0, reached = 0 } = evidence ?? {}
  expect([reason, reached]).toEqual(['all_tried', tried])
  return { tried, kept, survivors: evidence?.survivors ?? [], keptTests: evidence?.tests.kept }
}

test('a second measurement tries only what changed', async () => {
  const { id, repository } = await scene.project(shop)
  const first = await triedAndKept(id)
  expect(first).toMatchObject({ kept: 0, keptTests: 0 })
  expect(await triedAndKept(id)).toEqual({ ...first, kept: first.tried, keptTests: 3 })
  expect(await triedAndKept(id, { again: true })).toEqual(first)

  // The test notices more. What the other test file said is kept.
  const low = "test('knows the limit', () => assert.equal(isLow(3), false))\n"
  await repository.write({ 'test/stock.test.js': shop['test/stock.test.js'] + low })
  await repository.commit()
  const ofPrice = await triedAndKept(id, { paths: ['src/price.js'] })
  expect([ofPrice.kept, ofPrice.keptTests]).toEqual([ofPrice.tried, 2])
  const tested = await triedAndKept(id)
  expect([tested.tried, tested.kept]).toEqual([first.tried, ofPrice.tried])
  expect(tested.survivors.map(({ path }) => path)).not.toContain('src/stock.js')

  // A new test file only has to try what all others accept.
  const edge = "import { discount } from '../src/price.js'\ntest('none', () => assert.equal(discount(100), 100))\n"
  const head = "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\n"
  await repository.write({ 'test/edge.test.js': head + edge })
  await repository.commit()
  const added = await triedAndKept(id)
  expect(added.keptTests).toBe(4)
  expect(added.tried - added.kept).toBe(tested.survivors.filter(({ symbol }) => symbol === 'discount').length)

  // The other function of the file has not changed, but a test of the same file runs both.
  await repository.write({ 'src/stock.js': shop['src/stock.js'].replace('3', '4') })
  await repository.commit()
  const edited = await triedAndKept(id)
  expect(edited.tried - edited.kept).toBe(tested.tried - ofPrice.tried)

  // Every test may depend on code that has no mutants, and on the configuration.
  const edits: Files[] = [
    { 'src/rates.js': 'export const rates = { low: 7, high: 20 }\n' },
    { 'package.json': shop['package.json'].replace('--test', '--test --no-warnings') },
  ]
  for (const files of edits) {
    await repository.write(files)
    await repository.commit()
    expect(await triedAndKept(id)).toMatchObject({ kept: 0 })
  }
  // A damaged row is as if nothing were known.
  for (const damaged of [
    "'{}'::jsonb",
    "jsonb_set(result, '{tests}', '7')",
    'result || \'{"mutants": [[1]], "files": []}\'',
  ]) {
    await scene.app.dataSource.query(`UPDATE mutant_results SET result = ${damaged} WHERE project_id = $1`, [id])
    expect(await triedAndKept(id)).toMatchObject({ kept: 0 })
  }
  await scene.client.projects.deleteProject.mutate({ projectId: id })
  expect(await scene.app.dataSource.query('SELECT FROM mutant_results WHERE project_id = $1', [id])).toEqual([])
})

test('tests that take longer than the budget are seen in several calls', async () => {
  const files = Array.from({ length: 8 }, (_, index): [string, string] => [
    `test/slow${index}.test.js`,
    `import { isLow } from '../src/stock.js'
import assert from 'node:assert/strict'
import { test } from 'node:test'
// Only until it is known what the test reaches.
if (globalThis.__assayMutants__?.reach) await new Promise((resolve) => setTimeout(resolve, 4_000))
test('is slow', () => assert.equal(isLow(${index}), ${index < 3}))
`,
  ])
  const { 'test/price.test.js': _, ...others } = shop
  const { id } = await scene.project({ ...others, ...Object.fromEntries(files) })
  const reasons: unknown[] = []
  while (reasons.at(-1) !== 'all_tried' && reasons.length < 10) {
    const { evidence, error } = await measure(id, { paths: ['src/stock.js'], budgetSeconds: 10 })
    reasons.push(evidence?.reason ?? error?.code)
    if (evidence?.reason === 'all_tried') {
      expect(evidence.tests.run).toBe(9)
      expect(evidence.tests.kept).toBeGreaterThan(0)
    }
  }
  expect(reasons.slice(0, -1)).toEqual(reasons.slice(0, -1).map(() => 'budget_used'))
  expect([reasons.length > 1, reasons.at(-1)]).toEqual([true, 'all_tried'])
})

test('a function whose code did not run keeps its results when another one changes', async () => {
  const { id, repository } = await scene.project({
    ...shop,
    'test/price.test.js': shop['test/price.test.js'].replace(/test\('gives.*\n/, ''),
    'test/discount.test.js': shop['test/price.test.js'].replace(/test\('adds.*\n/, ''),
  })
  const first = await triedAndKept(id)
  const price = shop['src/price.js'].replace('net - 10', 'net - 10 * 1')
  await repository.write({ 'src/price.js': `// Prices\n${price}` })
  await repository.commit()
  // A comment outside of functions is code of the module for all that Assay knows.
  expect((await triedAndKept(id, { paths: ['src/price.js'] })).kept).toBe(0)
  await repository.write({ 'src/price.js': `// Prices\n${price.replace('10 * 1', '5 * 2')}` })
  await repository.commit()
  const second = await triedAndKept(id)
  expect(second.kept).toBeGreaterThan(0)
  expect(second.kept).toBeLessThan(first.tried)
})

test('measures in Python take over results, too', async () => {
  const files = {
    'shop/__init__.py': '',
    'shop/price.py': 'def total(net, percent):\n    return net + net * percent / 100\n',
    'shop/stock.py': 'LIMIT = 3\n\ndef is_low(count):\n    return count < LIMIT\n',
    'tests/__init__.py': '',
    'tests/test_price.py':
      'import unittest\nfrom shop.price import total\n\nclass Price(unittest.TestCase):\n    def test_tax(self):\n        self.assertEqual(total(100, 7), 107)\n',
    'tests/test_stock.py':
      'import unittest\nfrom shop.stock import is_low\n\nclass Stock(unittest.TestCase):\n    def test_low(self):\n        self.assertTrue(is_low(1))\n',
  }
  const { id, repository } = await scene.project(files)
  const first = await triedAndKept(id)
  expect(await triedAndKept(id)).toEqual({ ...first, kept: first.tried, keptTests: 2 })
  await repository.write({
    'tests/test_stock.py': `${files['tests/test_stock.py']}        self.assertFalse(is_low(3))\n`,
  })
  await repository.commit()
  const second = await triedAndKept(id)
  expect(second.kept).toBeGreaterThan(0)
  expect(second.kept).toBeLessThan(first.tried)
  expect(second.survivors.filter(({ path }) => path === 'shop/stock.py')).toEqual([])

  // The results of a function are kept while another one of its file changes.
  const stock = `${files['shop/stock.py']}\ndef is_high(count):\n    return count > 30\n`
  const high = files['tests/test_stock.py'].replaceAll('is_low', 'is_high').replace('(1)', '(31)')
  await repository.write({ 'shop/stock.py': stock, 'tests/test_high.py': high })
  await repository.commit()
  const both = await triedAndKept(id, { paths: ['shop/stock.py'] })
  await repository.write({ 'shop/stock.py': stock.replace('30', '20 + 10') })
  await repository.commit()
  const third = await triedAndKept(id, { paths: ['shop/stock.py'] })
  expect(third.kept).toBeGreaterThan(0)
  expect(third.kept).toBeLessThan(both.tried)
})

test.runIf(hasGo)('in Go, a change of any test file of the package drops what its tests found', async () => {
  const files = {
    'go.mod': 'module example.com/shop\n\ngo 1.18\n',
    'price/price.go': 'package price\n\nfunc Total(net int) int {\n\treturn net + Tax(net)\n}\n',
    'price/tax.go': 'package price\n\nfunc Tax(net int) int {\n\treturn net * 7 / 100\n}\n',
    'price/price_test.go':
      'package price\n\nimport "testing"\n\nfunc TestTotal(t *testing.T) {\n\tif Total(100) != expected() {\n\t\tt.Fatal("wrong")\n\t}\n}\n',
    'price/help_test.go': 'package price\n\nfunc expected() int { return 107 }\n',
    'stock/stock.go': 'package stock\n\nfunc IsLow(count int) bool {\n\treturn count < 3\n}\n',
    'stock/stock_test.go':
      'package stock\n\nimport "testing"\n\nfunc TestLow(t *testing.T) {\n\tif !IsLow(1) {\n\t\tt.Fatal("wrong")\n\t}\n}\n',
  }
  const { id, repository } = await scene.project(files)
  const first = await triedAndKept(id)
  expect(first.survivors).toMatchObject([
    { path: 'stock/stock.go', symbol: 'IsLow', nearestTest: { path: 'stock/stock_test.go', name: 'TestLow' } },
  ])
  expect(await triedAndKept(id)).toEqual({ ...first, kept: first.tried, keptTests: 2 })
  const ofStock = first.tried - (await triedAndKept(id, { paths: ['price'] })).tried
  await repository.write({ 'price/help_test.go': 'package price\n\nfunc expected() int { return 100 + 7 }\n' })
  await repository.commit()
  expect(await triedAndKept(id)).toMatchObject({ kept: ofStock, keptTests: 1 })
})
