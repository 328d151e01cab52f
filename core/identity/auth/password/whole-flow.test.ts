import { createAuthClient } from 'better-auth/client'
import { expect, test } from 'vitest'
import { createTestApp } from '../../../testing/app.ts'
import { dumpDatabase } from '../../../testing/dump.ts'
import { createMailServer } from '../../../testing/mail-server.ts'

const first = 'correct horse battery'
const second = 'another horse battery'
const third = 'yet another horse battery'

test('the client of better-auth completes the whole flow, and no secret is stored or logged', async () => {
  await using mail = await createMailServer()
  await using app = await createTestApp({ mail: { smtpUrl: mail.url, from: 'assay@example.com' } })
  const answers: string[] = []
  const cookies = new Map<string, string>()
  const secrets = new Set([first, second, third, 'wrong horse battery'])
  /** The client does not store cookies in Node. */
  const browser: typeof fetch = async (input, init) => {
    const headers = new Headers(init?.headers)
    headers.set('cookie', [...cookies].map((pair) => pair.join('=')).join('; '))
    headers.set('origin', app.url)
    const response = await fetch(input, { ...init, headers })
    for (const cookie of response.headers.getSetCookie()) {
      const [name = '', value = ''] = cookie.split(';', 1)[0]?.split('=') ?? []
      cookies.set(name, value)
      if (value !== '') secrets.add(value)
    }
    answers.push(await response.clone().text())
    return response
  }
  const client = createAuthClient({ baseURL: app.url, fetchOptions: { customFetchImpl: browser } })
  const email = 'ada@example.com'
  const takeToken = async (kind: string) => {
    const { link, token } = await mail.take(email)
    expect(link).toContain(kind)
    secrets.add(token)
    return token
  }

  const signedUp = await client.signUp.email({ email, password: first, name: 'Ada', callbackURL: '/start' })
  expect([signedUp.error, signedUp.data]).toEqual([null, expect.objectContaining({ status: true })])
  const verification = await takeToken('/verify-email')

  expect((await client.signIn.email({ email, password: 'wrong horse battery' })).error).toMatchObject({
    status: 401,
    code: 'UNAUTHORIZED',
    message: 'The e-mail address or the password is wrong.',
  })
  const signedIn = await client.signIn.email({ email, password: first, callbackURL: '/start', rememberMe: true })
  expect([signedIn.error, signedIn.data]).toEqual([
    null,
    { redirect: false, user: expect.objectContaining({ email, name: 'Ada', emailVerified: false }) },
  ])
  expect((await client.getSession()).data?.user).toMatchObject({ email })

  expect((await client.sendVerificationEmail({ email })).error).toBeNull()
  await takeToken('/verify-email')
  const verified = await browser(`${app.url}/api/auth/verify-email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: verification }),
  })
  expect(await verified.json()).toEqual({ status: true })
  expect((await client.getSession()).data?.user).toMatchObject({ emailVerified: true })

  const changed = await client.changePassword({
    currentPassword: first,
    newPassword: second,
    revokeOtherSessions: true,
  })
  expect([changed.error, changed.data]).toEqual([null, expect.objectContaining({ status: true })])
  expect((await mail.take(email)).body).toContain('was changed')

  expect((await client.requestPasswordReset({ email, redirectTo: '/start' })).error).toBeNull()
  const reset = await takeToken('/reset-password')
  expect((await client.resetPassword({ token: reset, newPassword: third })).data).toEqual({ status: true })
  expect((await client.getSession()).data).toBeNull()
  expect((await client.signIn.email({ email, password: second })).error?.status).toBe(401)
  expect((await client.signIn.email({ email, password: third })).error).toBeNull()
  expect((await client.signOut()).error).toBeNull()

  const places = {
    database: await dumpDatabase(app),
    log: app.logLines.join('\n'),
    answers: answers.join('\n'),
  }
  expect(places.database).toContain(email)
  expect(secrets.size).toBeGreaterThan(8)
  for (const [place, content] of Object.entries(places)) {
    for (const secret of secrets) expect(content.includes(secret), `${place} holds ${secret}`).toBe(false)
  }
  expect(places.log).not.toContain(email)
})
