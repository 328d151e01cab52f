import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../testing/app.ts'
import { createPasswordFor, createSessionFor, createTokenFor, createUser } from '../../../testing/factories.ts'
import { createMailServer, type MailServer } from '../../../testing/mail-server.ts'
import { rules } from '../../limits/rules.ts'
import { UserEntity } from '../../users/entity.ts'
import { issueOneTimeToken } from '../../users/one-time-token.ts'

let mail: MailServer
let app: TestApp
let clock = 0
beforeAll(async () => {
  mail = await createMailServer()
  const config = { trustProxy: 1, mail: { smtpUrl: mail.url, from: 'Assay <assay@example.com>' } }
  app = await createTestApp(config, { now: () => new Date(Date.now() + clock) })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await mail[Symbol.asyncDispose]()
})

const password = 'correct horse battery'
const newPassword = 'another horse battery'
let callers = 0
const newAddress = () => `203.0.113.${(callers += 1)}`
let names = 0
const newEmail = () => `person${(names += 1)}@example.com`

function post(path: string, body: unknown, { address = newAddress(), cookie = '' } = {}): Promise<Response> {
  return app.fetch(`/api/auth/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify(body),
    cookie,
  })
}

/** Submits a form like a browser. */
function submit(path: string, fields: Record<string, string>): Promise<Response> {
  return app.fetch(path, {
    method: 'POST',
    headers: { origin: app.url, 'x-forwarded-for': newAddress() },
    body: new URLSearchParams(fields),
    redirect: 'manual',
  })
}

const users = () => app.dataSource.getRepository(UserEntity)
const signIn = async (email: string, given = password) =>
  (await post('sign-in/email', { email, password: given })).status
const isSignedIn = async (cookie: string) => (await app.fetch('/api/auth/get-session', { cookie })).status === 200
const actions = async (userId: string) => {
  const sql = 'SELECT action FROM audit_logs WHERE user_id = $1 ORDER BY sequence'
  return (await app.dataSource.query<{ action: string }[]>(sql, [userId])).map(({ action }) => action)
}
const describe = async (response: Response) => [response.status, response.headers.getSetCookie(), await response.json()]

test('a new account is unverified and signed out, and the page of the mailed link verifies it with a button', async () => {
  const email = newEmail()
  const signedUp = await post('sign-up/email', {
    email: email.toUpperCase(),
    password,
    name: 'Ada',
    callbackURL: '/start',
  })
  expect(await describe(signedUp)).toEqual([200, [], { status: true, message: expect.any(String) }])
  const user = await users().findOneByOrFail({ email })
  expect(user).toMatchObject({ name: 'Ada', emailVerified: false })
  expect(await signIn(email)).toBe(200)

  const { link, token } = await mail.take(email)
  expect(link).toBe(`${app.url}/verify-email?token=${token}&callbackURL=${encodeURIComponent(`${app.url}/start`)}`)
  const shown = await fetch(link)
  expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining('Confirm address')])
  await fetch(link, { method: 'HEAD' })
  expect(await users().findOneByOrFail({ email })).toMatchObject({ emailVerified: false })

  expect((await submit('/verify-email', { token })).status).toBe(401)
  expect((await submit('/verify-email', { token, password: 'not the password' })).status).toBe(401)
  const done = await submit('/verify-email', { token, password, callbackURL: `${app.url}/start` })
  expect([done.status, await done.text()]).toEqual([200, expect.stringContaining(`href="${app.url}/start"`)])
  expect(await users().findOneByOrFail({ email })).toMatchObject({ emailVerified: true })
  expect((await fetch(link)).status).toBe(400)
  expect((await submit('/verify-email', { token })).status).toBe(400)
  expect(await actions(user.id)).toEqual(['account_created', 'login', 'failed_auth', 'email_verified'])
})

test('no response reveals whether an address has an account', async () => {
  const known = (await createPasswordFor(app, password)).email
  const unknown = newEmail()
  for (const [path, rest] of [
    ['sign-up/email', { password }],
    ['request-password-reset', {}],
    ['send-verification-email', {}],
  ] as const) {
    const answer = await describe(await post(path, { email: known, ...rest }))
    expect(answer, path).toEqual([200, [], { status: true, message: expect.any(String) }])
    expect(await describe(await post(path, { email: unknown, ...rest })), path).toEqual(answer)
  }
})

test('a sign-up with a used address notifies its owner and changes nothing', async () => {
  const user = await createPasswordFor(app, password)
  await post('sign-up/email', { email: user.email, password: newPassword, name: 'Somebody else' })
  const { body, token } = await mail.take(user.email)
  expect(body).toContain('already has an account')
  expect(token).toBe('')
  expect([await signIn(user.email), await signIn(user.email, newPassword)]).toEqual([200, 401])
  expect(await users().findOneByOrFail({ id: user.id })).toMatchObject({ name: user.name })
})

test('five parallel sign-ups with one address create one account', async () => {
  const email = newEmail()
  const spellings = Array.from({ length: 5 }, (_, index) => (index % 2 ? email : email.toUpperCase()))
  const answers = await Promise.all(spellings.map((spelling) => post('sign-up/email', { email: spelling, password })))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  expect(await users().countBy({ email })).toBe(1)
})

test.each([
  ['nine characters', 'x'.repeat(9), 400],
  ['ten', 'x'.repeat(10), 200],
  ['ten that are pairs of code units', '🐎'.repeat(10), 200],
  ['256', 'x'.repeat(256), 200],
  ['257', 'x'.repeat(257), 400],
])('a new password of %s', async (_, chosen, status) => {
  const response = await post('sign-up/email', { email: newEmail(), password: chosen })
  expect([response.status, await response.text()]).toEqual([status, expect.not.stringContaining(chosen)])
})

test('a password reset link works once, also in ten parallel requests, and ends every session', async () => {
  const user = await createPasswordFor(app, password)
  const { cookie } = await createSessionFor(app, user)
  const apiToken = await createTokenFor(app, { user })
  await post('request-password-reset', { email: user.email, redirectTo: '/start' })
  const { link, token } = await mail.take(user.email)
  expect(link).toContain(`${app.url}/reset-password?token=`)

  const resets = Array.from({ length: 10 }, () => post('reset-password', { token, newPassword }))
  const statuses = (await Promise.all(resets)).map(({ status }) => status)
  expect(statuses.toSorted()).toEqual([200, ...Array.from({ length: 9 }, () => 400)])
  expect([await signIn(user.email), await signIn(user.email, newPassword)]).toEqual([401, 200])
  expect(await isSignedIn(cookie)).toBe(false)
  // The address was already verified, so its owner created this token.
  expect(await app.client(apiToken).tokens.current.query()).toMatchObject({})
  expect(await actions(user.id)).toEqual(['login', 'password_reset', 'failed_auth', 'login'])
  expect((await mail.take(user.email)).body).toContain('was changed')
})

test('a password reset takes an account back from a person who created it without owning the address', async () => {
  const email = newEmail()
  await post('sign-up/email', { email, password })
  const user = await users().findOneByOrFail({ email })
  await mail.take(email)
  const { cookie } = await createSessionFor(app, user)
  const apiToken = await createTokenFor(app, { user })

  await post('request-password-reset', { email })
  const { token } = await mail.take(email)
  expect((await post('reset-password', { token, newPassword })).status).toBe(200)
  expect(await users().findOneByOrFail({ email })).toMatchObject({ emailVerified: true })
  expect([await isSignedIn(cookie), await signIn(email), await signIn(email, newPassword)]).toEqual([false, 401, 200])
  expect(await actions(user.id)).toEqual([
    'account_created',
    'login',
    'password_reset',
    'email_verified',
    'token_revoked',
    'failed_auth',
    'login',
  ])
  await expect(app.client(apiToken).tokens.current.query()).rejects.toThrow()
})

test('the password reset page explains mistakes, keeps the link valid after them, and leads to sign-in', async () => {
  const user = await createUser(app)
  await post('request-password-reset', { email: user.email })
  const { link, token } = await mail.take(user.email)
  expect(await (await fetch(link)).text()).toContain('name="newPassword"')

  const tooShort = await submit('/reset-password', { token, newPassword: 'short' })
  expect([tooShort.status, await tooShort.text()]).toEqual([400, expect.stringContaining('must have 10 to 256')])
  const done = await submit('/reset-password', { token, newPassword })
  expect([done.status, done.headers.get('location')]).toEqual([303, '/sign-in?done=password-reset'])
  expect(await signIn(user.email, newPassword)).toBe(200)
  const again = await submit('/reset-password', { token, newPassword })
  expect([again.status, await again.text()]).toEqual([400, expect.stringContaining('not valid')])
})

test('the pages accept only their own form, and redirect only to trusted origins', async () => {
  const user = await createUser(app, { emailVerified: false })
  await post('send-verification-email', { email: user.email })
  const { link, token } = await mail.take(user.email)
  const from = (headers: Record<string, string>, body: string | URLSearchParams) =>
    app.fetch('/verify-email', { method: 'POST', headers, body })
  const fields = new URLSearchParams({ token })
  expect((await from({ origin: 'https://evil.example' }, fields)).status).toBe(403)
  expect((await from({ 'content-type': 'application/json' }, JSON.stringify({ token }))).status).toBe(415)
  expect((await from({}, new URLSearchParams([...fields, ['token', 'another']]))).status).toBe(400)
  expect((await from({}, new URLSearchParams({ token, x: 'x'.repeat(70_000) }))).status).toBe(413)
  expect((await submit('/verify-email', { token, callbackURL: 'https://evil.example' })).status).toBe(400)
  expect((await fetch(`${link}&callbackURL=https://evil.example`)).status).toBe(400)
  const reflected = await (await fetch(`${app.url}/verify-email?token=%22%3E%3Cscript%3E`)).text()
  expect(reflected).not.toContain('<script')
  expect(await users().findOneByOrFail({ id: user.id })).toMatchObject({ emailVerified: false })
})

test('the links of better-auth clients redirect to the pages and change nothing', async () => {
  const user = await createPasswordFor(app, password, await createUser(app, { emailVerified: false }))
  const { token } = await issueOneTimeToken(app.dataSource.manager, 'verify_email', user.id, new Date())
  for (const page of ['verify-email', 'reset-password']) {
    const response = await app.fetch(`/api/auth/${page}?token=${token}`, { redirect: 'manual' })
    expect([response.status, response.headers.get('location')]).toEqual([303, `${app.url}/${page}?token=${token}`])
    expect((await app.fetch(`/api/auth/${page}`, { redirect: 'manual' })).status).toBe(400)
    expect((await app.fetch(`/api/auth/${page}?token=a&token=b`, { redirect: 'manual' })).status).toBe(400)
  }
  expect(await users().findOneByOrFail({ id: user.id })).toMatchObject({ emailVerified: false })
  expect(await (await post('verify-email', { token, password })).json()).toEqual({ status: true })
})

test('a token works only for its purpose and until it expires', async () => {
  const user = await createUser(app, { emailVerified: false })
  const issue = async (purpose: 'verify_email' | 'reset_password' | 'local_sign_in') =>
    (await issueOneTimeToken(app.dataSource.manager, purpose, user.id, new Date(Date.now() + clock))).token
  const verification = await issue('verify_email')
  const reset = await issue('reset_password')
  expect((await post('verify-email', { token: reset })).status).toBe(400)
  expect((await post('verify-email', { token: await issue('local_sign_in') })).status).toBe(400)
  expect((await post('reset-password', { token: verification, newPassword })).status).toBe(400)
  expect((await post('reset-password', { token: 'made up', newPassword })).status).toBe(400)
  clock += 3_600_000
  expect((await post('reset-password', { token: reset, newPassword })).status).toBe(400)
  clock += 23 * 3_600_000
  expect((await post('verify-email', { token: verification })).status).toBe(400)
  expect(await users().findOneByOrFail({ id: user.id })).toMatchObject({ emailVerified: false })
  expect(await actions(user.id)).toEqual([])
})

test('changing the password invalidates password reset links', async () => {
  const user = await createPasswordFor(app, password)
  const { cookie } = await createSessionFor(app, user)
  const { token } = await issueOneTimeToken(
    app.dataSource.manager,
    'reset_password',
    user.id,
    new Date(Date.now() + clock),
  )
  expect((await post('change-password', { currentPassword: password, newPassword }, { cookie })).status).toBe(200)
  expect((await post('reset-password', { token, newPassword: password })).status).toBe(400)
})

test('a signed-in user gets the mail for the own address, whatever the input', async () => {
  const user = await createUser(app, { emailVerified: false })
  const other = await createUser(app, { emailVerified: false })
  const { cookie } = await createSessionFor(app, user)
  expect((await post('send-verification-email', { email: other.email }, { cookie })).status).toBe(200)
  expect((await mail.take(user.email)).link).toContain('/verify-email?token=')
  expect(mail.messages.some(({ recipients }) => recipients.includes(other.email))).toBe(false)
  expect((await post('send-verification-email', {})).status).toBe(400)
})

test('limits the mail to one mailbox from all callers, and the mail of one caller to all mailboxes', async () => {
  for (const email of [(await createUser(app)).email, newEmail()]) {
    const asked = Array.from({ length: rules.mailByAccount.points + 2 }, () =>
      post('request-password-reset', { email }),
    )
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 429)).toHaveLength(2)
  }
  const address = newAddress()
  const asked = Array.from({ length: rules.mailByAddress.points + 3 }, () =>
    post('send-verification-email', { email: newEmail() }, { address }),
  )
  const statuses = (await Promise.all(asked)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 429)).toHaveLength(3)
})
