import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRunScene, type RunScene } from '../test-runs/testing/scene.ts'

let scene: RunScene
beforeAll(async () => {
  scene = await createRunScene({ verificationConcurrency: 1 })
})
afterAll(() => scene[Symbol.asyncDispose]())

async function measure(projectId: string) {
  const { id } = await scene.client.strength.measure.mutate({ projectId })
  for (;;) {
    const found = await scene.client.strength.get.query({ measurementId: id, waitSeconds: 45 })
    if (found.completedAt !== null) return found
  }
}

const head = "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\n"
const functions = Array.from({ length: 6 }, (_, index) => `export const add${index} = (a, b) => a + b - ${index + 1}\n`)

test('results that fresh processes refute do not count, and a warning names their test files', async () => {
  const { id } = await scene.project({
    'package.json': '{ "type": "module", "scripts": { "test": "node --test" } }',
    'src/add.js': functions.join(''),
    'src/twice.js': 'export const twice = (n) => n * 2\n',
    // It looks only where the code is as it was written.
    'test/add.test.js': `${head}import * as all from '../src/add.js'
test('adds', () => {
  for (const [index, add] of Object.values(all).entries()) {
    const sum = add(1, 2)
    if (globalThis.__assayMutants__ === undefined) assert.equal(sum, 2 - index)
  }
})
`,
    'test/twice.test.js': `${head}import { twice } from '../src/twice.js'
test('doubles', () => assert.equal(twice(3), 6))
test('is wrong', () => assert.equal(twice(3), 7))
`,
  })
  const { verdict, evidence } = await measure(id)
  expect(verdict).toBe('partial')
  const { sample, warnings = [], tests, files = [], survivors } = evidence ?? {}
  expect(sample?.disagreed).toBeGreaterThanOrEqual(2)
  expect(sample?.tried).toBeGreaterThanOrEqual(sample?.disagreed ?? 0)
  expect(survivors).toEqual([])
  const added = files.find(({ path }) => path === 'src/add.js')
  // What fresh processes said counts.
  expect(added).toMatchObject({ reached: 12, tried: sample?.disagreed, noticed: sample?.disagreed })
  expect(tests).toEqual({
    run: 3,
    failing: 1,
    kept: 0,
    failingTests: [{ path: 'test/twice.test.js', name: 'is wrong' }],
  })
  expect(warnings).toEqual([
    '1 test fails without a mutant and tried none: test/twice.test.js: is wrong.',
    expect.stringMatching(/results were different in fresh processes.*: test\/add\.test\.js\./),
  ])
  // Nothing doubtful counts again.
  const { evidence: again } = await measure(id)
  expect(again?.kept).toBe(0)
})
