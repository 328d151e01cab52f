import pg from 'pg'
import type { QueryRunner } from 'typeorm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDataSource } from '../../ormconfig.ts'
import { asAppError } from '../base/errors.ts'
import { poolOf } from '../base/pool.ts'
import { databaseTimeouts, poolSizes } from '../database.ts'
import { deliver, pushPayload } from '../inbound/testing.ts'
import { migrate } from '../migrate.ts'
import { announceProject } from '../projects/announce.ts'
import { ProjectEntity } from '../projects/entity.ts'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { contextFor } from '../testing/context.ts'
import {
  createPasswordFor,
  createProjectFor,
  createSessionFor,
  createTokenFor,
  createUser,
} from '../testing/factories.ts'
import { httpReceiver } from '../testing/receiver.ts'
import { createWebhookFor } from '../webhooks/testing.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp({ logLevel: 'warn' })))
afterAll(() => app[Symbol.asyncDispose]())

/** Holds every connection for requests until it is disposed. */
async function takeConnections(): Promise<AsyncDisposable> {
  const count = poolSizes(app.config).requests
  const runners: QueryRunner[] = Array.from({ length: count }, () => app.dataSource.createQueryRunner())
  await Promise.all(runners.map((runner) => runner.connect()))
  return {
    async [Symbol.asyncDispose]() {
      for (const runner of runners) await runner.release()
    },
  }
}

/** Holds every connection, and fills the queue of waiting requests. */
async function overload(): Promise<AsyncDisposable> {
  const taken = await takeConnections()
  const waiting = Array.from({ length: 20 * poolSizes(app.config).requests }, () => app.dataSource.query('SELECT 1'))
  return {
    async [Symbol.asyncDispose]() {
      await taken[Symbol.asyncDispose]()
      await Promise.all(waiting)
    },
  }
}

const post = (body: unknown, headers: Record<string, string> = {}) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})

test('every call of users answers 503 with Retry-After at once while the server is overloaded', async () => {
  const user = await createUser(app)
  const token = await createTokenFor(app, { user })
  const { id: projectId } = await createProjectFor(app, { user })
  const form = new FormData()
  form.set('reports', new File(['<testsuites/>'], 'junit.xml'))
  const requests: [string, Parameters<TestApp['fetch']>[1]][] = [
    ['/api/v1/projects', { token }],
    [`/api/ci/trigger/${projectId}`, { token, ...post({ branch: 'main' }) }],
    [`/api/ci/upload/${projectId}`, { token, method: 'POST', body: form }],
    [`/api/test-runs/${projectId}/events`, { token }],
    [`/files/${projectId}/${projectId}/log.txt`, { token }],
    ['/trpc/projects.updateProject', { token, ...post({ projectId, description: 'changed' }) }],
    ['/trpc/projects.getProject,auth.getProfile?batch=1', { token, ...post({ 0: { projectId }, 1: {} }) }],
    [
      '/trpc/projects.getProject,auth.getProfile?batch=1',
      { token, ...post({ 0: { projectId } }, { 'trpc-accept': 'application/jsonl' }) },
    ],
    ['/view/some-token/index.html', {}],
  ]
  await using _overloaded = await overload()
  for (const [path, init] of requests) {
    const response = await app.fetch(path, init)
    const body = await response.text()
    expect([path, response.status, response.headers.get('retry-after')]).toEqual([path, 503, '2'])
    expect(body).toContain('The server is overloaded. Try again in 2 s.')
    if (path.startsWith('/api/')) expect(JSON.parse(body)).toMatchObject({ code: 'UNAVAILABLE', retryAfter: 2 })
    if (path === '/trpc/projects.updateProject') {
      expect(JSON.parse(body)).toMatchObject({ code: 'SERVICE_UNAVAILABLE', data: { httpStatus: 503, retryAfter: 2 } })
    }
  }
  const warnings = app.logLines.filter((line) => line.includes('requests are refused'))
  expect(warnings).toHaveLength(1)
  expect(app.logLines.filter((line) => line.includes('failed'))).toEqual([])
})

test('sign-in and sessions do not wait for requests', async () => {
  const user = await createPasswordFor(app, 'a long password')
  const { cookie } = await createSessionFor(app, user)
  const signIn = (password: string) => app.fetch('/api/auth/sign-in/email', post({ email: user.email, password }))
  await using _overloaded = await overload()
  expect((await signIn('a long password')).status).toBe(200)
  expect((await signIn('a wrong password')).status).toBe(401)
  for (const path of ['/', '/api/auth/get-session', '/api/auth/list-sessions']) {
    expect([path, (await app.fetch(path, { cookie })).status]).toEqual([path, 200])
  }
})

test('a statement, a lock or an idle transaction of a request that takes too long ends with 503', async () => {
  const user = await createUser(app)
  const token = await createTokenFor(app, { user })
  const { id: projectId } = await createProjectFor(app, { user })
  const failureOf = (work: Promise<unknown>) => work.then(() => undefined, asAppError)
  const { requests } = app.services.databases
  const slow = requests.transaction(async (tx) => {
    await tx.query("SET LOCAL statement_timeout = '50ms'")
    await tx.query('SELECT pg_sleep(60)')
  })
  const stopped = await failureOf(slow)
  expect(stopped).toMatchObject({ code: 'UNAVAILABLE', retryAfter: 5, message: expect.stringContaining('in time') })
  const idle = requests.transaction(async (tx) => {
    await tx.query("SET LOCAL idle_in_transaction_session_timeout = '50ms'")
    await new Promise((resolve) => setTimeout(resolve, 500))
    await tx.query('SELECT 1')
  })
  expect(await failureOf(idle)).toMatchObject({ code: 'UNAVAILABLE', retryAfter: 5 })

  const holder = app.dataSource.createQueryRunner()
  await holder.startTransaction()
  await holder.query('SELECT FROM projects WHERE id = $1 FOR UPDATE', [projectId])
  const update = post({ projectId, description: 'changed' })
  const locked = await app.fetch('/trpc/projects.updateProject', { token, ...update })
  await holder.rollbackTransaction()
  await holder.release()
  expect([locked.status, locked.headers.get('retry-after')]).toEqual([503, '2'])
  expect(await locked.json()).toMatchObject({ message: expect.stringContaining('Another call is changing') })
})

test('every pool has the timeouts of its kind of work, and migrations have none', async () => {
  for (const [name, { statement, lock, idleInTransaction }] of Object.entries(databaseTimeouts)) {
    const db = app.services.databases[name as keyof typeof databaseTimeouts]
    const [shown] = await db.query(
      `SELECT ${['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']
        .map((setting, index) => `extract(epoch FROM current_setting('${setting}')::interval) * 1000 AS "${index}"`)
        .join(', ')}`,
    )
    expect([name, ...Object.values<string>(shown).map(Number)]).toEqual([name, statement, lock, idleInTransaction])
  }
  const requests = createDataSource({
    url: app.config.databaseUrl,
    poolSize: 1,
    timeouts: { statement: 200, lock: 200, idleInTransaction: 200 },
    onPoolError: () => {},
  })
  await requests.initialize()
  await migrate(requests)
  const refused = requests.query('SELECT pg_sleep(10)').then(() => undefined, asAppError)
  expect(await refused).toMatchObject({ code: 'UNAVAILABLE' })
  await requests.destroy()
})

test('deliveries in both directions, the job queue and /health do not wait for requests', async () => {
  const user = await createUser(app)
  const token = await createTokenFor(app, { user })
  const project = await createProjectFor(app, { user })
  const { secret, url } = await app.client(token).projects.rotateInboundSecret.mutate({ projectId: project.id })
  const arrived = Promise.withResolvers<string>()
  await using receiver = await httpReceiver((req, res) => {
    res.end()
    arrived.resolve(String(req.headers['x-svc-event']))
  })
  await createWebhookFor(app, {
    userId: user.id,
    projectId: project.id,
    url: receiver.url,
    events: ['project.updated'],
  })
  await using other = await createDataSource({ url: app.config.databaseUrl, poolSize: 1, onPoolError: () => {} })
    .initialize()
    .then((db) => ({ db, [Symbol.asyncDispose]: () => db.destroy() }))

  await using _taken = await takeConnections()
  const received = await deliver(app, new URL(url).pathname, { secret, event: 'push', payload: pushPayload() })
  expect(received.status).toBe(200)
  await other.db.transaction((db) => announceProject({ ...contextFor(app), db }, 'project.updated', project))
  expect(await arrived.promise).toBe('project.updated')
  await expect
    .poll(() => other.db.query("SELECT FROM inbound_deliveries WHERE status = 'processed' OR status = 'ignored'"))
    .toHaveLength(1)
  expect((await app.fetch('/health')).status).toBe(200)
})

test('a request whose connection Postgres ends answers 503, and the next one succeeds', async () => {
  const user = await createUser(app)
  const token = await createTokenFor(app, { user })
  const { id: projectId } = await createProjectFor(app, { user })
  const holder = app.dataSource.createQueryRunner()
  await holder.startTransaction()
  await holder.query('SELECT FROM projects WHERE id = $1 FOR UPDATE', [projectId])
  const update = () =>
    app.fetch('/trpc/projects.updateProject', { token, ...post({ projectId, description: 'changed' }) })
  const waiting = update()
  await expect
    .poll(() =>
      app.dataSource.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
      ),
    )
    .toHaveLength(1)
  await holder.rollbackTransaction()
  await holder.release()
  const response = await waiting
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
  expect(await response.json()).toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: 'The server cannot reach its database right now. Try again in 5 s.',
  })
  expect((await update()).status).toBe(200)
  expect(await app.dataSource.getRepository(ProjectEntity).findOneBy({ id: projectId })).toMatchObject({
    description: 'changed',
  })
})

test('a connection timeout and every refusal of Postgres count as an outage, not a defect', async () => {
  const url = app.config.databaseUrl
  const impatient = new pg.Pool({ connectionString: url, max: 1 })
  const client = await impatient.connect()
  impatient.options.connectionTimeoutMillis = 20
  const tooLate: unknown = await impatient.connect().catch((error: unknown) => error)
  client.release()
  await impatient.end()
  const refusals = ['53300', '57P03', '57P01', '08006'].map((code) =>
    Object.assign(new pg.DatabaseError('refused', 1, 'error'), { code }),
  )
  const unreachable: unknown = await new pg.Client({ host: '127.0.0.1', port: 1 })
    .connect()
    .catch((error: unknown) => error)
  for (const error of [tooLate, unreachable, ...refusals]) {
    expect(asAppError(error)).toMatchObject({ code: 'UNAVAILABLE', status: 503, headers: { 'Retry-After': '5' } })
  }
  const missingFile = Object.assign(new Error('no such file'), { code: 'ENOENT', syscall: 'open' })
  expect(asAppError(missingFile)).toBeUndefined()
})

test('the pools, the job queue, the listeners and the audit chain share the connections of DATABASE_POOL_SIZE', () => {
  for (const role of ['all', 'web', 'worker'] as const) {
    for (const databasePoolSize of [10, 11, 12, 13, 20, 47, 200]) {
      const sizes = Object.values(poolSizes({ databasePoolSize, role }))
      expect(Math.min(...sizes)).toBeGreaterThanOrEqual(1)
      expect(sizes.reduce((sum, size) => sum + size, 3)).toBe(databasePoolSize)
    }
  }
  expect(poolSizes({ databasePoolSize: 20, role: 'all' })).toEqual({
    access: 2,
    requests: 5,
    scans: 2,
    deliveries: 3,
    jobs: 3,
    queue: 2,
  })
  expect(poolOf(app.dataSource).options.max).toBe(5)
})
