import { afterAll, beforeAll, expect, test } from 'vitest'
import type { StrengthEvidence } from '../../engines/strength/schema.ts'
import { inTransaction } from '../base/context.ts'
import { newId } from '../base/ids.ts'
import type { UserRow } from '../identity/users/entity.ts'
import type { SnapshotRow } from '../snapshots/entity.ts'
import { createSnapshotFor } from '../snapshots/testing.ts'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createProjectFor, createTokenFor, createUser } from '../testing/factories.ts'
import { MeasurementEntity } from './entity.ts'
import { endMeasurement } from './state.ts'
import { createMeasurementFor } from './testing.ts'

/** A web process: it accepts measurements and works on none. */
let app: TestApp
let client: ReturnType<TestApp['client']>
let token: string
let projectId: string
let user: UserRow
beforeAll(async () => {
  app = await createTestApp({ role: 'web' })
  user = await createUser(app)
  projectId = (await createProjectFor(app, { user, branch: 'trunk' })).id
  token = await createTokenFor(app, { user })
  client = app.client(token)
})
afterAll(() => app[Symbol.asyncDispose]())

const ctx = () => ({
  ...app.services,
  db: app.dataSource.manager,
  actor: { kind: 'system' as const },
  client: { ipAddress: null, userAgent: null },
  requestId: 'test',
  forgetSession: () => {},
  signal: new AbortController().signal,
})

const end = (...[row, how]: [Parameters<typeof endMeasurement>[1], Parameters<typeof endMeasurement>[2]]) =>
  inTransaction(ctx(), (tx) => endMeasurement(tx, row, how))

const counts = { found: 12, reached: 10, tried: 8, noticed: 6, timedOut: 1, survived: 2 }
const strength = { percent: 75, interval: [50, 90] as [number, number] }
const evidence: StrengthEvidence = {
  reason: 'budget_used',
  summary: 'Tests notice 6 of 8 small changes.',
  ...counts,
  strength,
  kept: 0,
  files: [],
  folders: [],
  survivors: [],
  survivorsLeftOut: 0,
  unreached: { changes: 0, lines: 0, files: [] },
  sample: { tried: 0, disagreed: 0 },
  tests: { run: 3, failing: 0, kept: 0, failingTests: [] },
  warnings: [],
  durationMs: 1,
}
const partial = { status: 'completed', verdict: 'partial', evidence } as const
const running = { status: 'running', attempt: 1 } as const

test('a new measurement is queued, by REST as by RPC', async () => {
  const own = { method: 'POST', token, headers: { 'content-type': 'application/json' } }
  const body = JSON.stringify({ paths: ['src'], since: 'main', budgetSeconds: 60 })
  const response = await app.fetch(`/api/v1/projects/${projectId}/strength`, { ...own, body })
  expect(response.status).toBe(202)
  const started = (await response.json()) as { id: string }
  expect(started).toMatchObject({
    projectId,
    status: 'pending',
    branch: 'trunk',
    commitSha: null,
    paths: ['src'],
    since: 'main',
    budgetSeconds: 60,
    verdict: null,
    isProvisional: false,
  })
  expect(await client.strength.get.query({ measurementId: started.id })).toEqual(started)
  const shown = await app.fetch(`/api/v1/strength/${started.id}`, { token })
  expect([shown.status, await shown.json()]).toEqual([200, started])
})

test('a call by REST waits for the end', async () => {
  const row = await createMeasurementFor(app, { projectId, ...running })
  const waiting = app.fetch(`/api/v1/strength/${row.id}?waitSeconds=45`, { token })
  await end(row, partial)
  expect(await (await waiting).json()).toMatchObject({
    status: 'completed',
    verdict: 'partial',
    evidence: { strength },
  })
})

test('a call that waits for survivors returns while the measurement runs', async () => {
  const { id: measurementId } = await createMeasurementFor(app, { projectId, ...running })
  const get = (survivorsAfter: number, waitSeconds: number) =>
    client.strength.get.query({ measurementId, waitSeconds, survivorsAfter })
  const waiting = get(1, 45)
  const publish = (survived: number) =>
    app.dataSource
      .getRepository(MeasurementEntity)
      .update({ id: measurementId }, { verdict: 'partial', evidence: { ...evidence, survived } })
  await publish(1)
  await publish(2)
  expect(await waiting).toMatchObject({ status: 'running', isProvisional: true, evidence: { survived: 2 } })
  expect(await get(1, 45)).toMatchObject({ status: 'running', evidence: { survived: 2 } })
  expect(await get(2, 1)).toMatchObject({ status: 'running' })
  const path = `/api/v1/strength/${measurementId}?waitSeconds=45&survivorsAfter=`
  expect(await (await app.fetch(`${path}1`, { token })).json()).toMatchObject({ status: 'running' })
  expect((await app.fetch(`${path}x`, { token })).status).toBe(400)
})

test('a measurement is compared with the last one of the same code, tests and branch', async () => {
  const { id } = await createProjectFor(app, { user })
  const at = (minute: number) => new Date(Date.UTC(2030, 0, 1, 0, minute))
  const measured = (minute: number, percent: number, fields: object = {}) =>
    createMeasurementFor(app, {
      projectId: id,
      id: newId(at(minute)),
      status: 'completed',
      verdict: 'measured',
      evidence: { ...evidence, strength: { percent, interval: [percent, percent] } },
      completedAt: at(minute),
      ...fields,
    })
  const first = await measured(1, 70.2)
  await measured(2, 10, { paths: ['src'] })
  await measured(3, 20, { since: 'main' })
  await measured(4, 30, { branch: 'other' })
  await measured(5, 40, { snapshotId: 'x' })
  await measured(6, 50, { evidence: { ...evidence, strength: null } })
  await measured(7, 60, { status: 'cancelled' })
  const last = await measured(8, 75)
  const previous = {
    id: first.id,
    commitSha: null,
    completedAt: at(1).toISOString(),
    percent: 70.2,
    interval: [70.2, 70.2],
    change: 4.8,
  }
  expect(await client.strength.get.query({ measurementId: last.id })).toMatchObject({ previous })
  const { measurements } = await client.strength.list.query({ projectId: id })
  expect(measurements[0]).toMatchObject({ id: last.id, previous, summary: evidence.summary, survived: 2 })
  expect(measurements.slice(1).map((one) => one.previous)).toEqual(measurements.slice(1).map(() => null))
})

test('a snapshot is compared with snapshots of its sender on the same commit, or else with this commit or its branch', async () => {
  const { id } = await createProjectFor(app, { user })
  const [base, otherBase] = ['a'.repeat(40), 'b'.repeat(40)]
  const at = (minute: number) => new Date(Date.UTC(2031, 0, 1, 0, minute))
  const sent = (fields: Partial<SnapshotRow> = {}) =>
    createSnapshotFor(app, { projectId: id, userId: user.id, baseSha: base, branch: 'work', ...fields })
  const measured = (minute: number, fields: object) =>
    createMeasurementFor(app, {
      projectId: id,
      id: newId(at(minute)),
      status: 'completed',
      verdict: 'measured',
      evidence: { ...evidence, strength: { percent: minute, interval: [minute, minute] } },
      completedAt: at(minute),
      branch: null,
      ...fields,
    })
  const previousOf = async ({ id }: { id: string }) =>
    (await client.strength.get.query({ measurementId: id })).previous?.percent ?? null
  const ofSnapshot = async (minute: number, fields: Partial<SnapshotRow> = {}, others: object = {}) =>
    measured(minute, { snapshotId: (await sent(fields)).id, ...others })

  expect(await previousOf(await ofSnapshot(1))).toBeNull()
  await measured(2, { branch: 'work', commitSha: otherBase })
  // Nothing is known of the commit of this one, only of its branch.
  expect(await previousOf(await ofSnapshot(3, { baseSha: 'c'.repeat(40) }))).toBe(2)
  expect(
    await previousOf(await ofSnapshot(4, { baseSha: 'c'.repeat(40), branch: 'elsewhere', userId: newId(new Date()) })),
  ).toBeNull()
  await measured(5, { branch: 'main', commitSha: base })
  await measured(6, { branch: 'main', commitSha: base, paths: ['src'] })
  const stranger = await createUser(app)
  expect(await previousOf(await ofSnapshot(7, { userId: stranger.id }))).toBe(5)
  const next = await ofSnapshot(8)
  expect(await previousOf(next)).toBe(1)
  expect(await previousOf(await ofSnapshot(9))).toBe(8)
  expect(await previousOf(await ofSnapshot(10, {}, { paths: ['src'] }))).toBe(6)
  expect(await previousOf(await ofSnapshot(11, {}, { since: 'main' }))).toBeNull()
  // A commit is not compared with working trees.
  expect(await previousOf(await measured(12, { branch: 'main', commitSha: base }))).toBe(5)
})

test('no difference is named where the intervals overlap', async () => {
  const { id } = await createProjectFor(app, { user })
  const measured = (minute: number, strength: StrengthEvidence['strength']) => {
    const at = new Date(Date.UTC(2032, 0, 1, 0, minute))
    const found = {
      status: 'completed',
      verdict: 'partial',
      evidence: { ...evidence, strength },
      completedAt: at,
    } as const
    return createMeasurementFor(app, { projectId: id, id: newId(at), ...found })
  }
  await measured(1, { percent: 75, interval: [0.5, 99.8] })
  const last = await measured(2, { percent: 49.2, interval: [49.2, 49.2] })
  expect(await client.strength.get.query({ measurementId: last.id })).toMatchObject({
    previous: { percent: 75, interval: [0.5, 99.8], change: null },
  })
})

test('a measurement that was stored without columns and unreached lines can be read', async () => {
  const survivor = {
    path: 'src/price.js',
    line: 2,
    operator: 'boundary',
    original: 'a < b',
    replacement: 'a <= b',
    symbol: null,
    case: null,
    nearestTest: null,
    tests: 1,
    advice: 'Assert it.',
  }
  const { survivorsLeftOut: _, unreached: __, ...older } = evidence
  const { id } = await createMeasurementFor(app, { projectId, ...partial, completedAt: new Date() })
  const stored = JSON.stringify({ ...older, survivors: [survivor] })
  await app.dataSource.query('UPDATE strength_measurements SET evidence = $2 WHERE id = $1', [id, stored])
  expect(await client.strength.get.query({ measurementId: id })).toMatchObject({
    evidence: {
      survivors: [{ ...survivor, column: null, context: null }],
      survivorsLeftOut: 0,
      unreached: { changes: 0, lines: 0, files: [] },
    },
  })
  const shown = await app.fetch(`/api/v1/strength/${id}`, { token })
  expect(await shown.json()).toMatchObject({ evidence: { survivors: [{ line: 2, column: null }] } })
})

test('reading requires tests:read, and starting and cancelling tests:run', async () => {
  const user = await createUser(app)
  const { id } = await createProjectFor(app, { user })
  const readerToken = await createTokenFor(app, { user, scopes: ['tests:read'] })
  const reader = app.client(readerToken)
  const { id: measurementId } = await createMeasurementFor(app, { projectId: id })
  expect(await reader.strength.list.query({ projectId: id })).toMatchObject({ measurements: [{ id: measurementId }] })
  expect((await app.fetch(`/api/v1/strength/${measurementId}`, { token: readerToken })).status).toBe(200)
  const posted = await app.fetch(`/api/v1/projects/${id}/strength`, { method: 'POST', token: readerToken })
  expect(posted.status).toBe(403)
  for (const call of [
    () => reader.strength.measure.mutate({ projectId: id }),
    () => reader.strength.cancel.mutate({ measurementId }),
  ]) {
    await expect(call()).rejects.toMatchObject({ data: { code: 'FORBIDDEN' } })
  }
})

test('a measurement that completes is announced once, only to webhooks that subscribe to it', async () => {
  const url = 'http://127.0.0.1:1/'
  const subscribe = (events: ('strength.measured' | 'test_run.completed')[]) =>
    client.webhooks.create.mutate({ url, events, projectId })
  const { webhook } = await subscribe(['strength.measured'])
  await subscribe(['test_run.completed'])
  const measurement = await createMeasurementFor(app, { projectId, ...running, attempt: 2, since: 'main' })
  const failed = await createMeasurementFor(app, { projectId, ...running })
  const cancelled = await createMeasurementFor(app, { projectId, ...running, verdict: 'partial', evidence })
  expect(await end({ id: measurement.id, attempt: 1 }, partial)).toBeUndefined()
  expect(await end(measurement, partial)).toMatchObject(partial)
  expect(await end(measurement, partial)).toBeUndefined()
  await end(failed, { status: 'failed', error: { code: 'internal', message: 'x' } })
  // It keeps what it has found, but did not complete.
  expect(await client.strength.cancel.mutate({ measurementId: cancelled.id })).toMatchObject({
    status: 'cancelled',
    verdict: 'partial',
    evidence: {
      strength,
      reason: 'cancelled',
      summary: expect.stringMatching(
        /^Tests notice 6 of 8 .* 2 more were not tried\..* The measurement was cancelled\.$/,
      ),
    },
  })
  const { timedOut: _, found: __, ...announced } = counts
  const deliveries = await app.dataSource.query('SELECT webhook_id, body::json AS body FROM webhook_deliveries')
  expect(deliveries).toEqual([
    {
      webhook_id: webhook.id,
      body: expect.objectContaining({
        event: 'strength.measured',
        data: {
          id: measurement.id,
          projectId,
          url: `${app.config.baseUrl}/projects/${projectId}/strength/${measurement.id}`,
          branch: 'main',
          commitSha: null,
          snapshotId: null,
          paths: [],
          since: 'main',
          verdict: 'partial',
          reason: 'budget_used',
          summary: evidence.summary,
          strength,
          ...announced,
          createdAt: expect.any(String),
          completedAt: expect.any(String),
        },
      }),
    },
  ])
})

test('a project has at most 20 queued measurements, and takes them along when it is deleted', async () => {
  const user = await createUser(app)
  const { id } = await createProjectFor(app, { user })
  const owner = app.client(await createTokenFor(app, { user }))
  for (let count = 0; count < 20; count++) await createMeasurementFor(app, { projectId: id })
  await expect(owner.strength.measure.mutate({ projectId: id })).rejects.toMatchObject({ data: { code: 'CONFLICT' } })
  await owner.projects.deleteProject.mutate({ projectId: id })
  const [left] = await app.dataSource.query(
    'SELECT count(*)::int AS count FROM strength_measurements WHERE project_id = $1',
    [id],
  )
  expect(left).toEqual({ count: 0 })
})
