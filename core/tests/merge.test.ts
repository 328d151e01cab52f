import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createRunFor } from '../testing/factories.ts'
import { createHealthScene, failing } from './testing.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp()))
afterAll(() => app[Symbol.asyncDispose]())

/** A test that was renamed from `before` to `after` an hour ago. */
async function createRenameScene() {
  const scene = await createHealthScene(app)
  await scene.upload({ tests: { before: 'passed' }, commit: '1', hoursAgo: 3 })
  await scene.upload({ tests: { after: 'passed' }, commit: '2', hoursAgo: 1 })
  const [from, into] = [(await scene.get('before')).testId, (await scene.get('after')).testId]
  const projectId = scene.project.id
  const merge = () => scene.client.tests.merge.mutate({ projectId, from, into })
  return { ...scene, projectId, from, into, merge }
}

test('late results under the earlier name change the health of the test that it was merged into', async () => {
  const { upload, merge, tests, get, from } = await createRenameScene()
  await merge()
  await upload({ tests: { before: failing() }, commit: '1', hoursAgo: 2 })
  expect(await tests()).toMatchObject([{ name: 'after', health: 'flaky', rule: 'same_commit' }])
  expect((await get('after')).mergedFrom).toMatchObject([{ testId: from, name: 'before' }])
  const events = await app.dataSource.query<{ envelope: string }[]>(
    `SELECT envelope FROM events WHERE project_id = (SELECT project_id FROM tests WHERE test_id = $1 LIMIT 1) AND type = 'test.health_changed'`,
    [from],
  )
  expect(events.map(({ envelope }) => (JSON.parse(envelope) as { data: object }).data)).toMatchObject([
    { name: 'after', to: 'flaky' },
  ])
})

test('a variant that appears under the earlier name after the merge belongs to the test, too', async () => {
  const { upload, merge, tests, client, projectId, into } = await createRenameScene()
  await merge()
  const windows = { fields: { variant: 'windows' } }
  await upload({ tests: { before: 'passed' }, commit: '1', hoursAgo: 2, ...windows })
  await upload({ tests: { before: failing() }, commit: '1', hoursAgo: 1.5, ...windows })
  expect((await tests()).map(({ testId, variant, health }) => [testId, variant, health]).toSorted()).toEqual([
    [into, '', 'new'],
    [into, 'windows', 'flaky'],
  ])
  const { strip } = await client.tests.get.query({ projectId, testId: into, variant: 'windows' })
  expect(strip).toHaveLength(2)
})

test('a variant that nothing has judged yet is found under every name of the test', async () => {
  const { upload, merge, client, projectId, from, into } = await createRenameScene()
  await merge()
  // Results of code that is not committed are never judged.
  const unjudged = { commit: null, tests: { before: failing() } }
  await upload({ ...unjudged, fields: { variant: 'windows' } })
  await upload({ ...unjudged, fields: { variant: 'linux' }, hoursAgo: 1 })
  for (const [testId, variant] of [
    [into, 'windows'],
    [from, 'linux'],
  ] as const) {
    const found = await client.quarantine.request.mutate({ projectId, testId, variant, reason: 'fails at midnight' })
    expect(found).toMatchObject({ testId: into, name: 'after', variant, status: 'requested' })
  }
  const unknown = { projectId, testId: into, variant: 'solaris', reason: 'fails at midnight' }
  await expect(client.quarantine.request.mutate(unknown)).rejects.toMatchObject({ data: { code: 'NOT_FOUND' } })
})

test('the quarantine of a test stays with it when it is merged, and mutes results under its earlier name', async () => {
  const { upload, merge, client, projectId, from, into } = await createRenameScene()
  const { id } = await client.quarantine.request.mutate({ projectId, testId: from, reason: 'fails at midnight' })
  await client.quarantine.grant.mutate({ quarantineId: id })
  expect(await merge()).toMatchObject({ testId: into, quarantine: { id, status: 'active' } })
  expect(await upload({ tests: { after: failing() } })).toMatchObject({ status: 'PASSED', mutedTests: 1 })
  expect(await upload({ tests: { before: failing() } })).toMatchObject({ status: 'PASSED', mutedTests: 1 })
  await client.quarantine.release.mutate({ quarantineId: id })
  const again = await client.quarantine.request.mutate({ projectId, testId: from, reason: 'fails at noon' })
  expect(again).toMatchObject({ testId: into, name: 'after', status: 'requested' })
})

test('of two quarantines of merged tests, the one of the new name stays', async () => {
  const { merge, client, projectId, from, into } = await createRenameScene()
  const request = (testId: string) => client.quarantine.request.mutate({ projectId, testId, reason: 'flaky' })
  const [old, own] = [await request(from), await request(into)]
  await merge()
  expect((await client.quarantine.list.query({ projectId })).quarantines).toMatchObject([
    { id: own.id, status: 'requested' },
    { id: old.id, status: 'rejected', endReason: expect.stringContaining('merged') },
  ])
})

test('what a person granted stays when tests are merged, and what Assay muted by itself ends', async () => {
  const { upload, merge, client, projectId, from, into, judged } = await createRenameScene()
  await client.tests.updatePolicy.mutate({ projectId, quarantine: { muteFlaky: true } })
  await upload({ tests: { after: failing() }, commit: '2', hoursAgo: 0.5 })
  await judged()
  const wanted = { projectId, testId: from, reason: 'takes the shared port', mode: 'skipped' as const }
  const { id } = await client.quarantine.request.mutate(wanted)
  await client.quarantine.grant.mutate({ quarantineId: id })
  await merge()
  const { quarantines } = await client.quarantine.list.query({ projectId })
  expect(quarantines).toMatchObject([
    { id, testId: into, status: 'active', mode: 'skipped' },
    { automatic: true, status: 'released', endReason: expect.stringContaining('merged') },
  ])
})

test('a pass under the earlier name repairs the test that it was merged into', async () => {
  const { upload, merge, client, projectId, healthOf } = await createRenameScene()
  await client.tests.updatePolicy.mutate({ projectId, health: { newResults: 1 } })
  for (const hoursAgo of [0.9, 0.8, 0.7]) {
    await upload({ tests: { after: failing() }, commit: `failed ${hoursAgo}`, hoursAgo })
  }
  expect(await healthOf('after')).toBe('broken')
  await merge()
  await upload({ tests: { before: 'passed' }, commit: 'fixed' })
  expect(await healthOf('after')).toBe('healthy')
})

test('a variant that only the earlier name has stays', async () => {
  const { upload, merge, client, judged, projectId, from, into } = await createRenameScene()
  await upload({ tests: { before: 'passed' }, hoursAgo: 2, fields: { variant: 'windows' } })
  await judged()
  await merge()
  await judged()
  for (const testId of [from, into]) {
    const found = await client.tests.get.query({ projectId, testId, variant: 'windows' })
    expect(found).toMatchObject({ testId: into, name: 'after', strip: [{ status: 'passed' }] })
  }
})

test('tests that ran together once are not merged, however many runs there were since', async () => {
  const { upload, merge, projectId } = await createRenameScene()
  await upload({ tests: { before: 'passed', after: 'passed' } })
  for (let count = 0; count < 510; count++) await createRunFor(app, { projectId, status: 'COMPLETED' })
  await expect(merge()).rejects.toThrow('A run contains both tests')
})

test('tests that ran together are not merged by way of a third one', async () => {
  const { upload, merge, client, judged, projectId, get, into } = await createRenameScene()
  await upload({ tests: { before: 'passed', third: 'passed' } })
  await judged()
  const third = (await get('third')).testId
  await merge()
  await expect(client.tests.merge.mutate({ projectId, from: into, into: third })).rejects.toThrow('A run contains both')
  await expect(client.tests.merge.mutate({ projectId, from: third, into })).rejects.toThrow('A run contains both')
})
