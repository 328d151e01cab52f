import { afterAll, beforeAll, expect, test } from 'vitest'
import type { UserRow } from '../identity/users/entity.ts'
import { newId } from '../base/ids.ts'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createOrganizationFor, createProjectFor, createTokenFor, createUser } from '../testing/factories.ts'

let app: TestApp
let user: UserRow
let token: string
beforeAll(async () => {
  // No worker runs, so that analyses stay queued.
  app = await createTestApp({ role: 'web' })
  user = await createUser(app)
  token = await createTokenFor(app, { user })
})
afterAll(() => app[Symbol.asyncDispose]())

interface Body {
  error?: string
  message?: string
  code?: string
  projects?: { name: string }[]
  pagination?: object
}
const list = async (query: string, as = token) => {
  const response = await app.fetch(`/api/v1/projects${query}`, { token: as })
  const text = await response.text()
  return { status: response.status, text, body: JSON.parse(text) as Body }
}
const analyze = async (projectId: string, body?: string) => {
  const response = await app.fetch(`/api/v1/projects/${projectId}/analyze`, {
    method: 'POST',
    token,
    ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, string> }
}

test.each([
  '0',
  '-1',
  '+1',
  '1.5',
  '1.0',
  '1e1',
  '0x2',
  '',
  '%201',
  '١',
  'one',
  'NaN',
  'Infinity',
  '1,2',
  '1000001',
  '99999999999999999999',
  '9'.repeat(400),
])('rejects the page %s and names the parameter', async (page) => {
  const { status, body } = await list(`?page=${page}`)
  expect([status, body.error, body.code]).toEqual([400, 'Bad Request', 'VALIDATION_ERROR'])
  expect(body.message).toMatch(/^page: /)
})

test.each([
  'page=1&page=2',
  'pageSize=0',
  'pageSize=101',
  'search=a&search=b',
  'language=a&language=b',
  'organizationId=',
])('rejects the query %s', async (query) => {
  const { status, body } = await list(`?${query}`)
  expect([status, body.code]).toEqual([400, 'VALIDATION_ERROR'])
  expect(body.message).toMatch(new RegExp(`^${query.split('=')[0]}: `))
})

test('names all problems at once', async () => {
  const { body } = await list(`?page=0&pageSize=x&search=${'x'.repeat(201)}`)
  expect(body.message).toMatch(/page: .*pageSize: .*search: /)
})

test('pages have 50 projects by default, and pages beyond the last one are empty', async () => {
  const owner = await createUser(app)
  const own = await createTokenFor(app, { user: owner })
  for (let index = 0; index < 52; index++) await createProjectFor(app, { user: owner, name: `Part ${index}` })
  const names = async (query: string) => (await list(query, own)).body.projects?.map(({ name }) => name) ?? []
  const first = await list('', own)
  expect(first.body.pagination).toEqual({ total: 52, page: 1, pageSize: 50 })
  const both = [...(await names('?page=1')), ...(await names('?page=02'))]
  expect(new Set(both).size).toBe(52)
  expect((await list('?page=3', own)).body).toEqual({ projects: [], pagination: { total: 52, page: 3, pageSize: 50 } })
  expect((await list('?page=1000000&pageSize=100', own)).body.pagination).toMatchObject({ total: 52, page: 1_000_000 })
})

test('ignores unknown parameters, whatever their names', async () => {
  const plain = await list('')
  for (const query of ['?unknown=1&unknown=2', '?__proto__=x', '?toString=1', '?page[]=0', '?', '?&&=&']) {
    expect(await list(query), query).toEqual(plain)
  }
})

test('an empty filter has no effect, and filters combine', async () => {
  const owner = await createUser(app)
  const own = await createTokenFor(app, { user: owner })
  await createProjectFor(app, { user: owner, name: 'One', language: 'Go', framework: 'gin' })
  await createProjectFor(app, { user: owner, name: 'Other', language: 'Go', framework: null })
  const total = async (query: string) => (await list(query, own)).body.pagination
  expect(await total('?search=&language=&framework=')).toMatchObject({ total: 2 })
  expect(await total('?language=Go&framework=gin&search=ONE')).toMatchObject({ total: 1 })
  expect(await total('?language=go')).toMatchObject({ total: 0 })
})

test('lists the projects of an organization for its members, and none for other users', async () => {
  const organization = await createOrganizationFor(app, { user })
  await createProjectFor(app, { user, name: 'Personal' })
  await createProjectFor(app, { user, name: 'Shared', organizationId: organization.id })
  expect((await list(`?organizationId=${organization.id}`)).body).toMatchObject({
    projects: [{ name: 'Shared' }],
    pagination: { total: 1 },
  })
  expect((await list('')).body.projects?.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['Personal', 'Shared']),
  )
  const stranger = await createTokenFor(app)
  const foreign = await list(`?organizationId=${organization.id}`, stranger)
  expect(foreign).toEqual(await list(`?organizationId=${newId(new Date())}`, stranger))
  expect(foreign.body).toMatchObject({ projects: [], pagination: { total: 0 } })
})

test('the error without a token is Unauthorized, and with a bad one Invalid token', async () => {
  for (const [method, path] of [
    ['GET', '/api/v1/projects'],
    ['GET', '/api/v1/projects/x'],
    ['POST', '/api/v1/projects/x/analyze'],
  ] as const) {
    const error = async (as?: string) => {
      const response = await app.fetch(path, { method, ...(as ? { token: as } : {}) })
      return [response.status, ((await response.json()) as Body).error]
    }
    expect(await error()).toEqual([401, 'Unauthorized'])
    expect(await error('svc_v1_bad')).toEqual([401, 'Invalid token'])
  }
})

test('starts an analysis without a body, and ignores unknown fields', async () => {
  const { id } = await createProjectFor(app, { user })
  const accepted = await analyze(id)
  expect(accepted).toEqual({
    status: 202,
    body: { analysisId: expect.stringMatching(/^[0-9A-Z]{26}$/), status: 'pending', message: expect.any(String) },
  })
  // The same request joins the queued analysis.
  for (const body of ['{}', '{"branch":"main"}', '{"extra":1,"projectId":"another","repoUrl":"https://elsewhere"}']) {
    expect(await analyze(id, body), body).toEqual(accepted)
  }
})

test.each([
  ['null', ''],
  ['[]', ''],
  ['"main"', ''],
  ['1', ''],
  ['{', 'The request body is not valid JSON'],
  ['{"branch":null}', 'branch: '],
  ['{"branch":""}', 'branch: '],
  ['{"branch":["main"]}', 'branch: '],
  ['{"branch":"-x"}', 'branch: '],
  [`{"branch":"${'x'.repeat(256)}"}`, 'branch: '],
  ['{"commitSha":"abc"}', 'commitSha: '],
  [`{"commitSha":"${'A'.repeat(40)}"}`, 'commitSha: '],
  ['{"userEmail":5}', 'userEmail: '],
])('rejects the body %s', async (body, beginning) => {
  const { id } = await createProjectFor(app, { user })
  const refused = await analyze(id, body)
  expect([refused.status, refused.body['code']]).toEqual([400, 'VALIDATION_ERROR'])
  expect(refused.body['message']?.startsWith(beginning), refused.body['message']).toBe(true)
})
