import { afterAll, beforeAll, expect, test } from 'vitest'
import { sendTree } from '../snapshots/testing.ts'
import { createVerificationScene, type VerificationScene } from './testing/scene.ts'

let scene: VerificationScene
beforeAll(async () => void (scene = await createVerificationScene()))
afterAll(() => scene[Symbol.asyncDispose]())

const sum = (body: string) => `export function sum(a, b) {\n  ${body}\n}\n`
const files = {
  'package.json': JSON.stringify({ name: 'sums', type: 'module', scripts: { test: 'node --test' } }),
  'src/sum.js': sum('return a - b'),
  'test/other.test.js': "import { test } from 'node:test'\ntest('other', () => {})\n",
}
const written = {
  filePath: 'test/sum.test.js',
  code: `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sum } from '../src/sum.js'

test('adds', () => {
  assert.equal(sum(2, 3), 5)
  assert.equal(sum(0, 0), 0)
})
`,
}

test('judges a test on a fix that was never committed', async () => {
  const { id: projectId, repository } = await scene.project(files)
  const onMain = await scene.verify(projectId, written, { repeats: 2, mutants: 5 })
  expect(onMain).toMatchObject({ status: 'completed', snapshotId: null, branch: 'main' })
  expect(onMain.verdict).not.toBe('accepted')

  await repository.write({ 'src/sum.js': sum('return a + b') })
  const { id: snapshotId, commitSha } = await sendTree(scene.app, scene.token, projectId, repository)
  const onFix = await scene.verify(projectId, written, { snapshotId, repeats: 2, mutants: 5 })
  expect(onFix, JSON.stringify(onFix)).toMatchObject({
    status: 'completed',
    verdict: 'accepted',
    snapshotId,
    commitSha,
    branch: null,
  })
  expect(onFix.evidence?.warnings).toEqual([])
  const again = await scene.verify(projectId, written, { snapshotId, repeats: 2, mutants: 5 })
  expect(again).toMatchObject({ verdict: 'accepted', sameAs: onFix.id })
  const { verifications } = await scene.client.tests.verifyMany.mutate({ projectId, snapshotId, tests: [written] })
  expect(verifications).toMatchObject([{ snapshotId, commitSha }])
})
