import { afterAll, beforeAll, expect, test } from 'vitest'
import { contextOfSystem } from '../base/context.ts'
import { sendTree } from '../snapshots/testing.ts'
import { createRunScene, type RunScene } from '../test-runs/testing/scene.ts'
import { noteMerged } from './work/note-merged.ts'

let scene: RunScene
beforeAll(async () => void (scene = await createRunScene()))
afterAll(() => scene[Symbol.asyncDispose]())

const manifest = '{ "type": "module", "scripts": { "test": "node --test" } }'
const other = `import { test } from 'node:test'
test('stays', () => {})
`
const flaky = `import assert from 'node:assert/strict'
import { test } from 'node:test'
test('rolls dice', () => assert.ok(Math.random() < 0.5, 'unlucky'))
test('is calm', () => {})
`
const fixed = flaky.replace('Math.random() < 0.5', 'Math.random() < 1.5')
const files = { 'package.json': manifest, 'test/dice.test.js': flaky, 'test/other.test.js': other }

async function findDice(projectId: string) {
  const find = async () => (await scene.client.tests.list.query({ projectId, search: 'rolls dice' })).tests[0]
  await expect.poll(find, { timeout: 10_000 }).toBeDefined()
  const found = await find()
  if (!found) throw new Error('The test is unknown.')
  return found
}

const waitFor = async (confirmationId: string) => {
  for (;;) {
    const found = await scene.client.tests.getConfirmation.query({ confirmationId, waitSeconds: 45 })
    if (found.completedAt !== null) return found
  }
}

test(
  'a fix is confirmed by repetitions and makes the test healthy when the branch contains it',
  { timeout: 180_000 },
  async () => {
    const { client } = scene
    const { id: projectId, repository } = await scene.project(files)
    // Both results on one commit.
    let failed = false
    let passed = false
    while (!failed || !passed) {
      const run = await scene.run(projectId)
      failed ||= run.reportedStatus === 'FAILED'
      passed ||= run.reportedStatus === 'PASSED'
    }
    const { testId } = await findDice(projectId)
    await expect.poll(async () => (await findDice(projectId)).health).toBe('flaky')

    const broken = await client.tests.confirmFix.mutate({ projectId, testId })
    expect(broken).toMatchObject({ status: 'pending', repeats: 20, name: 'rolls dice' })
    expect(await waitFor(broken.id)).toMatchObject({
      status: 'completed',
      verdict: 'failed',
      evidence: { reason: 'still_fails', failureRateBelow: null, errors: [expect.stringContaining('unlucky')] },
    })
    expect((await findDice(projectId)).health).toBe('flaky')

    await repository.git('checkout', '--quiet', '-b', 'fix')
    const fix = await repository.commit({ 'test/dice.test.js': fixed })
    await repository.git('checkout', '--quiet', 'main')
    const { id } = await client.tests.confirmFix.mutate({ projectId, testId, commitSha: fix })
    const confirmed = await waitFor(id)
    expect(confirmed).toMatchObject({
      verdict: 'confirmed',
      commitSha: fix,
      evidence: { alone: { runs: 20, passed: 20 }, inSuite: { runs: 20, passed: 20 }, failureRateBelow: 7.3 },
      mergedAt: null,
    })
    expect((await findDice(projectId)).health).toBe('flaky')

    await repository.git('merge', '--quiet', '--ff-only', 'fix')
    await scene.run(projectId)
    const signal = new AbortController().signal
    await noteMerged(contextOfSystem(scene.app.services, scene.app.dataSource.manager, { requestId: 'test', signal }))
    await expect.poll(async () => (await findDice(projectId)).health, { timeout: 10_000 }).toBe('healthy')
    expect(await client.tests.get.query({ projectId, testId })).toMatchObject({
      rule: 'confirmed_fix',
      since: { commit: fix },
      reason: expect.stringContaining('passed every repetition'),
    })
    const { confirmations } = await client.tests.listConfirmations.query({ projectId, testId })
    expect(confirmations.map(({ verdict }) => verdict)).toEqual(['confirmed', 'failed'])
  },
)

test(
  'a fix that was confirmed before it was committed is merged when the branch has the same files',
  { timeout: 120_000 },
  async () => {
    const { client, app, token } = scene
    const { id: projectId, repository } = await scene.project(files)
    await scene.run(projectId)
    const { testId } = await findDice(projectId)
    await repository.write({ 'test/dice.test.js': fixed })
    const { id: snapshotId } = await sendTree(app, token, projectId, repository)
    const { id } = await client.tests.confirmFix.mutate({ projectId, testId, snapshotId, repeats: 10 })
    expect(await waitFor(id)).toMatchObject({ verdict: 'confirmed', mergedAt: null })
    const look = async () => {
      const { signal } = new AbortController()
      await noteMerged(contextOfSystem(app.services, app.dataSource.manager, { requestId: 'test', signal }))
      return (await client.tests.getConfirmation.query({ confirmationId: id })).mergedAt
    }
    await scene.run(projectId)
    expect(await look()).toBeNull()
    const fix = await repository.commit()
    await scene.run(projectId)
    // Another commit is tested before anybody looks.
    await repository.commit({ 'README.md': 'Dice.\n' })
    await scene.run(projectId)
    expect(await look()).not.toBeNull()
    const [merged] = await app.dataSource.query(
      'SELECT commit_sha FROM test_runs WHERE id = (SELECT merged_run FROM test_confirmations WHERE id = $1)',
      [id],
    )
    expect(merged).toEqual({ commit_sha: fix })
  },
)

test('a confirmation says so if the commit does not contain the test', { timeout: 60_000 }, async () => {
  const { id: projectId, repository } = await scene.project({ ...files, 'test/dice.test.js': fixed })
  await scene.run(projectId)
  const { testId } = await findDice(projectId)
  const without = await repository.commit({ 'test/dice.test.js': other.replace('stays', 'went') })
  const { id } = await scene.client.tests.confirmFix.mutate({ projectId, testId, commitSha: without, repeats: 10 })
  expect(await waitFor(id)).toMatchObject({
    verdict: 'inconclusive',
    evidence: { reason: 'not_run', alone: { runs: 0 }, inSuite: { runs: 0 } },
  })
  // 2 + 2 passes would leave room for a test that fails in half of its runs.
  const few = scene.client.tests.confirmFix.mutate({ projectId, testId, repeats: 9 })
  await expect(few).rejects.toThrow('repeats: must be at least 10')
})

test('a cancelled confirmation ends', async () => {
  const { id: projectId } = await scene.project({ ...files, 'test/dice.test.js': fixed })
  await scene.run(projectId)
  const { testId } = await findDice(projectId)
  const { id } = await scene.client.tests.confirmFix.mutate({ projectId, testId, repeats: 300 })
  await scene.client.tests.cancelConfirmation.mutate({ confirmationId: id })
  expect(await waitFor(id)).toMatchObject({ status: 'cancelled', verdict: null })
})
