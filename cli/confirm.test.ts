import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createRunScene, type RunScene } from '../core/test-runs/testing/scene.ts'
import { assay } from './testing/assay.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const files = {
  'package.json': '{ "type": "module", "scripts": { "test": "node --test" } }',
  'test/cart.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
test('adds', () => {})
test('breaks', () => assert.fail('119 is not 120'))
`,
}

let scene: RunScene
let projectId: string
beforeAll(async () => {
  scene = await createRunScene()
  projectId = (await scene.project(files)).id
  await scene.run(projectId)
  await vi.waitUntil(async () => (await scene.client.tests.list.query({ projectId })).pagination.total === 2, 20_000)
})
afterAll(() => scene[Symbol.asyncDispose]())

const confirm = (...words: string[]) =>
  assay(['tests', 'confirm', ...words, '--project', projectId], {
    env: { SVC_BASE_URL: scene.app.url, SVC_API_TOKEN: scene.token },
  })

test('confirms a test that passes every repetition, and says when one failed', async () => {
  const passed = await confirm('adds', '--repeats', '10')
  expect(passed, passed.stderr).toMatchObject({ exitCode: 0 })
  expect(passed.stdout).toContain(
    'CONFIRMED  The test passed all repetitions: 10 times alone and 10 times in its suite.',
  )
  expect(passed.stdout).toContain('The test counts as healthy now.')
  const failed = await confirm('breaks', '--json')
  expect(failed).toMatchObject({ exitCode: 1 })
  expect(JSON.parse(failed.stdout)).toMatchObject({ verdict: 'failed', evidence: { errors: ['119 is not 120'] } })
  expect(await confirm('adds', '--repeats', '9')).toMatchObject({ exitCode: 2 })
  expect(await confirm('unknown')).toMatchObject({ exitCode: 4 })
})
