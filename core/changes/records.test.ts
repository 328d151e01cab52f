import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inTransaction } from '../base/context.ts'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createProjectFor, createTokenFor, createUser } from '../testing/factories.ts'
import { createChangeFor } from './testing.ts'
import { ChangeEntity } from './entity.ts'
import { beginAttempt } from '../verdicts/state.ts'
import { endChange } from './state.ts'
import { changeJob } from './work/job.ts'

/** A web process: it accepts changes and works on none. */
let app: TestApp
let client: ReturnType<TestApp['client']>
let projectId: string
beforeAll(async () => {
  app = await createTestApp({ role: 'web' })
  const user = await createUser(app)
  projectId = (await createProjectFor(app, { user, branch: 'trunk' })).id
  client = app.client(await createTokenFor(app, { user }))
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

const end = (...[row, how]: [Parameters<typeof endChange>[1], Parameters<typeof endChange>[2]]) =>
  inTransaction(ctx(), (tx) => endChange(tx, row, how))

const side = {
  commitSha: 'a'.repeat(40),
  outcome: 'passed',
  totalTests: 1,
  failedTests: 0,
  problem: null,
  durationMs: 1,
  cached: false,
} as const
const evidence = {
  reason: 'fails_without_the_change',
  summary: 'One test fails without it.',
  missing: [],
  base: side,
  head: side,
  files: { code: 1, tests: 1, other: 0 },
  counts: {
    fails_to_passes: 0,
    passes_to_passes: 0,
    broken: 0,
    fails_both: 0,
    new_passing: 1,
    new_failing: 0,
    gone: 0,
    flaky: 0,
  },
  tests: [],
  patch: null,
  mutation: null,
  notRun: [],
  command: null,
  output: '',
  warnings: [],
  durationMs: 1,
}
const verdict = { status: 'completed', verdict: 'proved', evidence } as const

test('a new change is queued with its head and its defaults', async () => {
  const change = await client.changes.verify.mutate({ projectId })
  expect(change).toMatchObject({
    projectId,
    status: 'pending',
    base: null,
    head: 'trunk',
    snapshotId: null,
    intent: 'change',
    verdict: null,
    isProvisional: false,
    completedAt: null,
  })
  expect(await client.changes.get.query({ changeId: change.id })).toEqual(change)
  const commit = 'a'.repeat(40)
  const other = await client.changes.verify.mutate({ projectId, head: commit, base: 'HEAD~2', expect: 'same' })
  expect(other).toMatchObject({ head: commit, base: 'HEAD~2', intent: 'same' })
})

test.each([
  [{ base: '--output=x' }, 'base'],
  [{ base: 'main..topic' }, 'base'],
  [{ base: '' }, 'base'],
  [{ head: '-x' }, 'head'],
  [{ head: 'main', snapshotId: 'x' }, 'snapshotId'],
  [{ repeats: 0 }, 'repeats'],
  [{ mutants: 101 }, 'mutants'],
  [{ budgetSeconds: 1 }, 'budgetSeconds'],
  [{ expect: 'nothing' }, 'expect'],
  [{ path: 'x' }, 'path'],
])('rejects %j and names the field', async (input, field) => {
  const call = client.changes.verify.mutate({ projectId, ...(input as object) })
  await expect(call).rejects.toMatchObject({
    data: { code: 'BAD_REQUEST' },
    message: expect.stringContaining(field),
  })
})

test('a change of another user does not exist', async () => {
  const { id: changeId } = await createChangeFor(app)
  for (const call of [
    () => client.changes.get.query({ changeId }),
    () => client.changes.cancel.mutate({ changeId }),
    () => client.changes.get.query({ changeId: 'nothing' }),
  ]) {
    await expect(call()).rejects.toMatchObject({ data: { code: 'NOT_FOUND' } })
  }
})

test('reading requires tests:read, and starting and cancelling tests:run', async () => {
  const user = await createUser(app)
  const { id } = await createProjectFor(app, { user })
  const reader = app.client(await createTokenFor(app, { user, scopes: ['tests:read'] }))
  const { id: changeId } = await createChangeFor(app, { projectId: id })
  expect(await reader.changes.list.query({ projectId: id })).toMatchObject({ changes: [{ id: changeId }] })
  for (const call of [
    () => reader.changes.verify.mutate({ projectId: id }),
    () => reader.changes.cancel.mutate({ changeId }),
  ]) {
    await expect(call()).rejects.toMatchObject({ data: { code: 'FORBIDDEN' } })
  }
})

test('lists the newest changes first, without evidence, by verdict and status', async () => {
  const user = await createUser(app)
  const { id: own } = await createProjectFor(app, { user })
  const owner = app.client(await createTokenFor(app, { user }))
  const done = await createChangeFor(app, { projectId: own, ...verdict, completedAt: new Date() })
  const waiting = await createChangeFor(app, { projectId: own })
  const all = await owner.changes.list.query({ projectId: own })
  expect(all.changes.map(({ id }) => id)).toEqual([waiting.id, done.id])
  expect(all.changes[1]).toMatchObject({ reason: 'fails_without_the_change', summary: 'One test fails without it.' })
  expect(all.changes[1]).not.toHaveProperty('evidence')
  expect(await owner.changes.list.query({ projectId: own, verdict: 'proved' })).toMatchObject({
    pagination: { total: 1 },
  })
  expect(await owner.changes.list.query({ projectId: own, status: 'failed' })).toMatchObject({ changes: [] })
})

test('a call waits for the first verdict, which may be provisional, or for the final one', async () => {
  const changes = app.dataSource.getRepository(ChangeEntity)
  const { id: changeId } = await createChangeFor(app, { projectId, status: 'running', attempt: 1 })
  const first = client.changes.get.query({ changeId, waitSeconds: 45 })
  const last = client.changes.get.query({ changeId, waitSeconds: 45, final: true })
  await changes.update({ id: changeId }, { verdict: 'unproved', evidence })
  expect(await first).toMatchObject({ status: 'running', verdict: 'unproved', isProvisional: true })
  await end({ id: changeId, attempt: 1 }, { ...verdict })
  expect(await last).toMatchObject({ status: 'completed', verdict: 'proved', isProvisional: false })
})

test('a final verdict is announced once, only to webhooks that subscribe to it', async () => {
  const url = 'http://127.0.0.1:1/'
  const subscribe = (events: ('change.verified' | 'test_run.completed')[]) =>
    client.webhooks.create.mutate({ url, events, projectId })
  const { webhook } = await subscribe(['change.verified'])
  await subscribe(['test_run.completed'])
  const running = { projectId, status: 'running', attempt: 2 } as const
  const change = await createChangeFor(app, { ...running, headSha: 'b'.repeat(40) })
  const failed = await createChangeFor(app, running)
  expect(await end({ id: change.id, attempt: 1 }, verdict)).toBeUndefined()
  expect(await end(change, verdict)).toMatchObject(verdict)
  expect(await end(change, verdict)).toBeUndefined()
  await end(failed, { status: 'failed', error: { code: 'internal', message: 'x' } })
  const deliveries = await app.dataSource.query('SELECT webhook_id, body::json AS body FROM webhook_deliveries')
  expect(deliveries).toMatchObject([
    {
      webhook_id: webhook.id,
      body: { event: 'change.verified', data: { id: change.id, verdict: 'proved', headSha: 'b'.repeat(40) } },
    },
  ])
})

const provisional = { status: 'running', attempt: 1, verdict: 'proved', evidence } as const
const none = { verdict: null, isProvisional: false, evidence: null }

test('a change that ends without a final verdict loses its provisional one, and is not announced', async () => {
  const { id: changeId } = await createChangeFor(app, { projectId, ...provisional })
  const cancelled = await client.changes.cancel.mutate({ changeId })
  expect(cancelled).toMatchObject({ status: 'cancelled', ...none })
  expect(await client.changes.cancel.mutate({ changeId })).toEqual(cancelled)
  const failed = await createChangeFor(app, { projectId, ...provisional })
  await end(failed, { status: 'failed', error: { code: 'interrupted', message: 'x' } })
  expect(await client.changes.get.query({ changeId: failed.id })).toMatchObject({ status: 'failed', ...none })
})

test('evidence from before branches were counted can be read', async () => {
  const patch = { lines: 2, coveredLines: 2, partialLines: 1, percent: 100, uncovered: [], unmeasured: [] }
  const old = { ...evidence, patch } as unknown as typeof evidence
  const { id: changeId } = await createChangeFor(app, { projectId, ...verdict, evidence: old, completedAt: new Date() })
  const { evidence: read } = await client.changes.get.query({ changeId })
  expect(read?.patch).toEqual({ ...patch, branches: 0, coveredBranches: 0, partial: [] })
})

test('a change whose worker stopped in every attempt leaves no folder', async () => {
  const { id: changeId } = await createChangeFor(app, { projectId, ...provisional, attempt: 3 })
  const folder = join(app.config.dataDir, 'changes')
  await mkdir(join(folder, `${changeId}.3`, 'head'), { recursive: true })
  const job = changeJob(app.services, app.dataSource, () => Promise.reject(new Error('not needed')))
  await job.onExhausted({ changeId })
  expect(await client.changes.get.query({ changeId })).toMatchObject({
    status: 'failed',
    error: { code: 'interrupted', message: expect.stringContaining('stopped unexpectedly 3 times') },
  })
  expect(await readdir(folder)).toEqual([])
})

test('a new attempt begins without the provisional verdict of the one before', async () => {
  const progress = { phase: 'mutating', done: 1, total: 2 } as const
  const { id: changeId } = await createChangeFor(app, { projectId, ...provisional, progress })
  const again = await beginAttempt(ctx(), ChangeEntity, changeId)
  expect(again?.row).toMatchObject({ attempt: 2, progress: null, verdict: null, evidence: null })
  expect(await client.changes.get.query({ changeId })).toMatchObject({ status: 'running', progress: null, ...none })
})

test('a project has at most 100 queued changes, and takes them along when it is deleted', async () => {
  const user = await createUser(app)
  const { id } = await createProjectFor(app, { user })
  const owner = app.client(await createTokenFor(app, { user }))
  for (let count = 0; count < 100; count++) await createChangeFor(app, { projectId: id })
  await expect(owner.changes.verify.mutate({ projectId: id })).rejects.toMatchObject({ data: { code: 'CONFLICT' } })
  await owner.projects.deleteProject.mutate({ projectId: id })
  expect(await app.dataSource.getRepository(ChangeEntity).countBy({ projectId: id })).toBe(0)
})
