import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createRunScene, type RunScene } from '../core/test-runs/testing/scene.ts'
import type { GitRepository } from '../engines/source/testing/git-repository.ts'
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
let repository: GitRepository
beforeAll(async () => {
  scene = await createRunScene()
  const project = await scene.project(files)
  projectId = project.id
  repository = project.repository
  await scene.run(projectId)
  await vi.waitUntil(async () => (await scene.client.tests.list.query({ projectId })).pagination.total === 2, 20_000)
})
afterAll(() => scene[Symbol.asyncDispose]())

const env = () => ({ SVC_BASE_URL: scene.app.url, SVC_API_TOKEN: scene.token })
const confirm = (...words: string[]) => assay(['tests', 'confirm', ...words, '--project', projectId], { env: env() })
const confirmInside = (...words: string[]) =>
  assay(['tests', 'confirm', ...words], { env: env(), cwd: repository.path })

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

test('confirms the fix in the working tree of a checkout, unless the options name a commit', async () => {
  const head = await repository.git('rev-parse', 'HEAD')
  const clean = await confirmInside('breaks', '--json')
  expect(JSON.parse(clean.stdout)).toMatchObject({ verdict: 'failed', commitSha: head, snapshotId: null })
  await repository.write({
    'test/cart.test.js': files['test/cart.test.js'].replace("assert.fail('119 is not 120')", '{}'),
  })
  const fixed = await confirmInside('breaks', '--repeats', '10')
  expect(fixed, fixed.stderr).toMatchObject({ exitCode: 0 })
  expect(fixed.stderr).toMatch(/^Sent a snapshot of this checkout: 1 changed file on /)
  expect(fixed.stdout).toContain('as soon as the branch of the project is tested with exactly these files.')
  for (const named of [['--commit', head], ['--head'], ['--branch', 'main']]) {
    const committed = await confirmInside('breaks', ...named, '--json')
    expect(committed, named.join(' ')).toMatchObject({ exitCode: 1, stderr: expect.not.stringContaining('snapshot') })
    expect(JSON.parse(committed.stdout)).toMatchObject({ verdict: 'failed', snapshotId: null })
  }
})

test('says what is wrong with the commit', async () => {
  expect(await confirmInside('breaks', '--commit', 'unknown')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('must be a full commit id'),
  })
  expect(await confirmInside('breaks', '--commit', 'a'.repeat(40))).toMatchObject({
    exitCode: 5,
    stderr: expect.stringMatching(/has no commit a{40}\. .*leave out --commit/),
  })
})
