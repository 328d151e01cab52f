import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../testing/app.ts'
import { createPasswordFor, createSessionFor, createTokenFor, createUser } from '../../../testing/factories.ts'
import { rules } from '../../limits/rules.ts'
import { PasswordEntity } from '../entity.ts'

let app: TestApp
beforeAll(async () => {
  app = await createTestApp({ trustProxy: 1 })
})
afterAll(() => app[Symbol.asyncDispose]())

const password = 'correct horse battery'
let addresses = 0
/** Creates a caller with its own address, so that its attempts are counted separately. */
const newAddress = () => `198.51.${(addresses += 1) >> 8}.${addresses & 255}`

interface Call {
  address?: string
  cookie?: string
  headers?: Record<string, string>
}

function post(path: string, body: unknown, { address = newAddress(), cookie, headers }: Call = {}): Promise<Response> {
  return app.fetch(`/api/auth/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address, ...headers },
    body: JSON.stringify(body),
    ...(cookie === undefined ? {} : { cookie }),
  })
}

const signIn = (email: string, given = password, call?: Call) => post('sign-in/email', { email, password: given }, call)
const cookieOf = (response: Response) => response.headers.getSetCookie()[0]?.split(';')[0] ?? ''
const isSignedIn = async (cookie: string) => (await app.fetch('/api/auth/get-session', { cookie })).status === 200
const audit = async (userId: string | null) =>
  app.dataSource.query<{ action: string; metadata: unknown }[]>(
    'SELECT action, metadata FROM audit_logs WHERE user_id IS NOT DISTINCT FROM $1 ORDER BY sequence',
    [userId],
  )

test('the right password gives a session cookie, and the response contains no secret', async () => {
  const user = await createPasswordFor(app, password)
  const response = await signIn(user.email)
  expect(response.status).toBe(200)
  expect(await response.json()).toEqual({
    redirect: false,
    user: expect.objectContaining({ id: user.id, email: user.email, emailVerified: true }),
  })
  expect(response.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^service\.session_token=[\w.-]+; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax$/),
  ])
  expect(await isSignedIn(cookieOf(response))).toBe(true)
  expect(await audit(user.id)).toEqual([
    { action: 'login', metadata: { method: 'password', sessionId: expect.any(String) } },
  ])
})

test('a user with an unverified address can sign in', async () => {
  const user = await createPasswordFor(app, password, await createUser(app, { emailVerified: false }))
  expect(await (await signIn(user.email)).json()).toMatchObject({ user: { emailVerified: false } })
})

test('case and Unicode form of the address do not matter', async () => {
  const user = await createPasswordFor(app, password, await createUser(app, { email: 'zoé.kelvin@example.com' }))
  for (const written of ['ZOÉ.KELVIN@EXAMPLE.COM', ' zoe\u0301.\u212Aelvin@example.com', 'ｚｏé.kelvin＠example.com']) {
    expect(await (await signIn(written)).json(), written).toMatchObject({ user: { id: user.id } })
  }
})

test('a sign-in never reuses the session of the browser', async () => {
  const first = cookieOf(await signIn((await createPasswordFor(app, password)).email))
  const user = await createPasswordFor(app, password)
  const second = cookieOf(await signIn(user.email, password, { cookie: first, headers: { origin: app.url } }))
  expect(second).not.toBe(first)
  expect(await isSignedIn(first)).toBe(true)
})

test('a wrong password, an account without a password and a missing account give the same answer', async () => {
  const user = await createPasswordFor(app, password)
  const withoutPassword = await createUser(app)
  const answers = await Promise.all(
    [user.email, withoutPassword.email, 'nobody@example.com'].map(async (email) => {
      const response = await signIn(email, 'wrong horse battery')
      return { status: response.status, cookies: response.headers.getSetCookie(), body: await response.json() }
    }),
  )
  const refusal = {
    error: 'Unauthorized',
    message: 'The e-mail address or the password is wrong.',
    code: 'UNAUTHORIZED',
  }
  for (const answer of answers) expect(answer).toEqual({ status: 401, cookies: [], body: refusal })
  for (const id of [user.id, withoutPassword.id]) {
    expect(await audit(id)).toEqual([{ action: 'failed_auth', metadata: { method: 'password' } }])
  }
  expect(await audit(null)).toContainEqual({ action: 'failed_auth', metadata: { method: 'password' } })
})

test('a sign-in replaces a hash with outdated costs', async () => {
  const user = await createUser(app)
  // Of "correct horse battery", with 8 MiB and one pass.
  const old = '$argon2id$v=19$m=8192,t=1,p=1$MDEyMzQ1Njc4OWFiY2RlZg$Qd/uPU2dNuqz/ljLQKUryhqKULDfO/egRNHbpCY1GDk'
  const passwords = app.dataSource.getRepository(PasswordEntity)
  await passwords.insert({ userId: user.id, passwordHash: old, updatedAt: new Date() })
  expect((await signIn(user.email)).status).toBe(200)
  expect((await passwords.findOneByOrFail({ userId: user.id })).passwordHash).toContain('$m=19456,t=2,p=1$')
  expect((await signIn(user.email)).status).toBe(200)
})

test('of a thousand parallel guesses, only the allowed number is checked, and other callers are not affected', async () => {
  const user = await createPasswordFor(app, password)
  const other = await createPasswordFor(app, password)
  const address = newAddress()
  const startedAt = performance.now()
  const guesses = await Promise.all(
    Array.from({ length: 1_000 }, (_, index) => signIn(user.email, `guess number ${index}`, { address })),
  )
  const bystander = await signIn(other.email)
  const neighbour = await signIn(other.email, password, { address })
  expect(performance.now() - startedAt).toBeLessThan(60_000)
  // On a busy machine, the server refuses some of them because of overload.
  const overloaded = guesses.filter(({ status }) => status === 503)
  const refused = guesses.filter(({ status }) => status === 429)
  const looked = guesses.filter(({ status }) => status === 401)
  expect(looked).toHaveLength(rules.signInByAccountAndAddress.points)
  expect(refused).toHaveLength(1_000 - looked.length - overloaded.length)
  const body: unknown = await refused[0]?.json()
  expect(body).toEqual(expect.objectContaining({ code: 'RATE_LIMITED', retryAfter: expect.any(Number) }))
  expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await audit(user.id)).length).toBe(looked.length)

  expect([bystander.status, neighbour.status]).toEqual([200, 200])
  expect((await signIn(user.email, password, { address })).status).toBe(429)
  expect((await signIn(user.email)).status).toBe(200)
})

test('one caller cannot try many accounts', async () => {
  const address = newAddress()
  const points = rules.signInByAddress.points
  const tries = Array.from({ length: points + 5 }, (_, index) =>
    signIn(`somebody${index}@example.com`, password, { address }),
  )
  const statuses = (await Promise.all(tries)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 401)).toHaveLength(points)
  expect(statuses.filter((status) => status === 429)).toHaveLength(5)
})

test('a successful sign-in does not count against the limit', async () => {
  const user = await createPasswordFor(app, password)
  const address = newAddress()
  for (let round = 0; round < rules.signInByAccountAndAddress.points + 2; round += 1) {
    expect((await signIn(user.email, password, { address })).status).toBe(200)
  }
})

test('pages of other origins cannot sign their visitors in, with or without a cookie', async () => {
  const user = await createPasswordFor(app, password)
  for (const [name, value] of [
    ['origin', 'https://evil.example'],
    ['origin', 'null'],
    ['sec-fetch-site', 'cross-site'],
  ] as const) {
    const response = await signIn(user.email, password, { headers: { [name]: value } })
    expect([response.status, response.headers.getSetCookie()], value).toEqual([403, []])
  }
})

test.each([
  'sign-in/email',
  'sign-up/email',
  'request-password-reset',
  'reset-password',
  'send-verification-email',
  'verify-email',
  'change-password',
])('%s accepts only JSON', async (path) => {
  const { cookie } = await createSessionFor(app)
  const response = await app.fetch(`/api/auth/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: app.url },
    body: 'email=a@example.com&password=correct+horse+battery&token=x',
    cookie,
  })
  expect(response.status).toBe(415)
})

test.each([
  { email: 'no address', password },
  { email: 'ada@example.com\r\nBcc: eve@evil.example', password },
  { email: ['ada@example.com'], password },
  { email: { $ne: '' }, password },
  { email: 'ada@example.com' },
  { email: 'ada@example.com', password: '' },
  { email: 'ada@example.com', password: 'x'.repeat(5_000) },
  { email: 'ada@example.com', password, callbackURL: 'https://evil.example' },
  { email: 'ada@example.com', password, callbackURL: '//evil.example' },
])('refuses the sign-in %.60j', async (body) => {
  expect((await post('sign-in/email', body)).status).toBe(400)
})

test('changing the password requires the current one, and ends the other sessions', async () => {
  const user = await createPasswordFor(app, password)
  const [here, elsewhere] = [cookieOf(await signIn(user.email)), cookieOf(await signIn(user.email))]
  const change = (body: object) => post('change-password', body, { cookie: here, headers: { origin: app.url } })

  const wrong = await change({ currentPassword: 'wrong horse battery', newPassword: 'another horse battery' })
  expect([wrong.status, await wrong.json()]).toEqual([
    400,
    expect.objectContaining({ message: 'currentPassword: is wrong' }),
  ])
  expect((await change({ currentPassword: password, newPassword: 'too short' })).status).toBe(400)
  expect(await isSignedIn(elsewhere)).toBe(true)

  const changed = await change({ currentPassword: password, newPassword: 'another horse battery' })
  expect([changed.status, await changed.json()]).toEqual([
    200,
    { status: true, user: expect.objectContaining({ id: user.id }) },
  ])
  expect([await isSignedIn(here), await isSignedIn(elsewhere)]).toEqual([true, false])
  expect((await signIn(user.email)).status).toBe(401)
  expect((await signIn(user.email, 'another horse battery')).status).toBe(200)
  expect((await audit(user.id)).map(({ action }) => action)).toEqual([
    'login',
    'login',
    'failed_auth',
    'password_changed',
    'failed_auth',
    'login',
  ])
})

test('the other sessions stay on request', async () => {
  const user = await createPasswordFor(app, password)
  const [here, elsewhere] = [cookieOf(await signIn(user.email)), cookieOf(await signIn(user.email))]
  const input = { currentPassword: password, newPassword: 'another horse battery', revokeOtherSessions: false }
  expect((await post('change-password', input, { cookie: here })).status).toBe(200)
  expect(await isSignedIn(elsewhere)).toBe(true)
})

test('of two parallel changes, one succeeds', async () => {
  const user = await createPasswordFor(app, password)
  const cookie = cookieOf(await signIn(user.email))
  const changes = ['first', 'second', 'third'].map((word) =>
    post('change-password', { currentPassword: password, newPassword: `${word} horse battery` }, { cookie }),
  )
  expect((await Promise.all(changes)).map(({ status }) => status).toSorted()).toEqual([200, 400, 400])
})

test('changing the password requires a session, not an API token', async () => {
  const user = await createPasswordFor(app, password)
  const token = await createTokenFor(app, { user })
  const input = { currentPassword: password, newPassword: 'another horse battery' }
  expect((await post('change-password', input, { headers: { authorization: `Bearer ${token}` } })).status).toBe(403)
  expect((await post('change-password', input)).status).toBe(401)
  expect((await signIn(user.email)).status).toBe(200)
})
