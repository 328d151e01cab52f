import { afterAll, beforeAll, expect, test } from 'vitest'
import { contextOfSystem } from '../base/context.ts'
import { createTestApp, type TestApp } from '../testing/app.ts'
import {
  createMembershipFor,
  createOrganizationFor,
  createProjectFor,
  createTokenFor,
  createUser,
} from '../testing/factories.ts'
import { createHealthScene, failing } from '../tests/testing.ts'
import { expireQuarantines } from './expire.ts'
import { createQuarantineFor } from './testing.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp()))
afterAll(() => app[Symbol.asyncDispose]())

const day = 86_400_000

async function createQuarantineScene() {
  const scene = await createHealthScene(app)
  const { runId } = await scene.upload({ tests: { adds: failing(), other: 'passed' }, hoursAgo: 2 })
  const { testId } = await scene.get('adds')
  const projectId = scene.project.id
  const request = (more: object = {}) =>
    scene.client.quarantine.request.mutate({ projectId, testId, reason: 'fails at midnight', ...more })
  return { ...scene, projectId, testId, runId, request }
}

test('a muted failure does not decide a run, and is shown as such', async () => {
  const { client, upload, request, projectId, testId } = await createQuarantineScene()
  const { id } = await request({ owner: 'ada', issueUrl: 'https://issues.example.com/7', days: 3 })
  const before = await upload({ tests: { adds: failing(), other: 'passed' }, hoursAgo: 1 })
  expect(before).toMatchObject({ status: 'FAILED', failedTests: 1, mutedTests: 0 })
  const granted = await client.quarantine.grant.mutate({ quarantineId: id })
  expect(granted).toMatchObject({
    status: 'active',
    mode: 'muted',
    owner: 'ada',
    days: 3,
    issueUrl: 'https://issues.example.com/7',
  })
  expect(Date.parse(granted.expiresAt ?? '') - Date.now()).toBeGreaterThan(2.9 * day)

  const after = await upload({ tests: { adds: failing('other error'), other: 'passed' } })
  expect(after).toMatchObject({ status: 'PASSED', failedTests: 0, mutedTests: 1, passedTests: 1, totalTests: 2 })
  expect(await client.testRuns.get.query({ runId: after.runId })).toMatchObject({
    reportedStatus: 'PASSED',
    mutedTests: 1,
  })
  expect(await client.testRuns.failures.query({ runId: after.runId })).toMatchObject({
    status: 'PASSED',
    groups: [],
    muted: { count: 1, tests: ['cart > adds'] },
    rerun: null,
  })
  const { results } = await client.testRuns.results.query({ runId: after.runId })
  expect(results.find(({ name }) => name === 'adds')).toMatchObject({ status: 'failed', muted: true })
  const events = await app.dataSource.query<{ envelope: string }[]>(
    `SELECT envelope FROM events WHERE project_id = $1 AND type = 'test_run.completed' ORDER BY id DESC LIMIT 1`,
    [projectId],
  )
  expect(events.map(({ envelope }) => JSON.parse(envelope) as object)).toMatchObject([
    { data: { failedTests: 0, mutedTests: 1 } },
  ])
  const both = await upload({ tests: { adds: failing(), other: failing() } })
  expect(both).toMatchObject({ status: 'FAILED', failedTests: 1, mutedTests: 1 })

  await client.quarantine.release.mutate({ quarantineId: id, reason: 'fixed' })
  expect(await upload({ tests: { adds: failing(), other: 'passed' }, commit: 'last' })).toMatchObject({
    status: 'FAILED',
  })
  expect((await client.quarantine.list.query({ projectId, testId })).quarantines).toMatchObject([
    { status: 'released', endReason: 'fixed' },
  ])
})

test('only the named variant is muted', async () => {
  const { client, upload, request } = await createQuarantineScene()
  const windows = { fields: { variant: 'windows' } }
  await upload({ tests: { adds: failing() }, ...windows, hoursAgo: 1 })
  const { id } = await request({ variant: '' })
  await client.quarantine.grant.mutate({ quarantineId: id })
  expect(await upload({ tests: { adds: failing() } })).toMatchObject({ status: 'PASSED', mutedTests: 1 })
  expect(await upload({ tests: { adds: failing() }, ...windows })).toMatchObject({ status: 'FAILED', mutedTests: 0 })
})

test('a grant of the other mode replaces the quarantine that is active', async () => {
  const { client, request, projectId, testId } = await createQuarantineScene()
  const muted = await request()
  await client.quarantine.grant.mutate({ quarantineId: muted.id })
  const skipped = await request({ mode: 'skipped' })
  expect(skipped).toMatchObject({ status: 'requested', mode: 'skipped' })
  await client.quarantine.grant.mutate({ quarantineId: skipped.id })
  expect((await client.quarantine.list.query({ projectId, testId })).quarantines).toMatchObject([
    { id: skipped.id, status: 'active' },
    { id: muted.id, status: 'released', endReason: `Replaced by quarantine ${skipped.id}.` },
  ])
})

test('of a quarantine of all variants and one of a variant, the one that skips takes effect', async () => {
  const { client, request, projectId, testId, get } = await createQuarantineScene()
  const grant = async (more: object) => {
    const { id } = await request(more)
    await client.quarantine.grant.mutate({ quarantineId: id })
    return id
  }
  await grant({})
  const skipped = await grant({ variant: '', mode: 'skipped' })
  expect(await get('adds')).toMatchObject({ quarantine: { id: skipped, mode: 'skipped' } })
  const { tests } = await client.tests.list.query({ projectId, quarantine: 'active' })
  expect(tests).toMatchObject([{ testId, quarantine: { id: skipped } }])
  await expect(request({ variant: '', mode: 'skipped' })).rejects.toThrow(`already skipped`)
})

test('a mode that a variant already has is refused, also while all variants are skipped', async () => {
  const { client, request, get } = await createQuarantineScene()
  for (const more of [{ mode: 'skipped' }, { variant: '', mode: 'muted' }]) {
    await client.quarantine.grant.mutate({ quarantineId: (await request(more)).id })
  }
  expect(await get('adds')).toMatchObject({ quarantine: { mode: 'skipped' } })
  await expect(request({ variant: '', mode: 'muted' })).rejects.toMatchObject({ data: { code: 'CONFLICT' } })
})

test('of two quarantines that mute a test, the one that lasts longer is shown', async () => {
  const { client, request, projectId, testId, get } = await createQuarantineScene()
  const granted: string[] = []
  for (const more of [{ variant: '', days: 9 }, { days: 3 }]) {
    const { id } = await request(more)
    await client.quarantine.grant.mutate({ quarantineId: id })
    granted.push(id)
  }
  const [own, all] = granted
  expect(await get('adds')).toMatchObject({ quarantine: { id: own } })
  await client.quarantine.grant.mutate({ quarantineId: all ?? '', days: 30 })
  expect(await get('adds')).toMatchObject({ quarantine: { id: all } })
  const { tests } = await client.tests.list.query({ projectId, search: 'adds' })
  expect(tests).toMatchObject([{ testId, quarantine: { id: all } }])
})

test('a variant shows its quarantine, however many others have one', async () => {
  const { client, request, projectId, testId } = await createQuarantineScene()
  const { id } = await request({ variant: '' })
  for (let index = 0; index < 21; index++) {
    await createQuarantineFor(app, { projectId, testId, variant: `node ${index}`, status: 'requested' })
  }
  const found = await client.tests.get.query({ projectId, testId, variant: '' })
  expect(found).toMatchObject({ quarantine: { id }, quarantines: [{ id, reason: 'fails at midnight' }] })
})

test('a repeated request returns the one that waits; another while it is active is refused', async () => {
  const { client, request, testId, projectId } = await createQuarantineScene()
  const [first, second] = await Promise.all([request(), request()])
  expect(second.id).toBe(first.id)
  await client.quarantine.grant.mutate({ quarantineId: first.id })
  await expect(request()).rejects.toMatchObject({
    data: { code: 'CONFLICT' },
    message: expect.stringContaining(first.id),
  })
  const extended = await client.quarantine.grant.mutate({ quarantineId: first.id, days: 90 })
  expect(Date.parse(extended.expiresAt ?? '') - Date.now()).toBeGreaterThan(89 * day)
  await client.quarantine.release.mutate({ quarantineId: first.id })
  expect(await client.quarantine.release.mutate({ quarantineId: first.id })).toMatchObject({ status: 'released' })
  await expect(client.quarantine.grant.mutate({ quarantineId: first.id })).rejects.toMatchObject({
    data: { code: 'CONFLICT' },
  })
  const { id } = await request()
  expect(await client.quarantine.release.mutate({ quarantineId: id })).toMatchObject({ status: 'rejected' })
  expect((await client.quarantine.list.query({ projectId, testId })).pagination.total).toBe(2)
})

test.each([
  [{ days: 91 }, 'days: must be at most 90'],
  [{ reason: ' ' }, 'reason: must not be empty'],
  [{ issueUrl: 'javascript:alert(1)' }, 'issueUrl: must be an address'],
  [{ mode: 'deleted' }, 'mode: must be one of muted, skipped'],
])('refuses %j', async (more, message) => {
  const { request } = await createQuarantineScene()
  await expect(request(more)).rejects.toThrow(message)
})

test('a project can let members grant', async () => {
  const { id: organizationId } = await createOrganizationFor(app)
  const project = await createProjectFor(app, { organizationId })
  const user = await createUser(app)
  await createMembershipFor(app, { organizationId, user, role: 'member' })
  const member = app.client(await createTokenFor(app, { user }))
  const admin = await createUser(app)
  await createMembershipFor(app, { organizationId, user: admin, role: 'admin' })
  const { id } = await createQuarantineFor(app, { projectId: project.id })
  await expect(member.quarantine.grant.mutate({ quarantineId: id })).rejects.toMatchObject({
    data: { code: 'FORBIDDEN' },
  })
  const policy = { projectId: project.id, quarantine: { grantedBy: 'member' as const } }
  await app.client(await createTokenFor(app, { user: admin })).tests.updatePolicy.mutate(policy)
  expect(await member.quarantine.grant.mutate({ quarantineId: id })).toMatchObject({ status: 'active' })
})

test('a quarantine whose time is up has expired for everybody, also before the job that ends it', async () => {
  const { client, request, get, upload, projectId } = await createQuarantineScene()
  const { id } = await request()
  await client.quarantine.grant.mutate({ quarantineId: id })
  await app.dataSource.query(`UPDATE quarantines SET expires_at = now() - interval '1 minute' WHERE id = $1`, [id])
  const { quarantines, quarantine } = await get('adds')
  expect(quarantine).toBeNull()
  expect(quarantines).toMatchObject([{ status: 'expired', endedAt: quarantines[0]?.expiresAt }])
  const listed = async (status: 'active' | 'expired') =>
    (await client.quarantine.list.query({ projectId, status })).quarantines.map((each) => each.id)
  expect([await listed('active'), await listed('expired')]).toEqual([[], [id]])
  expect((await client.tests.list.query({ projectId })).quarantined).toBe(0)
  await expect(client.quarantine.grant.mutate({ quarantineId: id })).rejects.toThrow('This quarantine is expired.')
  expect(await client.quarantine.release.mutate({ quarantineId: id })).toMatchObject({ status: 'expired' })
  expect((await upload({ tests: { adds: failing() } })).status).toBe('FAILED')
})

test('a quarantine whose time is up does not stand in the way of another one', async () => {
  const { client, request, projectId, testId, upload, get } = await createQuarantineScene()
  await upload({ tests: { renamed: failing(), other: 'passed' }, hoursAgo: 1 })
  const { testId: into } = await get('renamed')
  const end = (id: string) =>
    app.dataSource.query(`UPDATE quarantines SET expires_at = now() - interval '1 minute' WHERE id = $1`, [id])
  const granted = async (more: object = {}) => {
    const { id } = await request(more)
    return (await client.quarantine.grant.mutate({ quarantineId: id })).id
  }
  const first = await granted()
  await end(first)
  const second = await granted()
  const { quarantines } = await client.quarantine.list.query({ projectId })
  expect(quarantines).toMatchObject([
    { id: second, status: 'active' },
    { id: first, status: 'expired' },
  ])
  await end(await granted({ testId: into }))
  await client.tests.merge.mutate({ projectId, from: testId, into })
  expect((await client.tests.get.query({ projectId, testId: into })).quarantine).toMatchObject({ id: second })
})

test('the end of a quarantine is announced before, and when its time is up', async () => {
  const { client, request, projectId } = await createQuarantineScene()
  const { id } = await request({ days: 5 })
  await client.quarantine.grant.mutate({ quarantineId: id })
  const after = async (days: number) => {
    const signal = new AbortController().signal
    const ctx = contextOfSystem(app.services, app.dataSource.manager, { requestId: 'test', signal })
    await expireQuarantines({ ...ctx, now: () => new Date(Date.now() + days * day) })
    const events = await app.dataSource.query<{ envelope: string }[]>(
      `SELECT envelope FROM events WHERE project_id = $1 AND type = 'quarantine.expiring' ORDER BY id`,
      [projectId],
    )
    return events.map(({ envelope }) => (JSON.parse(envelope) as { data: { status: string } }).data.status)
  }
  expect(await after(1)).toEqual([])
  expect(await after(3)).toEqual(['active'])
  expect(await after(3)).toEqual(['active'])
  expect(await after(6)).toEqual(['active', 'expired'])
  expect((await client.quarantine.list.query({ projectId })).quarantines).toMatchObject([{ status: 'expired' }])
})
