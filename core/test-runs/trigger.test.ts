import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../testing/app.ts'
import {
  createMembershipFor,
  createOrganizationFor,
  createProjectFor,
  createRunFor,
  createSessionFor,
  createTokenFor,
  createUser,
} from '../testing/factories.ts'

let app: TestApp
// Nothing takes up a run, so that they wait.
beforeAll(async () => void (app = await createTestApp({ role: 'web' })))
afterAll(() => app[Symbol.asyncDispose]())

async function setUp() {
  const user = await createUser(app)
  const token = await createTokenFor(app, { user })
  const client = app.client(token)
  const { id: projectId } = await createProjectFor(app, { user, branch: 'trunk' })
  const post = async (body?: unknown, headers: Record<string, string> = {}, project = projectId) => {
    const response = await app.fetch(`/api/ci/trigger/${project}`, {
      method: 'POST',
      token,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: (await response.json()) as Record<string, string> }
  }
  const runs = async () => (await client.testRuns.list.query({ projectId })).runs
  return { user, token, client, projectId, post, runs }
}

const commitSha = 'C'.repeat(40)

test('answers a trigger from CI immediately with a status URL', async () => {
  const { post, token, projectId, runs } = await setUp()
  const { status, body } = await post()
  expect(status).toBe(202)
  const { runId = '', statusUrl = '' } = body
  const { baseUrl } = app.config
  expect(body).toEqual({
    runId,
    status: 'PENDING',
    statusUrl: `${baseUrl}/api/test-runs/${runId}/status`,
    url: `${baseUrl}/projects/${projectId}/runs/${runId}`,
  })
  const shown = await fetch(statusUrl, { headers: { authorization: `Bearer ${token}` } })
  expect(await shown.json()).toEqual({
    runId,
    url: body.url,
    status: 'PENDING',
    type: 'ALL',
    totalTests: 0,
    passedTests: 0,
    failedTests: 0,
    mutedTests: 0,
    skippedTests: 0,
    coverage: null,
    duration: null,
    startedAt: null,
    completedAt: null,
    queue: { position: 1, running: 0, reason: 'The run starts as soon as a worker is free.' },
  })
  expect(await runs()).toMatchObject([{ id: runId, source: 'ci', branch: 'trunk', commitSha: null, selection: null }])
})

test('stores the requested run and enqueues it, over RPC and REST', async () => {
  const { post, client, projectId, runs, user } = await setUp()
  const wanted = { commitSha, type: 'UNIT' as const, paths: ['src/a', 'test/b.test.ts'] }
  await post(wanted)
  await client.testRuns.trigger.mutate({ projectId, ...wanted })
  const stored = { commitSha: 'c'.repeat(40), branch: null, type: 'UNIT', userId: user.id }
  const selection = { paths: wanted.paths, tests: [] }
  expect(await runs()).toMatchObject([
    { ...stored, selection, source: 'api', queue: { position: expect.any(Number) } },
    { ...stored, selection, source: 'ci' },
  ])
  const ids = (await runs()).map(({ id }) => id)
  const jobs = await app.dataSource.query(
    `SELECT group_id FROM pgboss.job WHERE name = 'test-runs' AND data->>'runId' = ANY ($1)`,
    [ids],
  )
  expect(jobs).toEqual([{ group_id: user.id }, { group_id: user.id }])
})

test('creates one run for 100 concurrent triggers with the same key', async () => {
  const { post, runs } = await setUp()
  const key = { 'idempotency-key': 'build-42' }
  const answers = await Promise.all(Array.from({ length: 100 }, () => post({ branch: 'main' }, key)))
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
  expect(answers[0]).toMatchObject({ status: 202, body: { status: 'PENDING' } })
  const [run, ...more] = await runs()
  expect([run?.id, more]).toEqual([answers[0]?.body['runId'], []])
  const jobs = await app.dataSource.query(`SELECT 1 FROM pgboss.job WHERE data->>'runId' = $1`, [run?.id])
  expect(jobs).toHaveLength(1)
})

test('answers a repeated key with the current status of its run', async () => {
  const { post, client, projectId } = await setUp()
  const key = { 'idempotency-key': 'build-1' }
  const { body } = await post({}, key)
  await client.testRuns.cancel.mutate({ runId: body['runId'] ?? '' })
  expect(await post({}, key)).toEqual({ status: 202, body: { ...body, status: 'CANCELLED' } })
  expect(await client.testRuns.trigger.mutate({ projectId, idempotencyKey: 'build-1' })).toMatchObject({
    id: body['runId'],
  })
})

test('scopes a key to its project and its request', async () => {
  const { post, client, user, projectId } = await setUp()
  const key = { 'idempotency-key': 'build-1' }
  const first = await post({ branch: 'main' }, key)
  for (const other of [{}, { branch: 'other' }, { branch: 'main', type: 'E2E' }, { branch: 'main', paths: ['a'] }]) {
    expect(await post(other, key)).toMatchObject({ status: 409, body: { code: 'CONFLICT' } })
  }
  await expect(
    client.testRuns.trigger.mutate({ projectId, branch: 'other', idempotencyKey: 'build-1' }),
  ).rejects.toMatchObject({ data: { code: 'CONFLICT' } })
  const { id: another } = await createProjectFor(app, { user })
  const second = await post({ branch: 'main' }, key, another)
  expect(second.status).toBe(202)
  expect(second.body['runId']).not.toBe(first.body['runId'])
})

test.each([
  [{ branch: 5 }, 'branch'],
  [{ branch: '' }, 'branch'],
  [{ branch: '--upload-pack=x' }, 'branch'],
  [{ branch: 'a..b' }, 'branch'],
  [{ branch: 'x'.repeat(256) }, 'branch'],
  [{ commitSha: 'abc' }, 'commitSha'],
  [{ commitSha: `${'a'.repeat(39)}g` }, 'commitSha'],
  [{ commitSha: 7 }, 'commitSha'],
  [{ type: 'unit' }, 'type'],
  [{ type: null }, 'type'],
  [{ paths: 'src' }, 'paths'],
  [{ paths: ['/etc'] }, 'paths.0'],
  [{ paths: ['a', '../b'] }, 'paths.1'],
  [{ paths: ['-x'] }, 'paths.0'],
  [{ paths: ['a\nb'] }, 'paths.0'],
  [{ paths: [''] }, 'paths.0'],
  [{ paths: Array(101).fill('a') }, 'paths'],
])('rejects the request %j with the name of its field, over RPC and REST', async (wrong, field) => {
  const { post, client, projectId, runs } = await setUp()
  const { status, body } = await post(wrong)
  expect([status, body['code']]).toEqual([400, 'VALIDATION_ERROR'])
  expect(body['message']).toMatch(new RegExp(`^${field}: `))
  const call = client.testRuns.trigger.mutate({ projectId, ...(wrong as object) })
  await expect(call).rejects.toMatchObject({ data: { code: 'BAD_REQUEST' }, message: body['message'] })
  expect(await runs()).toEqual([])
})

test.each(['a b', 'x'.repeat(256), 'a\tb', 'é'])('rejects the key %j', async (idempotencyKey) => {
  const { post, client, projectId } = await setUp()
  expect(await post({}, { 'idempotency-key': idempotencyKey })).toMatchObject({ status: 400 })
  await expect(client.testRuns.trigger.mutate({ projectId, idempotencyKey })).rejects.toThrow(/^idempotencyKey: /)
})

test('lets members with the scope trigger runs, and hides the project from others', async () => {
  const { id: organizationId } = await createOrganizationFor(app)
  const { id: projectId } = await createProjectFor(app, { organizationId })
  const tokenOf = async (role: 'viewer' | 'member', scopes?: ('tests:read' | 'tests:run')[]) => {
    const { userId } = await createMembershipFor(app, { organizationId, role })
    const user = { ...(await createUser(app)), id: userId }
    return createTokenFor(app, { user, ...(scopes ? { scopes } : {}) })
  }
  const trigger = async (token: string, id = projectId) => {
    const rest = await app.fetch(`/api/ci/trigger/${id}`, { method: 'POST', token })
    const rpc = await app
      .client(token)
      .testRuns.trigger.mutate({ projectId: id })
      .then(
        () => 202,
        (error: { data?: { httpStatus?: number } }) => error.data?.httpStatus,
      )
    return [rest.status, rpc]
  }
  expect(await trigger(await tokenOf('member'))).toEqual([202, 202])
  expect(await trigger(await tokenOf('viewer'))).toEqual([403, 403])
  expect(await trigger(await tokenOf('member', ['tests:read']))).toEqual([403, 403])
  const stranger = await createTokenFor(app)
  expect(await trigger(stranger)).toEqual([404, 404])
  expect(await trigger(stranger, 'nothing')).toEqual([404, 404])
})

test('limits a project to 50 queued runs and says what to do', async () => {
  const { post, projectId, client } = await setUp()
  const waiting = await Promise.all(Array.from({ length: 50 }, () => createRunFor(app, { projectId })))
  const full = await post({}, { 'idempotency-key': 'late' })
  expect(full).toMatchObject({ status: 409, body: { message: expect.stringContaining('testRuns.cancel') } })
  await client.testRuns.cancel.mutate({ runId: waiting[0]?.id ?? '' })
  expect((await post({}, { 'idempotency-key': 'late' })).status).toBe(202)
})

test('says whether a person in the dashboard or a token started a run', async () => {
  const { user, client, projectId, runs } = await setUp()
  const { cookie } = await createSessionFor(app, user)
  await client.testRuns.trigger.mutate({ projectId })
  const headers = { 'content-type': 'application/json', origin: app.config.baseUrl }
  const body = JSON.stringify({ projectId })
  const answer = await app.fetch('/trpc/testRuns.trigger', { method: 'POST', cookie, headers, body })
  expect(answer.status).toBe(200)
  expect((await runs()).map(({ source }) => source)).toEqual(['dashboard', 'api'])
  const { runs: own } = await client.testRuns.list.query({ projectId, source: 'dashboard' })
  expect(own).toHaveLength(1)
})
