import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { AccountLinkEntity } from './entity.ts'
import { readTokens } from './link-tokens.ts'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { type CodeHost, startCodeHost } from '../testing/code-host.ts'
import { createLinkFor, createProjectFor, createTokenFor, createUser } from '../testing/factories.ts'
import { asLinkedUser } from './client.ts'
import { refreshLink } from './refresh.ts'

const token = 'gho_tokenOfOctocat1234567890'
const many = Array.from({ length: 230 }, (_, index) => ({ owner: 'octocat', name: `app-${index}` }))

let app: TestApp
let host: CodeHost
beforeAll(async () => {
  host = await startCodeHost({
    repositories: [
      ...many,
      { owner: 'octocat', name: 'secret', private: true, description: 'Nobody knows', language: 'Go' },
      { owner: 'hubot', name: 'theirs', private: true },
    ],
  })
  app = await createTestApp({ codeHost: host.config })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await host[Symbol.asyncDispose]()
})
beforeEach(() => {
  host.tokens = new Map([[token, { login: 'octocat', scopes: ['repo'] }]])
  host.refreshTokens.clear()
  host.fault = undefined
  host.requests = []
})

async function linked(tokens: Partial<Parameters<typeof createLinkFor>[1]> = {}) {
  const { user, linkId } = await createLinkFor(app, { accessToken: token, ...tokens })
  const client = app.client(await createTokenFor(app, { user }))
  return { user, linkId, list: () => client.github.getGitHubRepositories.query() }
}

const links = () => app.dataSource.getRepository(AccountLinkEntity)

/** Returns the error that agents get, after checking that it and the log contain no token and no text of the code host. */
async function expectRefusal(call: Promise<unknown>, code: string, words: string | RegExp) {
  await expect(call).rejects.toMatchObject({ data: { code } })
  await expect(call).rejects.toThrow(words)
  await expect(call).rejects.not.toThrow(/gho_|words of the host/)
  expect(app.logLines.filter((line) => /gho_token|ghr_|words of the host/.test(line))).toEqual([])
}

test('lists every repository of every page once, including private ones, in the specified format', async () => {
  const { list } = await linked()
  const repositories = await list()
  expect(repositories).toHaveLength(231)
  expect(new Set(repositories.map(({ id }) => id)).size).toBe(231)
  expect(repositories.find(({ name }) => name === 'secret')).toEqual({
    id: expect.any(Number),
    name: 'secret',
    fullName: 'octocat/secret',
    description: 'Nobody knows',
    url: `${host.url}/octocat/secret`,
    cloneUrl: expect.stringMatching(/octocat\/secret\.git$/),
    language: 'Go',
    stars: 0,
    forks: 0,
    isPrivate: true,
    updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    defaultBranch: 'main',
  })
  expect(repositories.find(({ name }) => name === 'app-7')).toMatchObject({ language: '', description: null })
  expect(host.requests).toHaveLength(3)
})

test('omits private repositories without the scope for them', async () => {
  host.tokens.set(token, { login: 'octocat', scopes: ['read:user'] })
  const { list } = await linked({ scope: 'read:user' })
  const repositories = await list()
  expect(repositories.length).toBe(230)
  expect(repositories.every(({ isPrivate }) => !isPrivate)).toBe(true)
})

test('of two accounts it uses the one that may read private repositories', async () => {
  const { user, list } = await linked()
  await createLinkFor(app, { accessToken: 'gho_other', scope: 'read:user' }, user)
  expect(await list()).toHaveLength(231)
})

test('the error without a linked account explains how to link one, and restricted tokens see no repositories', async () => {
  const user = await createUser(app)
  const client = app.client(await createTokenFor(app, { user }))
  await expectRefusal(client.github.getGitHubRepositories.query(), 'CONFLICT', '/api/auth/link-social')
  const project = await createProjectFor(app, { user })
  const confined = app.client(await createTokenFor(app, { user, projectId: project.id }))
  await expectRefusal(confined.github.getGitHubRepositories.query(), 'FORBIDDEN', 'restricted')
  const poor = app.client(await createTokenFor(app, { user, scopes: ['tests:read'] }))
  await expectRefusal(poor.github.getGitHubRepositories.query(), 'FORBIDDEN', 'projects:read')
  const other = client.github.getGitHubRepositories.query({ userEmail: 'somebody@example.com' })
  await expectRefusal(other, 'FORBIDDEN', 'userEmail')
  expect(host.requests).toEqual([])
})

test('the error for a revoked token says to link again, and any sign-in then replaces it', async () => {
  const { list, linkId } = await linked()
  host.tokens.clear()
  await expectRefusal(list(), 'CONFLICT', /revoked.*Link the account again/)
  const { accessTokenExpiresAt } = await links().findOneByOrFail({ id: linkId })
  expect(accessTokenExpiresAt?.getTime()).toBeLessThanOrEqual(Date.now())
  host.tokens.set(token, { login: 'octocat', scopes: ['repo'] })
  expect(await list()).toHaveLength(231)
})

test('refreshes an expired token once for concurrent calls, and stores a valid token', async () => {
  const next = { login: 'octocat', scopes: ['repo'], accessToken: 'gho_tokenNumberTwo', refreshToken: 'ghr_two' }
  host.refreshTokens.set('ghr_one', next)
  host.tokens.clear()
  const { list, linkId } = await linked({ refreshToken: 'ghr_one', expiresInSeconds: 60 })
  const expired = await links().findOneByOrFail({ id: linkId })
  const lists = await Promise.all(Array.from({ length: 5 }, list))
  expect(lists.map(({ length }) => length)).toEqual([231, 231, 231, 231, 231])
  expect(host.requests.filter(({ line }) => line.endsWith('/access_token'))).toHaveLength(1)
  const link = await links().findOneByOrFail({ id: linkId })
  expect(readTokens(app.config, link)).toEqual({ accessToken: 'gho_tokenNumberTwo', refreshToken: 'ghr_two' })
  expect(link).toMatchObject({ scope: 'repo' })
  // Another process that loaded the link earlier gets the refreshed token.
  const ctx = { ...app.services, db: app.dataSource.manager, signal: AbortSignal.timeout(20_000) }
  expect(await refreshLink(ctx, expired)).toEqual(link)
  expect(link.accessTokenExpiresAt?.getTime()).toBeGreaterThan(Date.now() + 28_000_000)
})

test('refreshes a token that is rejected before it expires', async () => {
  const next = { login: 'octocat', scopes: ['repo'], accessToken: 'gho_tokenNumberThree', refreshToken: 'ghr_three' }
  host.refreshTokens.set('ghr_first', next)
  host.tokens.clear()
  const { list } = await linked({ refreshToken: 'ghr_first', expiresInSeconds: 28_800 })
  expect(await list()).toHaveLength(231)
})

test('does not use a spent refresh token twice', async () => {
  host.tokens.clear()
  const { list, linkId } = await linked({ refreshToken: 'ghr_spent', expiresInSeconds: 60 })
  await expectRefusal(list(), 'CONFLICT', 'Link the account again')
  expect((await links().findOneByOrFail({ id: linkId })).refreshToken).toBeNull()
  await expectRefusal(list(), 'CONFLICT', 'Link the account again')
  expect(host.requests.filter(({ line }) => line.endsWith('/access_token'))).toHaveLength(1)
})

test('a wrong client secret is reported to the operator, and keeps the link', async () => {
  const { list, linkId } = await linked({ refreshToken: 'ghr_good', expiresInSeconds: 60 })
  const { client } = app.config.codeHost
  app.config.codeHost.client = { id: 'client-of-tests', secret: 'wrong' }
  try {
    await expectRefusal(list(), 'BAD_REQUEST', 'CODE_HOST_CLIENT_SECRET')
  } finally {
    app.config.codeHost.client = client
  }
  expect((await links().findOneByOrFail({ id: linkId })).refreshToken).not.toBeNull()
})

const body = JSON.stringify({ message: `words of the host about ${token}` })
const inAnHour = () => ({
  'x-ratelimit-remaining': '0',
  'x-ratelimit-reset': String(Math.ceil(Date.now() / 1_000) + 3_600),
})

test.each([
  ['the primary limit', 403, inAnHour, 3_540, 3_602],
  ['the primary limit of today', 429, inAnHour, 3_540, 3_602],
  ['a secondary limit', 403, () => ({ 'retry-after': '90' }), 90, 90],
  ['a limit without a time', 429, () => ({}), 60, 60],
])('%s that lasts is passed on with its time', async (_name, status, headers, min, max) => {
  const { user } = await linked()
  host.fault = { kind: { status, headers: headers(), body }, times: 9 }
  const response = await app.fetch('/trpc/github.getGitHubRepositories', {
    token: await createTokenFor(app, { user }),
  })
  expect(response.status).toBe(429)
  const retryAfter = Number(response.headers.get('retry-after'))
  expect(retryAfter).toBeGreaterThanOrEqual(min)
  expect(retryAfter).toBeLessThanOrEqual(max)
  expect(await response.text()).not.toMatch(/gho_|words of the host/)
  expect(host.requests).toHaveLength(1)
})

test('waits for a short rate limit', async () => {
  const { list } = await linked()
  const message = JSON.stringify({ message: 'You have exceeded a secondary rate limit.' })
  host.fault = { kind: { status: 403, headers: { 'retry-after': '1' }, body: message }, times: 1 }
  expect(await list()).toHaveLength(231)
})

test.each([
  ['an error', { status: 502, body }],
  ['nonsense', { status: 200, body: '<html>words of the host</html>', type: 'text/html' }],
  ['a text', { status: 200, body: '"words of the host"' }],
  ['another shape', { status: 200, body: '[{"id":"words of the host"}]' }],
  ['a broken connection', 'hang_up' as const],
  ['a compressed bomb', 'gzip_bomb' as const],
])('rejects %s without quoting it', async (_name, kind) => {
  const { list } = await linked()
  host.fault = { kind, times: 9 }
  await expectRefusal(list(), 'TIMEOUT', 'no usable answer')
})

test('retries a temporary error', async () => {
  const { list } = await linked()
  host.fault = { kind: { status: 503, body }, times: 1 }
  expect(await list()).toHaveLength(231)
})

test.each([
  [403, 'FORBIDDEN', 'link the account again with more scopes'],
  [404, 'NOT_FOUND', 'No such repository'],
  [422, 'CONFLICT', 'status 422'],
])('the status %i has an error message', async (status, code, words) => {
  const { list } = await linked()
  host.fault = { kind: { status, body }, times: 1 }
  await expectRefusal(list(), code, words)
})

test('sends the token to no other host, neither for redirects nor for further pages', async () => {
  await using elsewhere = await startCodeHost()
  const { list } = await linked()
  const location = `${elsewhere.url}/user/repos`
  for (const kind of [
    { status: 307, headers: { location }, body: '' },
    { status: 301, headers: { location }, body: '' },
    { status: 200, headers: { link: `<${location}>; rel="next"` }, body: '[]' },
  ]) {
    host.fault = { kind, times: 9 }
    await expectRefusal(list(), 'TIMEOUT', 'another host')
  }
  expect(elsewhere.requests).toEqual([])
  host.fault = { kind: { status: 301, headers: { location: '/user/repos?page=3&per_page=100' }, body: '' }, times: 1 }
  expect(await list()).toHaveLength(31)
})

test('a hanging, slow or endless response ends at the deadline', async () => {
  const { user } = await linked()
  const ctx = { ...app.services, db: app.dataSource.manager, signal: AbortSignal.timeout(20_000) }
  const call = (limits: { deadlineMs: number; maxBytes: number }) =>
    asLinkedUser(ctx, user.id, (client) => client.request('GET /user/repos', { request: { retries: 0 } }), limits)
  for (const kind of ['stall', 'drip'] as const) {
    host.fault = { kind, times: 9 }
    await expect(call({ deadlineMs: 300, maxBytes: 1_000_000 })).rejects.toThrow('longer than 0.3 s')
  }
  host.fault = { kind: 'flood', times: 9 }
  await expect(call({ deadlineMs: 5_000, maxBytes: 300_000 })).rejects.toThrow('larger than 300000 bytes')
})

test('tells the user which account is linked, and never its tokens', async () => {
  const { user } = await linked({ scope: 'repo' })
  const client = app.client(await createTokenFor(app, { user, scopes: ['profile:read'] }))
  const name = new URL(host.url).host
  expect(await client.github.getLink.query()).toEqual({
    available: true,
    name,
    linked: { login: expect.any(String), readsPrivate: true },
  })
  const without = app.client(await createTokenFor(app, { scopes: ['profile:read'] }))
  expect(await without.github.getLink.query()).toEqual({ available: true, name, linked: null })
  const blind = app.client(await createTokenFor(app, { user, scopes: ['projects:read'] }))
  await expect(blind.github.getLink.query()).rejects.toThrow('profile:read')
})
