import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { createHealthScene, failing, type Outcome } from '../testing.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp()))
afterAll(() => app[Symbol.asyncDispose]())

test('a test is new, then healthy after ten results', async () => {
  const { upload, healthOf, get } = await createHealthScene(app)
  for (let run = 9; run > 0; run--) await upload({ tests: { adds: 'passed' }, hoursAgo: run })
  expect(await healthOf('adds')).toBe('new')
  await upload({ tests: { adds: 'passed' } })
  expect(await get('adds')).toMatchObject({
    health: 'healthy',
    rule: 'no_evidence',
    failures: 0,
    strip: { length: 10 },
    p50Ms: 100,
    advice: expect.stringContaining('Trust its result'),
  })
})

test('a failure and a pass on one commit make a test flaky, with the evidence', async () => {
  const { upload, get, client, project } = await createHealthScene(app)
  await upload({ tests: { adds: 'passed' }, hoursAgo: 5 })
  const failed = await upload({ tests: { adds: failing() }, commit: 'x', hoursAgo: 4 })
  const passed = await upload({ tests: { adds: 'passed' }, commit: 'x', hoursAgo: 3, branch: 'feature' })
  expect(await get('adds')).toMatchObject({
    health: 'flaky',
    rule: 'same_commit',
    reason: expect.stringContaining('failed and passed on the same commit'),
    since: { runId: failed.runId },
    evidence: [
      { runId: failed.runId, failed: true },
      { runId: passed.runId, failed: false },
    ],
    failures: 1,
    blockedRuns: 1,
    impact: 2,
    lastFailure: { runId: failed.runId, message: 'expected 3 to be 2' },
    errors: [{ results: 1, message: 'expected 3 to be 2' }],
    changes: [{ from: 'new', to: 'flaky' }],
  })
  expect((await client.tests.list.query({ projectId: project.id })).counts).toMatchObject({ flaky: 1 })
  const events = await app.dataSource.query<{ envelope: string }[]>(
    `SELECT envelope FROM events WHERE project_id = $1 AND type = 'test.health_changed'`,
    [project.id],
  )
  expect(events.map(({ envelope }) => (JSON.parse(envelope) as { data: object }).data)).toMatchObject([
    { name: 'adds', from: 'new', to: 'flaky' },
  ])
})

test('a pass after a failed attempt says why the attempt failed', async () => {
  const { upload, get } = await createHealthScene(app)
  await upload({ tests: { adds: 'retried' } })
  expect(await get('adds')).toMatchObject({
    health: 'flaky',
    lastFailure: { message: 'timed out', fingerprint: expect.any(String) },
    errors: [{ message: 'timed out', results: 1, fingerprint: expect.any(String) }],
  })
})

test('failures in a row on the default branch make a test broken until it passes', async () => {
  const { upload, healthOf, get } = await createHealthScene(app)
  for (let run = 20; run > 10; run--) await upload({ tests: { adds: 'passed', other: 'passed' }, hoursAgo: run })
  const first = await upload({ tests: { adds: failing(), other: 'passed' }, hoursAgo: 9 })
  await upload({ tests: { adds: failing(), other: 'passed' }, hoursAgo: 8 })
  expect(await healthOf('adds')).toBe('healthy')
  await upload({ tests: { adds: failing(), other: 'passed' }, hoursAgo: 7 })
  expect(await get('adds')).toMatchObject({ health: 'broken', since: { runId: first.runId } })
  expect(await healthOf('other')).toBe('healthy')
  await upload({ tests: { adds: 'passed', other: 'passed' }, hoursAgo: 6 })
  expect(await get('adds')).toMatchObject({ health: 'healthy', rule: 'passed_again' })
})

test('a project can have flaky tests muted, but a broken test decides again', async () => {
  const { upload, get, client, project } = await createHealthScene(app)
  const projectId = project.id
  await client.tests.updatePolicy.mutate({ projectId, quarantine: { muteFlaky: true, days: 5 } })
  await upload({ tests: { adds: 'passed' }, hoursAgo: 9, commit: 'x' })
  await upload({ tests: { adds: failing() }, hoursAgo: 8, commit: 'x' })
  expect(await get('adds')).toMatchObject({
    health: 'flaky',
    quarantine: { status: 'active', mode: 'muted' },
    quarantines: [{ automatic: true, days: 5, requestedBy: null, reason: expect.stringContaining('same commit') }],
  })
  expect(await upload({ tests: { adds: failing() }, hoursAgo: 7 })).toMatchObject({ status: 'PASSED', mutedTests: 1 })
  for (const hoursAgo of [6, 5, 4, 3, 2, 1.9, 1.8, 1.7, 1.6, 1.5, 1.4, 1.3, 1.2, 1.1, 1]) {
    await upload({ tests: { adds: failing() }, hoursAgo })
  }
  expect(await get('adds')).toMatchObject({
    health: 'broken',
    quarantine: null,
    quarantines: [{ status: 'released', endReason: 'The test is broken.' }],
  })
  expect(await upload({ tests: { adds: failing() } })).toMatchObject({ status: 'FAILED', failedTests: 1 })
})

test('a flaky test is muted although the time of an earlier quarantine is up', async () => {
  const { client, project, upload, get } = await createHealthScene(app)
  const projectId = project.id
  await client.tests.updatePolicy.mutate({ projectId, quarantine: { muteFlaky: true } })
  await upload({ tests: { adds: 'passed' }, commit: 'x', hoursAgo: 2 })
  const { testId } = await get('adds')
  const { id } = await client.quarantine.request.mutate({ projectId, testId, reason: 'slow network' })
  await client.quarantine.grant.mutate({ quarantineId: id })
  await app.dataSource.query(`UPDATE quarantines SET expires_at = now() - interval '1 minute' WHERE id = $1`, [id])
  await upload({ tests: { adds: failing() }, commit: 'x', hoursAgo: 1 })
  expect((await get('adds')).quarantines).toMatchObject([
    { status: 'active', automatic: true },
    { id, status: 'expired' },
  ])
})

test('a request goes on waiting while Assay mutes the test by itself, and replaces that when it is granted', async () => {
  const { upload, get, client, project, judged } = await createHealthScene(app)
  const projectId = project.id
  await client.tests.updatePolicy.mutate({ projectId, quarantine: { muteFlaky: true, days: 5 } })
  await upload({ tests: { adds: 'passed' }, hoursAgo: 9, commit: 'x' })
  const { testId } = await get('adds')
  const wanted = { projectId, testId, mode: 'skipped' as const, days: 90, reason: 'takes the shared port' }
  const { id } = await client.quarantine.request.mutate(wanted)
  await upload({ tests: { adds: failing() }, hoursAgo: 8, commit: 'x' })
  await judged()
  expect(await get('adds')).toMatchObject({
    quarantine: { status: 'active', mode: 'muted' },
    quarantines: [
      { automatic: true, days: 5 },
      { id, status: 'requested', mode: 'skipped', days: 90 },
    ],
  })
  await client.quarantine.grant.mutate({ quarantineId: id })
  expect(await get('adds')).toMatchObject({
    quarantine: { id, mode: 'skipped' },
    quarantines: [{ status: 'active' }, { status: 'released', endReason: `Replaced by quarantine ${id}.` }],
  })
  await client.quarantine.release.mutate({ quarantineId: id })
  expect(await get('adds')).toMatchObject({ quarantine: null })
})

test('tests of a project in which many always fail have a health', async () => {
  const { upload, tests, client, project } = await createHealthScene(app)
  const names = Array.from({ length: 20 }, (_, index) => `test ${index}`)
  const all = Object.fromEntries(names.map((name, index) => [name, index < 6 ? failing(`no ${name}`) : 'passed']))
  for (const hoursAgo of [9, 8, 7, 6]) await upload({ tests: all, hoursAgo })
  expect(await tests()).toEqual([])
  expect(await client.tests.list.query({ projectId: project.id })).toMatchObject({ outages: 4 })
  await upload({ tests: all, hoursAgo: 5 })
  expect((await tests()).filter(({ health }) => health === 'broken')).toHaveLength(6)
  expect(await client.tests.list.query({ projectId: project.id })).toMatchObject({ counts: { new: 14 }, outages: 0 })
})

test('outages, other branches, snapshots and skipped results say nothing', async () => {
  const { upload, tests } = await createHealthScene(app)
  const names = Array.from({ length: 40 }, (_, index) => `test ${index}`)
  const all = (outcome: (index: number) => Outcome) =>
    Object.fromEntries(names.map((name, index) => [name, outcome(index)]))
  for (let run = 40; run > 30; run--) await upload({ tests: all(() => 'passed'), hoursAgo: run })
  for (const hoursAgo of [30, 28, 26]) {
    // All tests, a group with one error, and a group with different errors.
    await upload({
      tests: all((index) => (index < 30 ? failing('connection refused') : 'passed')),
      commit: `mass ${hoursAgo}`,
      hoursAgo,
    })
    await upload({ tests: all(() => 'passed'), commit: `mass ${hoursAgo}`, hoursAgo: hoursAgo - 0.2 })
  }
  await upload({
    tests: {
      ...all(() => 'passed'),
      ...Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`more ${index}`, 'passed' as const])),
    },
    hoursAgo: 25,
  })
  const group = (index: number) => (index < 9 ? failing(`cannot reach shard ${'abcdefghi'[index] ?? ''}`) : 'passed')
  await upload({
    tests: {
      ...all(group),
      ...Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`more ${index}`, 'passed' as const])),
    },
    commit: 'group',
    hoursAgo: 24,
  })
  await upload({ tests: all(() => 'passed'), commit: 'group', hoursAgo: 23 })
  await upload({ tests: all((index) => (index === 1 ? failing() : 'passed')), branch: 'feature', hoursAgo: 22 })
  await upload({ tests: all((index) => (index === 2 ? 'skipped' : 'passed')), hoursAgo: 21 })
  const found = await tests()
  expect(found.filter(({ health }) => health !== 'healthy' && health !== 'new')).toEqual([])
})

test('results of code that is not committed say nothing', async () => {
  const { upload, get, tests } = await createHealthScene(app)
  await upload({ tests: { adds: 'passed' }, hoursAgo: 9 })
  for (const hoursAgo of [8, 7, 6]) {
    await upload({ tests: { adds: 'retried', unfinished: failing() }, commit: null, hoursAgo })
    await upload({ tests: { adds: failing() }, commit: null, hoursAgo: hoursAgo - 0.5 })
  }
  expect(await get('adds')).toMatchObject({ health: 'new', failures: 0, strip: { length: 1 }, lastFailure: null })
  expect((await tests()).map(({ name }) => name)).toEqual(['adds'])
})
