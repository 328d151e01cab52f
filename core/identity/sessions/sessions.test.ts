import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { createSessionFor, createUser } from '../../testing/factories.ts'

let app: TestApp
let clock: number
beforeAll(async () => {
  clock = Date.now()
  app = await createTestApp({}, { now: () => new Date(clock) })
})
afterAll(() => app[Symbol.asyncDispose]())

const second = 1_000
const getSession = (cookie: string) => app.fetch('/api/auth/get-session', { cookie })

/** Returns the cookie that a browser sends next. */
const next = (response: Response, cookie: string) => response.headers.getSetCookie()[0]?.split(';')[0] ?? cookie

test('returns the signed-in user, and no secret', async () => {
  const user = await createUser(app)
  const { cookie, sessionId } = await createSessionFor(app, user)
  const response = await getSession(cookie)
  expect(response.status).toBe(200)
  expect(await response.json()).toEqual({
    session: { id: sessionId, userId: user.id, expiresAt: expect.any(String), createdAt: expect.any(String) },
    user: expect.objectContaining({ id: user.id, email: user.email, emailVerified: true }),
  })
})

test('without a session, the answer is 401 in the specified format', async () => {
  const response = await app.fetch('/api/auth/get-session')
  expect([response.status, await response.json()]).toEqual([401, { session: null, user: null }])
})

test('a token is replaced after the interval, with the cookie attributes of the specification', async () => {
  const { cookie } = await createSessionFor(app)
  expect((await getSession(cookie)).headers.getSetCookie()).toEqual([])
  clock += 10 * second
  const rotated = await getSession(cookie)
  expect(rotated.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^service\.session_token=[\w.-]+; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax$/),
  ])
  expect((await getSession(next(rotated, cookie))).status).toBe(200)
})

test('after a lost response, the previous token keeps working and receives the new token again', async () => {
  const { cookie } = await createSessionFor(app)
  clock += 10 * second
  const lost = await getSession(cookie)
  clock += 3_600 * second
  const again = await getSession(cookie)
  expect(again.status).toBe(200)
  expect(next(again, '')).toBe(next(lost, ''))
})

test('a replaced token is valid for the grace time, and using it later ends the session', async () => {
  const { cookie: copied } = await createSessionFor(app)
  clock += 10 * second
  const current = next(await getSession(copied), copied)
  await getSession(current)
  clock += 9 * second
  const inGraceTime = await getSession(copied)
  expect([inGraceTime.status, inGraceTime.headers.getSetCookie()]).toEqual([200, []])
  clock += 1 * second
  const stolen = await getSession(copied)
  expect([stolen.status, stolen.headers.getSetCookie()]).toEqual([401, []])
  expect((await getSession(current)).status).toBe(401)
})
