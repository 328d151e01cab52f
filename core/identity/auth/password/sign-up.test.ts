import { expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../testing/app.ts'
import { createPasswordFor, createSessionFor, createUser } from '../../../testing/factories.ts'
import { createMailServer } from '../../../testing/mail-server.ts'

const password = 'correct horse battery'
const signUp = (app: TestApp, email: string) =>
  app.fetch('/api/auth/sign-up/email', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  })

test('with SIGN_UP=invite, only the first of ten parallel sign-ups creates an account', async () => {
  await using app = await createTestApp({ signUp: 'invite' })
  const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => signUp(app, `first${index}@example.com`)))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 9 }, () => 403)])
  const [count] = await app.dataSource.query<{ users: number; jobs: number }[]>(
    `SELECT (SELECT count(*)::int FROM users) AS users, (SELECT count(*)::int FROM pgboss.job WHERE name = 'mail') AS jobs`,
  )
  expect(count).toEqual({ users: 1, jobs: 1 })
})

test('with SIGN_UP=closed, known and unknown addresses get the same answer', async () => {
  await using app = await createTestApp({ signUp: 'closed' })
  const { email } = await createUser(app)
  const [known, unknown] = await Promise.all([signUp(app, email), signUp(app, 'nobody@example.com')])
  expect([known.status, unknown.status]).toEqual([403, 403])
  expect(await known.json()).toEqual(await unknown.json())
})

test('the address of the local owner cannot be used to sign up', async () => {
  await using app = await createTestApp({ signUp: 'open' })
  expect((await signUp(app, 'Owner@localhost')).status).toBe(403)
})

test('with SIGN_UP=invite, the owner of local mode counts as the first account, and the owner in production does not', async () => {
  await using app = await createTestApp({ signUp: 'invite', local: true })
  await createUser(app, { email: 'owner@localhost' })
  expect((await signUp(app, 'first@example.com')).status).toBe(403)
  app.config.local = false
  expect((await signUp(app, 'first@example.com')).status).toBe(200)
  expect((await signUp(app, 'second@example.com')).status).toBe(403)
})

test('an attacker gains nothing from an account with the address of another person', async () => {
  await using mail = await createMailServer()
  await using app = await createTestApp({ mail: { smtpUrl: mail.url, from: 'assay@example.com' } })
  const email = 'victim@example.com'
  await signUp(app, email)
  const { token } = await mail.take(email)
  const confirm = (body: object) =>
    app.fetch('/api/auth/verify-email', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token, ...body }),
    })
  // The owner of the mailbox has neither the password nor a session of the account.
  expect((await confirm({})).status).toBe(401)
  expect((await confirm({ password: 'some other password' })).status).toBe(401)
  const { cookie } = await createSessionFor(app)
  expect((await app.fetch(`/verify-email?token=${token}`, { cookie })).status).toBe(200)
  const [row] = await app.dataSource.query<{ email_verified: boolean }[]>(
    'SELECT email_verified FROM users WHERE email = $1',
    [email],
  )
  expect(row).toEqual({ email_verified: false })
  expect((await confirm({ password })).status).toBe(200)
})

test('mail that a stranger requests does not block a password reset', async () => {
  await using mail = await createMailServer()
  await using app = await createTestApp({ trustProxy: 1, mail: { smtpUrl: mail.url, from: 'assay@example.com' } })
  const { email } = await createUser(app)
  const ask = (path: string, address: string) =>
    app.fetch(`/api/auth/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
      body: JSON.stringify({ email, password }),
    })
  const statuses: number[] = []
  for (const path of ['send-verification-email', 'request-password-reset', 'sign-up/email']) {
    for (let count = 0; count < 6; count++) statuses.push((await ask(path, '192.0.2.1')).status)
  }
  expect(statuses.filter((status) => status === 429)).toHaveLength(3)
  expect((await ask('request-password-reset', '192.0.2.2')).status).toBe(200)
})

test('a password reset clears the failed attempts', async () => {
  await using mail = await createMailServer()
  await using app = await createTestApp({ mail: { smtpUrl: mail.url, from: 'assay@example.com' } })
  const { email } = await createPasswordFor(app, password)
  const send = (path: string, body: object) =>
    app.fetch(`/api/auth/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  for (let count = 0; count < 10; count++) await send('sign-in/email', { email, password: 'forgotten' })
  const refused = await send('sign-in/email', { email, password })
  expect([refused.status, ((await refused.json()) as { message: string }).message]).toEqual([
    429,
    'Too many attempts. Try again in 15 minutes.',
  ])
  await send('request-password-reset', { email })
  const { token } = await mail.take(email)
  expect((await send('reset-password', { token, newPassword: 'remembered at last' })).status).toBe(200)
  expect((await send('sign-in/email', { email, password: 'remembered at last' })).status).toBe(200)
})
