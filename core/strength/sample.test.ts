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

/** Whether a test runs in a loaded process, with a mutant. */
const hasMutant = 'globalThis.__assayMutants__?.active'
const head = "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\n"
const functions = Array.from({ length: 6 }, (_, index) => `export const add${index} = (a, b) => a + b - ${index + 1}\n`)

const addFiles = {
  'package.json': '{ "type": "module", "scripts": { "test": "node --test" } }',
  'src/add.js': functions.join(''),
}

/** Tests the functions with the result of each. */
const addTest = (name: string, code: string, before = '') => `${head}import * as all from '../src/add.js'
test('${name}', async () => {
  ${before}
  for (const [index, add] of Object.values(all).entries()) {
    const sum = add(1, 2)
    ${code}
  }
})
`

test('results that fresh processes refute do not count, and a warning names their test files', async () => {
  const { id } = await scene.project({
    ...addFiles,
    'src/twice.js': 'export const twice = (n) => n * 2\n',
    // It looks only where the code is as it was written.
    'test/add.test.js': addTest('adds', `if (!${hasMutant}) assert.equal(sum, 2 - index)`),
    'test/twice.test.js': `${head}import { twice } from '../src/twice.js'
test('doubles', () => assert.equal(twice(3), 6))
test('is wrong', () => assert.equal(twice(3), 7))
`,
  })
  const { evidence } = await measure(id)
  const { sample, warnings = [], tests, files = [], survivors } = evidence ?? {}
  expect(sample?.disagreed).toBeGreaterThanOrEqual(2)
  expect(sample?.tried).toBeGreaterThanOrEqual(sample?.disagreed ?? 0)
  expect(survivors).toEqual([])
  const added = files.find(({ path }) => path === 'src/add.js')
  // What fresh processes said counts, also of the results that were not in the sample.
  expect(added).toMatchObject({ reached: 12, tried: added?.noticed })
  expect(added?.noticed).toBeGreaterThanOrEqual(sample?.disagreed ?? 0)
  expect(tests).toEqual({
    run: 3,
    failing: 1,
    kept: 0,
    failingTests: [{ path: 'test/twice.test.js', name: 'is wrong' }],
  })
  expect(warnings).toEqual([
    expect.stringMatching(/results were different in fresh processes.*: test\/add\.test\.js\./),
  ])
  // It is known which test file noticed them.
  const { evidence: again } = await measure(id)
  expect([again?.survivors, again?.kept]).toEqual([[], expect.any(Number)])
  expect(again?.kept).toBeGreaterThanOrEqual(added?.noticed ?? 0)
})

test('tests that did not try a mutant decide about it where a fresh process refutes the one that noticed it', async () => {
  const { id } = await scene.project({
    ...addFiles,
    // It fails with every mutant after it has run, and only in a loaded process.
    'test/alarm.test.js': addTest(
      'raises an alarm',
      `if (index === Object.keys(all).length - 1) assert.ok(!${hasMutant} || sum === undefined)`,
    ),
    'test/sums.test.js': addTest(
      'adds',
      'assert.equal(sum, 2 - index)',
      'await new Promise((r) => setTimeout(r, 400))',
    ),
  })
  const { evidence } = await measure(id)
  expect(evidence?.sample.disagreed).toBeGreaterThanOrEqual(2)
  expect([evidence?.survivors, evidence?.noticed]).toEqual([[], evidence?.tried])
})

test('results of a measurement that ended before its sample are in the sample of the next one', async () => {
  const { id: projectId } = await scene.project({
    ...addFiles,
    'test/add.test.js': addTest(
      'adds',
      `if (!${hasMutant}) assert.equal(sum, 2 - index)`,
      'await new Promise((r) => setTimeout(r, 300))',
    ),
  })
  const { id } = await scene.client.strength.measure.mutate({ projectId })
  const look = () => scene.client.strength.get.query({ measurementId: id })
  await expect.poll(async () => (await look()).evidence?.survived ?? 0, { timeout: 60_000 }).toBeGreaterThan(2)
  await scene.client.strength.cancel.mutate({ measurementId: id })
  const { evidence } = await measure(projectId)
  expect(evidence?.sample.disagreed).toBeGreaterThanOrEqual(2)
  expect(evidence?.survivors).toEqual([])
})
