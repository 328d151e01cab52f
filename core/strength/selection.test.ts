import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRunScene, type RunScene } from '../test-runs/testing/scene.ts'

const testOf = (body: string, head = '') => `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { total, isLow, limits } from '../src/index.js'
${head}
test('works', () => ${body})
`
const shop = {
  'package.json': '{ "type": "module", "scripts": { "test": "node --test" } }',
  'src/index.js': `export { total } from './price.js'
export { isLow } from './stock.js'
export const limits = { few: 3 }
`,
  'src/price.js': `export function total(net, percent) {
  const tax = (net * percent) / 100
  return net + tax
}
`,
  'src/stock.js': `import { limits } from './index.js'

export function isLow(count) {
  return count < limits.few
}

export function isGone(count) {
  return count < 1
}
`,
  'test/price.test.js': testOf('assert.equal(total(100, 7), 107)'),
  'test/stock.test.js': testOf('assert.equal(isLow(1), true)'),
  'test/start.test.js': testOf(
    "assert.equal(spawnSync('node', ['src/index.js']).status, 0)",
    "import { spawnSync } from 'node:child_process'",
  ),
}

let scene: RunScene
beforeAll(async () => {
  scene = await createRunScene({ verificationConcurrency: 1 })
})
afterAll(() => scene[Symbol.asyncDispose]())

async function measure(projectId: string) {
  const { client } = scene
  const { id: measurementId } = await client.strength.measure.mutate({ projectId })
  await expect
    .poll(async () => (await client.strength.get.query({ measurementId, waitSeconds: 45 })).status, {
      timeout: 100_000,
    })
    .toBe('completed')
}

test('a measurement of all code narrows later selections down to the tests that run what changed', async () => {
  const { id, repository } = await scene.project(shop)
  const { client } = scene
  await measure(id)
  const measured = await repository.git('rev-parse', 'HEAD')
  expect((await client.selection.get.query({ projectId: id })).reach).toMatchObject({
    commitSha: measured,
    testFiles: 3,
  })
  const selected = async (file: string, from: string, to: string) => {
    const text = await repository.git('show', `HEAD:${file}`)
    await repository.commit({ [file]: `${text.replace(from, to)}\n` })
    const { mode, tests, skipped } = await client.testRuns.select.mutate({ projectId: id, base: 'HEAD~1' })
    expect(mode).toBe('impacted')
    return { runs: tests.map((one) => one.file), skipped }
  }
  // Every test imports it, and a program is not watched.
  const inFunction = await selected('src/price.js', 'net + tax', 'tax + net')
  expect(inFunction.runs).toEqual(['test/price.test.js', 'test/start.test.js'])
  expect(inFunction.skipped).toEqual([
    {
      file: 'test/stock.test.js',
      kind: 'not_reached',
      because: `did not run the changed code of src/price.js when it was measured at ${measured.slice(0, 7)}`,
    },
  ])
  await repository.git('reset', '--quiet', '--hard', measured)
  // No test calls it.
  expect((await selected('src/stock.js', 'count < 1', 'count < 2')).runs).toEqual(['test/start.test.js'])
  await repository.git('reset', '--quiet', '--hard', measured)
  // It runs when the file is loaded.
  const outside = ['test/price.test.js', 'test/start.test.js', 'test/stock.test.js']
  expect((await selected('src/index.js', 'few: 3', 'few: 4')).runs).toEqual(outside)
  // Since then nobody has seen what they run.
  expect((await selected('src/stock.js', 'count < 1', 'count < 2')).runs).toEqual(outside)
})

test('tests that share a process are selected for a function whose result an earlier one has kept', async () => {
  const testFile = `import unittest
from shop.price import total

class Price(unittest.TestCase):
    def test_tax(self):
        self.assertEqual(total(100), 107)
`
  const files = ['tests/test_a.py', 'tests/test_b.py', 'tests/test_c.py']
  const { id, repository } = await scene.project({
    'setup.py': '',
    'shop/__init__.py': '',
    'shop/price.py': `rates = None

def read_rates():
    low = 5 + 2
    return low

def total(net):
    global rates
    if rates is None:
        rates = read_rates()
    return net + net * rates / 100
`,
    'tests/__init__.py': '',
    ...Object.fromEntries(files.map((file) => [file, testFile])),
  })
  await measure(id)
  const text = await repository.git('show', 'HEAD:shop/price.py')
  await repository.commit({ 'shop/price.py': `${text.replace('5 + 2', '5 - 2')}\n` })
  const { tests, skipped } = await scene.client.testRuns.select.mutate({ projectId: id, base: 'HEAD~1' })
  expect(tests.map((one) => one.file)).toEqual(files)
  expect(skipped).toEqual([])
})
