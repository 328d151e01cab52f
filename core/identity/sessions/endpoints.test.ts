import { createTRPCClient, httpBatchLink, httpLink } from '@trpc/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sha256 } from '../../base/crypto.ts'
import type { AppRouter } from '../../router.ts'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { createProjectFor, createSessionFor, createTokenFor, createUser } from '../../testing/factories.ts'
import { sessionToken } from './session-token.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp()))
afterAll(() => app[Symbol.asyncDispose]())

const rpc = (cookie: string) =>
  createTRPCClient<AppRouter>({ links: [httpLink({ url: `${app.url}/trpc`, headers: { cookie } })] })
const getSession = (cookie: string) => app.fetch('/api/auth/get-session', { cookie })
const statusOf = async (cookie: string) => (await getSession(cookie)).status
const post = (path: string, credential: { cookie?: string; token?: string }, body: unknown = {}) =>
  app.fetch(`/api/auth/${path}`, {
    method: 'POST',
    ...credential,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
const cookieOf = (token: string) => `service.session_token=${token}`
const tokenIn = (cookie: string) => cookie.slice(cookie.indexOf('=') + 1)
const cleared = 'service.session_token=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax'

/** Creates a user who is signed in on this many devices. */
async function signedIn(devices: number) {
  const user = await createUser(app)
  const sessions = []
  for (let device = 0; device < devices; device++) sessions.push(await createSessionFor(app, user))
  return { user, sessions }
}

test('lists every device, newest first, marks the current one, and reveals no session token', async () => {
  const { user, sessions } = await signedIn(3)
  const [, { cookie, sessionId } = { cookie: '', sessionId: '' }] = sessions
  const listed = await rpc(cookie).auth.listSessions.query()
  expect(listed.map(({ id }) => id)).toEqual(sessions.map(({ sessionId: id }) => id).toReversed())
  expect(listed.filter(({ current }) => current).map(({ id }) => id)).toEqual([sessionId])
  expect(listed[0]).toMatchObject({ userId: user.id, ipAddress: '127.0.0.1', userAgent: 'factory' })
  expect(await statusOf(cookieOf(listed[0]?.token ?? ''))).toBe(401)

  const byRest = await app.fetch('/api/auth/list-sessions', { cookie })
  expect(await byRest.json()).toEqual({ sessions: listed })
  for (const session of sessions) {
    expect(JSON.stringify(listed)).not.toContain(tokenIn(session.cookie))
    expect(JSON.stringify(listed)).not.toContain(sha256(tokenIn(session.cookie)))
  }
})

test('ends a session by its id or its token, and keeps the others', async () => {
  const { sessions } = await signedIn(4)
  const [mine, ...others] = sessions.map(({ cookie }) => cookie)
  const references = sessions.map(({ sessionId, cookie }) => ({ id: sessionId, token: tokenIn(cookie) }))
  expect(await rpc(mine ?? '').auth.revokeSession.mutate({ sessionToken: references[1]?.id ?? '' })).toEqual({
    success: true,
  })
  expect(await (await post('revoke-session', { cookie: mine ?? '' }, { token: references[2]?.token })).json()).toEqual({
    success: true,
  })
  expect(await Promise.all(others.map(statusOf))).toEqual([401, 401, 200])
  expect(await statusOf(mine ?? '')).toBe(200)
  // Ending it again changes nothing.
  expect((await post('revoke-session', { cookie: mine ?? '' }, { token: references[1]?.id })).status).toBe(200)
  const logs = await rpc(mine ?? '').auth.getAuditLogs.query({ limit: 2 })
  expect(logs.map(({ action, metadata }) => [action, metadata])).toEqual([
    ['session_revoked', { sessionId: references[2]?.id, reason: 'asked' }],
    ['session_revoked', { sessionId: references[1]?.id, reason: 'asked' }],
  ])
})

test('a session of another user and a missing session give the same error, by id and by token', async () => {
  const [{ cookie }, stranger] = [await createSessionFor(app), await createSessionFor(app)]
  const answers = await Promise.all(
    [stranger.sessionId, tokenIn(stranger.cookie), '01ARZ3NDEKTSV4RRFFQ69G5FAV', 'x'].map(async (token) => {
      const response = await post('revoke-session', { cookie }, { token })
      return `${response.status} ${await response.text()}`
    }),
  )
  expect(new Set(answers).size).toBe(1)
  expect(answers[0]).toMatch(/^404 .*NOT_FOUND/)
  await expect(rpc(cookie).auth.revokeSession.mutate({ sessionToken: stranger.sessionId })).rejects.toMatchObject({
    data: { code: 'NOT_FOUND', httpStatus: 404 },
  })
  expect(await statusOf(stranger.cookie)).toBe(200)
})

test.for([{}, { token: '' }, { token: 1 }, { token: 'x'.repeat(201) }, { token: null }, { sessionToken: 'x' }])(
  'revoking a session without a valid token is refused: %o',
  async (body) => {
    const { cookie } = await createSessionFor(app)
    const response = await post('revoke-session', { cookie }, body)
    expect([response.status, await response.json()]).toEqual([
      400,
      expect.objectContaining({ code: 'VALIDATION_ERROR', message: expect.stringMatching(/^token: /) }),
    ])
  },
)

test('ends all other sessions over REST and RPC; with an API token, ends all sessions', async () => {
  for (const signOutOthers of [
    (cookie: string) => rpc(cookie).auth.revokeOtherSessions.mutate(),
    async (cookie: string) => (await post('revoke-other-sessions', { cookie })).json(),
  ]) {
    const { sessions } = await signedIn(3)
    const bystander = await createSessionFor(app)
    expect(await signOutOthers(sessions[1]?.cookie ?? '')).toEqual({ success: true })
    expect(await Promise.all(sessions.map(({ cookie }) => statusOf(cookie)))).toEqual([401, 200, 401])
    expect(await statusOf(bystander.cookie)).toBe(200)
  }
  const { user, sessions } = await signedIn(2)
  await app.client(await createTokenFor(app, { user })).auth.revokeOtherSessions.mutate()
  expect(await Promise.all(sessions.map(({ cookie }) => statusOf(cookie)))).toEqual([401, 401])
})

test('signing out ends the session and clears the cookie, over REST and RPC', async () => {
  for (const signOut of [
    (cookie: string) => post('sign-out', { cookie }),
    (cookie: string) => app.fetch('/trpc/auth.invalidateSession', { method: 'POST', cookie }),
  ]) {
    const { user, sessions } = await signedIn(2)
    const [{ cookie, sessionId } = { cookie: '', sessionId: '' }, other] = sessions
    const response = await signOut(cookie)
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('{"success":true}')
    expect(response.headers.getSetCookie()).toEqual([cleared])
    expect(await statusOf(cookie)).toBe(401)
    const [log] = await rpc(other?.cookie ?? '').auth.getAuditLogs.query()
    expect(log).toMatchObject({ action: 'logout', userId: user.id, metadata: { sessionId } })
  }
})

test('signing out without a session succeeds', async () => {
  const { cookie } = await createSessionFor(app)
  await post('sign-out', { cookie })
  for (const credential of [{}, { cookie }, { cookie: cookieOf('nonsense') }]) {
    const response = await post('sign-out', credential)
    expect([response.status, await response.json()]).toEqual([200, { success: true }])
    expect(response.headers.getSetCookie()).toEqual([cleared])
  }
})

test('an API token can manage sessions within its scopes, and has no session itself', async () => {
  const { user, sessions } = await signedIn(1)
  const [{ sessionId, cookie } = { sessionId: '', cookie: '' }] = sessions
  const reader = app.client(await createTokenFor(app, { user, scopes: ['profile:read'] }))
  expect(await reader.auth.listSessions.query()).toMatchObject([{ id: sessionId, current: false }])
  expect(await reader.auth.getSession.query()).toMatchObject({ isAuthenticated: true, user: { id: user.id } })
  await expect(reader.auth.revokeSession.mutate({ sessionToken: sessionId })).rejects.toThrow('profile:write')
  await expect(reader.auth.revokeOtherSessions.mutate()).rejects.toThrow('profile:write')
  await expect(reader.auth.invalidateSession.mutate()).rejects.toMatchObject({ data: { code: 'FORBIDDEN' } })
  await expect(reader.auth.getAuditLogs.query()).rejects.toThrow('audit:read')

  const writer = app.client(await createTokenFor(app, { user, scopes: ['profile:write'] }))
  await expect(writer.auth.listSessions.query()).rejects.toThrow('profile:read')
  expect(await statusOf(cookie)).toBe(200)
  await writer.auth.revokeSession.mutate({ sessionToken: sessionId })
  expect(await statusOf(cookie)).toBe(401)
  // The REST route for browsers ignores tokens and answers as without a session.
  const response = await app.fetch('/api/auth/get-session', { token: await createTokenFor(app, { user }) })
  expect([response.status, await response.json()]).toEqual([401, { session: null, user: null }])
})

test('without a credential, getSession answers that no user is signed in, and all other calls are refused', async () => {
  const anonymous = app.client()
  expect(await anonymous.auth.getSession.query()).toEqual({ user: null, isAuthenticated: false })
  const refused = {
    message: expect.stringMatching(/^Not authenticated\. Send an API token/),
    data: { code: 'UNAUTHORIZED', httpStatus: 401 },
  }
  await expect(anonymous.auth.listSessions.query()).rejects.toMatchObject(refused)
  await expect(anonymous.auth.invalidateSession.mutate()).rejects.toMatchObject(refused)
  await expect(anonymous.auth.revokeOtherSessions.mutate()).rejects.toMatchObject(refused)
  await expect(anonymous.auth.getAuditLogs.query()).rejects.toMatchObject(refused)
  for (const [method, path] of [
    ['GET', 'list-sessions'],
    ['POST', 'revoke-session'],
    ['POST', 'revoke-other-sessions'],
  ]) {
    expect((await app.fetch(`/api/auth/${path}`, { method: method ?? '' })).status).toBe(401)
  }
})

test('an invalid API token is refused despite a valid cookie; a bearer token of another service is ignored', async () => {
  const { user, sessions } = await signedIn(1)
  const [{ cookie } = { cookie: '' }] = sessions
  const project = await createProjectFor(app, { user })
  const projects = (authorization: string) => app.fetch('/api/v1/projects', { cookie, headers: { authorization } })
  for (const bad of [
    'svc_',
    'svc_v1_x',
    `svc_v1_${'A'.repeat(32)}_AAAA`,
    ` ${(await createTokenFor(app)).slice(0, -1)}`,
  ]) {
    const response = await projects(`Bearer ${bad}`)
    expect([response.status, response.headers.getSetCookie()]).toEqual([401, []])
  }
  for (const foreign of ['Bearer eyJhbGciOi', 'Bearer', 'Basic dTpw', '', 'Bearer SVC_']) {
    const response = await projects(foreign)
    expect(response.status).toBe(200)
    expect(await response.text()).toContain(project.id)
  }
  // A valid token takes precedence over the session.
  const stranger = await createTokenFor(app)
  const response = await projects(`bearer ${stranger}`)
  expect([response.status, (await response.text()).includes(project.id)]).toEqual([200, false])
  const nobody = await app.fetch('/api/v1/projects', { headers: { authorization: 'Bearer eyJhbGciOi' } })
  expect(nobody.status).toBe(401)
})

test('another address in userEmail is refused for sessions too, and in a batch only for that call', async () => {
  const { user, sessions } = await signedIn(1)
  const [{ cookie } = { cookie: '' }] = sessions
  const [project, stranger] = [await createProjectFor(app, { user }), await createUser(app)]
  const ask = (userEmail: string) => ({ projectId: project.id, userEmail })
  const input = encodeURIComponent(JSON.stringify({ 0: ask(stranger.email), 1: ask(user.email.toUpperCase()) }))
  const batch = await app.fetch(`/trpc/projects.getProject,projects.getProject?batch=1&input=${input}`, { cookie })
  expect(await batch.json()).toMatchObject([
    { code: 'FORBIDDEN', data: { httpStatus: 403 } },
    { result: { data: { id: project.id } } },
  ])
  const byRest = (email: string) =>
    app.fetch(`/api/auth/list-sessions?userEmail=${encodeURIComponent(email)}`, { cookie })
  expect((await byRest(stranger.email)).status).toBe(403)
  expect((await byRest(user.email)).status).toBe(200)
})

test('a forged, truncated or unknown session token does not authenticate', async () => {
  const { cookie, sessionId } = await createSessionFor(app)
  const token = tokenIn(cookie)
  const otherKey = sessionToken(`${app.config.secretKey}!`, { sessionId, generation: 0 })
  const never = sessionToken(app.config.secretKey, { sessionId: '01ARZ3NDEKTSV4RRFFQ69G5FAV', generation: 0 })
  const forged = token.replace('.0.', '.lflr.') // Generation 999999.
  for (const bad of [
    otherKey,
    never,
    forged,
    token.slice(0, -1),
    `${token}A`,
    token.toLowerCase(),
    sessionId,
    '',
    '%00',
    '"',
  ]) {
    const response = await getSession(cookieOf(bad))
    expect([bad, response.status, response.headers.getSetCookie()]).toEqual([bad, 401, []])
  }
  // None of them affected the session. Two different cookies, however, count as none.
  expect(await statusOf(cookie)).toBe(200)
  expect(await statusOf(`${cookie}; ${cookieOf(otherKey)}`)).toBe(401)
  expect(await statusOf(`${cookie}; ${cookie}`)).toBe(200)
})

test('deleting a user deletes the sessions', async () => {
  const { user, sessions } = await signedIn(2)
  await app.dataSource.query('DELETE FROM users WHERE id = $1', [user.id])
  expect(await Promise.all(sessions.map(({ cookie }) => statusOf(cookie)))).toEqual([401, 401])
  expect(await app.dataSource.query('SELECT id FROM sessions WHERE user_id = $1', [user.id])).toEqual([])
})

test('calls that begin after a revocation was answered are refused, also under load', async () => {
  const user = await createUser(app)
  const [session, own, token] = [
    await createSessionFor(app, user),
    await createSessionFor(app, user),
    await createTokenFor(app, { user }),
  ]
  const { id: tokenId } = await app.client(token).tokens.current.query()
  const client = rpc(own.cookie)
  for (const [credential, revoke] of [
    [{ cookie: session.cookie }, () => client.auth.revokeSession.mutate({ sessionToken: session.sessionId })],
    [{ token }, () => client.tokens.revoke.mutate({ tokenId })],
  ] as const) {
    let revoked = false
    const late: number[] = []
    let early = 0
    const caller = async () => {
      for (let calls = 0; calls < 25; calls++) {
        const beganAfter = revoked
        const { status } = await app.fetch('/api/v1/projects', credential)
        if (beganAfter) late.push(status)
        else if (status === 200) early++
      }
    }
    const callers = Promise.all(Array.from({ length: 12 }, caller))
    await new Promise((resolve) => setTimeout(resolve, 30))
    await revoke()
    revoked = true
    await callers
    expect(new Set(late)).toEqual(new Set([401]))
    expect(early).toBeGreaterThan(0)
  }
})

test('a batch with a cookie looks the session up once', async () => {
  const { cookie, sessionId } = await createSessionFor(app)
  const client = createTRPCClient<AppRouter>({
    links: [httpBatchLink({ url: `${app.url}/trpc`, headers: { cookie } })],
  })
  const [info, profile, listed] = await Promise.all([
    client.auth.getSession.query(),
    client.auth.getProfile.query(),
    client.auth.listSessions.query(),
  ])
  expect(info).toEqual({ isAuthenticated: true, user: profile })
  expect(listed.map(({ id }) => id)).toEqual([sessionId])
})
