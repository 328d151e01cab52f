import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRunScene, type RunScene } from './testing/scene.ts'

let scene: RunScene
beforeAll(async () => void (scene = await createRunScene()))
afterAll(() => scene[Symbol.asyncDispose]())

const header = `import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { describe, test } from 'node:test'
`
const files = {
  'package.json': '{ "type": "module", "scripts": { "test": "node --test" } }',
  'test/old.test.js': `${header}
describe('cart', () => {
  test('adds', () => {})
  test('fails', () => assert.fail('always'))
})
`,
}

const leftOut = /^In quarantine until \d{4}-\d\d-\d\d: fails always$/

const known = (projectId: string) =>
  expect
    .poll(async () => (await scene.client.tests.list.query({ projectId })).pagination.total, { timeout: 20_000 })
    .toBeGreaterThan(0)

test('new tests are repeated before others depend on them', { timeout: 120_000 }, async () => {
  const { id: projectId, repository } = await scene.project(files)
  const first = await scene.run(projectId)
  expect(await scene.log(first.id)).not.toContain('new test')
  await known(projectId)
  await repository.commit({
    'test/new.test.js': `${header}
test('is steady', () => {})
// Repetitions see what the first run wrote.
test('is unlucky', () => {
  assert.ok(!existsSync('marker'), 'unlucky')
  writeFileSync('marker', '')
})
`,
  })
  const run = await scene.run(projectId)
  expect(await scene.log(run.id)).toMatch(/# Ran 2 new tests \d+ times\. 1 of them failed in some runs/)
  expect(run.warnings).toContainEqual(expect.stringMatching(/1 of 2 new tests failed in some of \d+ runs/))
  const { results } = await scene.client.testRuns.results.query({ runId: run.id, search: 'is unlucky' })
  expect(results[0]?.attempts).toContainEqual(expect.objectContaining({ status: 'failed', message: 'unlucky' }))
  const found = async () => (await scene.client.tests.list.query({ projectId, search: 'is unlucky' })).tests[0]
  await expect
    .poll(found, { timeout: 20_000 })
    .toMatchObject({ health: 'flaky', lastFailure: { message: 'unlucky', fingerprint: expect.any(String) } })
  const again = await scene.run(projectId)
  expect(await scene.log(again.id)).not.toContain('new test')
})

test(
  'a skipped test is left out of runs, and one that cannot be left out alone is muted',
  { timeout: 120_000 },
  async () => {
    const { client } = scene
    const { id: projectId, repository } = await scene.project(files)
    expect(await scene.run(projectId)).toMatchObject({ reportedStatus: 'FAILED', failedTests: 1 })
    await known(projectId)
    const quarantine = async (name: string) => {
      const [found] = (await client.tests.list.query({ projectId, search: name })).tests
      const { id } = await client.quarantine.request.mutate({
        projectId,
        testId: found?.testId ?? '',
        mode: 'skipped',
        reason: 'fails always',
      })
      return client.quarantine.grant.mutate({ quarantineId: id })
    }
    const { id } = await quarantine('fails')
    const without = await scene.run(projectId)
    expect(without).toMatchObject({ reportedStatus: 'PASSED', failedTests: 0, mutedTests: 0, passedTests: 1 })
    expect(await scene.log(without.id)).toContain('# Left out, because it is in quarantine: cart > fails')
    // The run says so: it contains the test as skipped, with the reason.
    expect(without).toMatchObject({ totalTests: 2, skippedTests: 1 })
    const { results } = await client.testRuns.results.query({ runId: without.id, status: 'skipped' })
    expect(results).toMatchObject([
      { suite: 'cart', name: 'fails', file: 'test/old.test.js', message: expect.stringMatching(leftOut) },
    ])
    const digest = await client.testRuns.failures.query({ runId: without.id })
    expect(digest.leftOutByQuarantine).toEqual({ count: 1, tests: ['cart > fails'], leftOut: 0 })
    const skipped = await client.tests.get.query({ projectId, testId: results[0]?.testId ?? '' })
    expect(skipped.strip).toHaveLength(1)

    // A test that has not run for long is still left out, and one whose file is gone is not in the run.
    await scene.app.dataSource.query(`UPDATE tests SET health = 'stale' WHERE project_id = $1 AND name = 'fails'`, [
      projectId,
    ])
    expect(await scene.run(projectId)).toMatchObject({ totalTests: 2, skippedTests: 1, failedTests: 0, mutedTests: 0 })
    await repository.git('mv', 'test/old.test.js', 'test/moved.test.js')
    await repository.commit({ 'test/moved.test.js': `${header}test('adds', () => {})\n` })
    expect(await scene.run(projectId)).toMatchObject({ totalTests: 1, skippedTests: 0 })
    await repository.git('mv', 'test/moved.test.js', 'test/old.test.js')
    await repository.commit({ 'test/old.test.js': files['test/old.test.js'] })

    // The runner cannot tell two tests with one name apart.
    await client.quarantine.release.mutate({ quarantineId: id })
    await repository.commit({ 'test/twin.test.js': `${header}describe('cart', () => { test('fails', () => {}) })\n` })
    await scene.run(projectId)
    await expect
      .poll(async () => (await client.tests.list.query({ projectId, search: 'fails' })).tests.length, {
        timeout: 20_000,
      })
      .toBeGreaterThan(1)
    const [broken] = (await client.tests.list.query({ projectId, search: 'old.test.js' })).tests.filter(
      ({ name }) => name === 'fails',
    )
    const request = { projectId, testId: broken?.testId ?? '', mode: 'skipped' as const, reason: 'fails always' }
    await client.quarantine.grant.mutate({ quarantineId: (await client.quarantine.request.mutate(request)).id })
    const muted = await scene.run(projectId)
    expect(await scene.log(muted.id)).toContain('# Muted instead of left out: cart > fails.')
    expect(muted).toMatchObject({ reportedStatus: 'PASSED', mutedTests: 1 })
  },
)
