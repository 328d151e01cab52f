import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createRunScene, type RunScene } from '../test-runs/testing/scene.ts'
import type { MeasureStrength } from './schema.ts'

// Measurements take long on a busy machine.
vi.setConfig({ testTimeout: 240_000 })

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

const head = "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\n"
const packageOf = (name: string, script: string) =>
  JSON.stringify({ name, version: '1.0.0', type: 'module', scripts: { test: script } })

const workspace = {
  'package.json': '{ "type": "module", "workspaces": ["packages/*"], "scripts": { "test": "npm test --workspaces" } }',
  'packages/a/package.json': packageOf('a', 'node --test'),
  'packages/a/src/stock.js': 'export const isLow = (count) => count < 3\n',
  'packages/a/test/stock.test.js': `${head}import { isLow } from '../src/stock.js'
test('knows a low stock', () => assert.ok(isLow(1)))
`,
}

test('a change that the tests of one part accept is no survivor if those of another part notice it', async () => {
  const { id } = await scene.project({
    ...workspace,
    'packages/b/package.json': packageOf('b', 'node --test'),
    'packages/b/test/limit.test.js': `${head}import { isLow } from '../../a/src/stock.js'
test('knows the limit', () => assert.ok(!isLow(3)))
`,
  })
  const { verdict, evidence, error } = await measure(id)
  expect(error).toBeNull()
  expect(evidence).toMatchObject({ reason: 'all_tried', tests: { run: 2 }, survivors: [], noticed: evidence?.tried })
  expect(verdict).toBe('measured')
  expect((await measure(id)).evidence).toMatchObject({ reason: 'all_tried', survivors: [], kept: evidence?.tried })
})

test('code that only tests without a driver run is not said to be run by none', async () => {
  const { id } = await scene.project({
    ...workspace,
    'packages/b/package.json': packageOf('b', 'tap'),
    'packages/b/src/twice.js': 'export const twice = (n) => n * 2\n',
    'packages/b/test/twice.test.js':
      "import t from 'tap'\nimport { twice } from '../src/twice.js'\nt.equal(twice(2), 4)\n",
  })
  const { verdict, evidence, error } = await measure(id, { paths: ['packages/b'] })
  expect(error).toBeNull()
  expect([verdict, evidence?.reason, evidence?.strength]).toEqual(['partial', 'no_driver', null])
  expect(evidence?.warnings).toContainEqual(expect.stringMatching(/^The tests of tap in packages\/b do not count, /))
  const all = await measure(id)
  expect([all.verdict, all.evidence?.reason, all.evidence?.survived]).toEqual(['partial', 'no_driver', 1])
})

const withKiller = (kills: string) => ({
  'package.json': packageOf('a', 'node --test'),
  'src/stock.js': 'export const isLow = (count) => count < 3\nexport const isHigh = (count) => count > 90\n',
  'test/killer.test.js': `${head}import { isLow } from '../src/stock.js'
let runs = 0
test('kills', () => {
  runs += 1
  if (${kills}) process.kill(process.ppid, 'SIGKILL')
  isLow(1)
})
`,
  'test/stock.test.js': `${head}import { isHigh } from '../src/stock.js'
test('knows a high stock', () => assert.deepEqual([isHigh(90), isHigh(91)], [false, true]))
`,
})

const earlyEnd = (next: string) =>
  expect.stringMatching(`^The test runner ended early while it ran .*test/killer\\.test\\.js\\. .*SIGKILL.* ${next}`)

test('a test file that ends the runner when it runs again tries changes in processes of its own', async () => {
  const { id } = await scene.project(withKiller('runs > 1'))
  const { verdict, evidence, error } = await measure(id)
  expect(error).toBeNull()
  expect(evidence?.warnings).toEqual([earlyEnd('Assay started it again')])
  expect(evidence).toMatchObject({ reason: 'all_tried', tried: 4, survived: 2, tests: { run: 2, kept: 0 } })
  expect(verdict).toBe('measured')
})

test('a test file that ends the runner with every change tries none, and the others do', async () => {
  const { id } = await scene.project(withKiller('isLow(3)'))
  const { verdict, evidence, error } = await measure(id)
  expect(error).toBeNull()
  expect(evidence?.warnings).toEqual([earlyEnd('Assay started it again'), earlyEnd('That was the second time')])
  expect(evidence).toMatchObject({ reason: 'no_driver', reached: 4, tried: 2, noticed: 2, survived: 0 })
  expect(verdict).toBe('partial')
})
