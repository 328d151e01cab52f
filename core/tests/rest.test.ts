import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { Quarantine } from '../quarantine/schema.ts'
import { TestsPage } from './schema.ts'
import { createHealthScene, failing } from './testing.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp()))
afterAll(() => app[Symbol.asyncDispose]())

test('the REST API lists tests, shows one, and quarantines it', async () => {
  const { upload, judged, project, token } = await createHealthScene(app)
  await upload({ tests: { adds: failing(), other: 'passed' }, commit: 'x', hoursAgo: 2 })
  await upload({ tests: { adds: 'passed', other: 'passed' }, commit: 'x', hoursAgo: 1 })
  await judged()
  const call = async (path: string, body?: object) => {
    const init = body
      ? { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
      : {}
    const response = await app.fetch(`/api/v1${path}`, { token, ...init })
    const answer: unknown = await response.json()
    return { status: response.status, body: answer }
  }
  const tests = `/projects/${project.id}/tests`
  const page = TestsPage.parse((await call(`${tests}?health=flaky,broken&limit=5`)).body)
  expect(page).toMatchObject({ tests: [{ name: 'adds', health: 'flaky' }], counts: { flaky: 1, new: 1 } })
  const testId = page.tests[0]?.testId ?? ''
  expect((await call(`${tests}/${testId}`)).body).toMatchObject({ name: 'adds', strip: { length: 2 } })
  const { status, body } = await call(`/projects/${project.id}/quarantines`, {
    testId,
    reason: 'slow',
  })
  const asked = Quarantine.parse(body)
  expect([status, asked.status]).toEqual([201, 'requested'])
  expect((await call(`/quarantines/${asked.id}/grant`, { days: 2 })).body).toMatchObject({
    status: 'active',
  })
  expect((await call(`/quarantines/${asked.id}/release`, {})).body).toMatchObject({ status: 'released' })
  expect((await call(`/projects/${project.id}/quarantines?status=released`)).body).toMatchObject({
    pagination: { total: 1 },
  })
  const preview = await call(`/projects/${project.id}/test-policy/preview`, { health: { quietDays: 1 } })
  expect(preview.body).toMatchObject({ examined: 1, current: { flaky: 1 }, previewed: { flaky: 1 }, differences: [] })
  const policy = await call(`/projects/${project.id}/test-policy`, { health: { quietDays: 3 } })
  expect(policy.body).toMatchObject({ health: { quietDays: 3, quietPasses: 60 } })
  const confirmation = await call(`${tests}/${testId}/confirmations`, { repeats: 10 })
  expect(confirmation).toMatchObject({ status: 202, body: { repeats: 10 } })

  const shards = `/projects/${project.id}/shards`
  expect((await call(`${shards}?count=2`)).body).toMatchObject({ shards: [{ files: ['src/cart.test.ts'] }, {}] })
  const planned = await call(shards, { count: 1, files: ['src/new.test.ts'] })
  // A test takes 100 ms in the files that are known.
  const only = { index: 1, files: ['src/new.test.ts'], ms: 100, tests: 1 }
  expect(planned.body).toEqual({ shards: [only], totalMs: 100, longestMs: 100, unmeasured: ['src/new.test.ts'] })
  expect(await call(shards, { count: 1, files: [] })).toMatchObject({ status: 400 })

  expect(await call(`${tests}/adds`)).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('testId') },
  })
  expect(await call(`${tests}?health=sick`)).toMatchObject({ status: 400 })
  expect(await call(`${tests}?limit=1e2`)).toMatchObject({ status: 400 })
  expect(await call(`/projects/${project.id}/test-policy`, { health: { quiet: 3 } })).toMatchObject({ status: 400 })
  expect(await call(`${tests}/00000000-0000-4000-8000-000000000000`)).toMatchObject({ status: 404 })
})

test('a renamed test is offered for merging, and takes over the history', async () => {
  const { upload, get, client, project, judged } = await createHealthScene(app)
  const projectId = project.id
  await upload({ tests: { 'adds two numbers': failing(), other: 'passed' }, commit: 'x', hoursAgo: 9 })
  await upload({ tests: { 'adds two numbers': 'passed', other: 'passed' }, commit: 'x', hoursAgo: 8 })
  await upload({ tests: { 'adds two given numbers': 'passed', other: 'passed' }, hoursAgo: 7 })
  const { testId: from } = await get('adds two numbers')
  const renamed = await get('adds two given numbers')
  expect(renamed).toMatchObject({ health: 'new', renamedFrom: [{ testId: from }] })
  expect((await get('other')).renamedFrom).toEqual([])
  const into = renamed.testId
  await client.tests.merge.mutate({ projectId, from, into })
  await client.tests.merge.mutate({ projectId, from, into })
  await judged()
  await expect.poll(async () => (await get('adds two given numbers')).health).toBe('flaky')
  expect(await get('adds two given numbers')).toMatchObject({
    mergedFrom: [{ testId: from, name: 'adds two numbers' }],
    renamedFrom: [],
    strip: { length: 3 },
  })
  expect(await client.testRuns.history.query({ projectId, testId: into })).toMatchObject({
    test: { name: 'adds two given numbers' },
    totals: { runs: 3, failed: 1 },
  })
  const { tests } = await client.tests.list.query({ projectId })
  expect(tests.map(({ name }) => name).toSorted()).toEqual(['adds two given numbers', 'other'])
  const other = await get('other')
  await expect(client.tests.merge.mutate({ projectId, from: other.testId, into })).rejects.toThrow(
    'A run contains both',
  )
  await expect(client.tests.merge.mutate({ projectId, from: into, into })).rejects.toThrow('the same one')
  expect(await client.tests.get.query({ projectId, testId: from })).toMatchObject({ testId: into })
})

test('one hundred uploads at once neither deadlock nor lose anything', { timeout: 120_000 }, async () => {
  const { upload, get, client, project } = await createHealthScene(app)
  const uploads = Array.from({ length: 100 }, (_, index) => ({
    tests: { a: index % 10 === 0 ? failing() : ('passed' as const), b: 'passed' as const, c: 'passed' as const },
    hoursAgo: 200 - index,
    // Half of them are shards of the same ten runs.
    ...(index % 2 === 0 ? {} : { commit: String(index % 20), fields: { shardKey: 'ci', variant: `shard ${index}` } }),
  }))
  const answers = await Promise.all(uploads.map((each) => upload(each)))
  expect(answers).toHaveLength(100)
  expect((await get('a')).strip.length).toBe(50)
  expect((await client.testRuns.list.query({ projectId: project.id })).pagination.total).toBe(60)
  expect(app.logLines.filter((line) => line.includes('deadlock'))).toEqual([])
})
