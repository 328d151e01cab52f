import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRunScene, type RunScene } from '../test-runs/testing/scene.ts'
import type { MeasureStrength } from './schema.ts'

const shop = {
  'package.json': '{ "type": "module", "scripts": { "test": "node --test" } }',
  'src/price.js': `export function total(net, percent) {
  if (net < 0) throw new RangeError('negative')
  return net + (net * percent) / 100
}
`,
  'src/stock.js': `export const isLow = (count) => count < 3
export const unused = (count) => count * 2
`,
  'test/price.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { total } from '../src/price.js'
import { isLow } from '../src/stock.js'
test('adds the tax', () => assert.equal(total(100, 7), 107))
test('knows a low stock', () => assert.equal(isLow(1), true))
`,
}

let scene: RunScene
beforeAll(async () => {
  scene = await createRunScene({ verificationConcurrency: 1 })
})
afterAll(() => scene[Symbol.asyncDispose]())

async function measure(projectId: string, how: Partial<MeasureStrength> = {}) {
  const { id } = await scene.client.strength.measure.mutate({ projectId, ...how })
  for (;;) {
    const found = await scene.client.strength.get.query({ measurementId: id, waitSeconds: 45 })
    if (found.completedAt !== null) return found
  }
}

test('an agent learns what its tests accept, improves them, and measures again', async () => {
  const { id, repository } = await scene.project(shop)
  const before = await measure(id)
  expect(before).toMatchObject({ status: 'completed', verdict: 'measured', isProvisional: false, error: null })
  const { evidence } = before
  expect(evidence).toMatchObject({
    reason: 'all_tried',
    tests: { run: 2, failing: 0, kept: 0, failingTests: [] },
    warnings: [],
  })
  expect(
    evidence?.survivors
      .map(({ path, line, original, replacement }) => `${path}:${line} ${original} -> ${replacement}`)
      .toSorted(),
  ).toEqual(['src/price.js:2 net < 0 -> net <= 0', 'src/stock.js:1 count < 3 -> count <= 3'])
  const negative = evidence?.survivors.find(({ line }) => line === 2)
  expect(negative).toMatchObject({
    column: 7,
    context: null,
    symbol: 'total',
    case: { condition: 'net < 0', outcome: 'throws' },
    nearestTest: { path: 'test/price.test.js', name: 'adds the tax' },
    tests: 1,
    advice: 'Assert what happens where `net` equals `0`.',
  })
  const { found = 0, reached = 0, tried = 0, noticed = 0, survived = 0 } = evidence ?? {}
  expect([reached, tried, noticed + survived]).toEqual([tried, reached, tried])
  expect(found).toBeGreaterThan(reached)
  // One is the error of the price, the other one is the function that is not used.
  const open = { path: 'src/stock.js', lines: 1, at: [2] }
  expect(evidence?.unreached.files.find(({ path }) => path === 'src/stock.js')).toMatchObject(open)
  expect(evidence?.unreached.changes).toBe(found - reached)
  expect(evidence?.survivorsLeftOut).toBe(0)
  expect(evidence?.summary).toContain(`Tests notice ${noticed} of ${tried} small changes of the code that they run`)

  const added = "test('takes nothing', () => assert.equal(total(0, 7), 0))\n"
  await repository.write({ 'test/price.test.js': shop['test/price.test.js'] + added })
  await repository.commit()
  const after = await measure(id, { paths: ['src/price.js'], since: 'HEAD~1' }).catch((error: unknown) => error)
  expect(after).toMatchObject({
    verdict: 'measured',
    evidence: {
      reason: 'no_code_changed',
      summary: 'No code in src/price.js has changed since HEAD~1.',
      found: 0,
      strength: null,
    },
  })
  const ofPrice = await measure(id, { paths: ['src/price.js'] })
  expect(ofPrice.evidence?.survivors).toEqual([])
  expect(ofPrice.evidence?.strength).toEqual({ percent: 100, interval: [100, 100] })
  const { measurements, pagination } = await scene.client.strength.list.query({ projectId: id, limit: 2 })
  expect(pagination.total).toBe(3)
  expect(measurements[0]).toMatchObject({ id: ofPrice.id, reason: 'all_tried', paths: ['src/price.js'] })
})

test('measures a project in Python, too', async () => {
  const { id } = await scene.project({
    'setup.py': '',
    'shop/__init__.py': '',
    'shop/price.py':
      'def total(net, percent):\n    if net < 0:\n        raise ValueError(net)\n    return net + net * percent / 100\n',
    'tests/__init__.py': '',
    'tests/test_price.py': `import unittest
from shop.price import total

class Price(unittest.TestCase):
    def test_tax(self):
        self.assertEqual(total(100, 7), 107)
    def test_debts(self):
        with self.assertRaises(ValueError):
            total(-1, 7)
`,
  })
  const { error, evidence } = await measure(id)
  expect([error, evidence?.reason, evidence?.tests.run]).toEqual([null, 'all_tried', 2])
  expect(evidence?.survivors).toMatchObject([
    { path: 'shop/price.py', line: 2, original: 'net < 0', replacement: 'net <= 0' },
  ])
})

test('a measurement is partial while a test file does not run, and says which one', async () => {
  const dying = { 'test/stock.test.js': 'process.exit(3)\n' }
  const { id, repository } = await scene.project({ ...shop, ...dying })
  const ofFile = { reason: 'no_driver', warnings: [expect.stringContaining('test/stock.test.js')] }
  expect(await measure(id)).toMatchObject({ error: null, verdict: 'partial', evidence: ofFile })
  // Nothing that is kept hides it.
  expect(await measure(id)).toMatchObject({ verdict: 'partial', evidence: ofFile })
  await repository.write({ 'test/stock.test.js': "import { test } from 'node:test'\ntest('nothing', () => {})\n" })
  await repository.commit()
  expect(await measure(id)).toMatchObject({ verdict: 'measured', evidence: { reason: 'all_tried', warnings: [] } })
})

test('refuses what cannot be measured in words', async () => {
  const { id } = await scene.project({ ...shop, 'package.json': '{ "type": "module", "scripts": { "test": "tap" } }' })
  expect(await measure(id)).toMatchObject({ status: 'failed', verdict: null, error: { message: expect.any(String) } })
  const none = '{ "type": "module", "scripts": { "test": "node --test test/none.test.js" } }'
  const { id: withoutTests } = await scene.project({ ...shop, 'package.json': none })
  expect(await measure(withoutTests)).toMatchObject({
    status: 'failed',
    error: { code: 'no_tests', message: expect.stringContaining('The command ran no test file') },
  })
  const { id: known } = await scene.project(shop)
  expect(await measure(known, { paths: ['src/prices.js'] })).toMatchObject({
    status: 'failed',
    error: { code: 'scope_not_found', message: expect.stringContaining('src/price.js') },
  })
  const refused: [Partial<MeasureStrength>, RegExp][] = [
    [{ since: '--help' }, /^since: /],
    [{ paths: ['../up'] }, /^paths/],
    [{ budgetSeconds: 5 }, /^budgetSeconds: /],
    [{ snapshotId: 'x', branch: 'main' }, /^snapshotId: /],
  ]
  for (const [how, message] of refused) {
    await expect(scene.client.strength.measure.mutate({ projectId: known, ...how })).rejects.toThrow(message)
  }
})

test('a cancelled measurement ends, and keeps no process', async () => {
  const slow = "test('is slow', () => new Promise((resolve) => setTimeout(resolve, 60_000)))\n"
  const { id: projectId } = await scene.project({
    ...shop,
    'test/slow.test.js': `import { test } from 'node:test'\n${slow}`,
  })
  const { id } = await scene.client.strength.measure.mutate({ projectId })
  await expect
    .poll(async () => (await scene.client.strength.get.query({ measurementId: id })).progress?.phase)
    .toBe('running_tests')
  expect(await scene.client.strength.cancel.mutate({ measurementId: id })).toMatchObject({ status: 'cancelled' })
  expect(await scene.client.strength.get.query({ measurementId: id })).toMatchObject({
    status: 'cancelled',
    progress: null,
  })
  expect(await scene.client.strength.cancel.mutate({ measurementId: id })).toMatchObject({ status: 'cancelled' })
})
