import { expect, test } from 'vitest'
import { decrypt } from '../../../base/crypto.ts'
import {
  app,
  audited,
  callback,
  expectFailure,
  host,
  links,
  sessionOf,
  useCodeHostScene,
} from '../../../testing/code-host-scene.ts'
import { createSessionFor, createUser } from '../../../testing/factories.ts'
import { createVisitor } from '../../../testing/visitor.ts'

useCodeHostScene()

test('signing in ends at the callback URL with a session, an account and a link', async () => {
  const visitor = createVisitor(app)
  const begun = await visitor.visit('/api/auth/sign-in/social', {
    method: 'POST',
    json: { provider: 'code_host', callbackURL: '/projects?tab=all', disableRedirect: true },
  })
  expect(begun.status).toBe(200)
  expect(JSON.parse(begun.body)).toEqual({
    url: expect.stringContaining(`${host.url}/login/oauth/authorize?`),
    redirect: false,
  })
  expect(begun.setCookies).toEqual([
    expect.stringMatching(/^service\.sign_in=[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/),
  ])
  const back = new URL(await host.approve(JSON.parse(begun.body).url))
  expect(back.origin + back.pathname).toBe(app.url + callback)
  const visit = await visitor.visit(back.pathname + back.search)
  expect([visit.status, visit.location]).toEqual([302, `${app.url}/projects?tab=all`])
  expect(sessionOf(visit)).toMatch(/; HttpOnly; SameSite=Lax$/)

  const session = JSON.parse((await visitor.visit('/api/auth/get-session')).body)
  expect(session.user).toMatchObject({
    email: host.emails[0]?.email,
    emailVerified: true,
    name: host.user.name,
    avatar: host.user.avatar_url,
  })
  const link = await links().findOneByOrFail({ userId: session.user.id })
  expect(link).toMatchObject({ providerAccountId: String(host.user.id), login: host.user.login })
  const { secretKey } = app.config
  expect(decrypt(secretKey, `account_links/${link.id}/access_token`, link.accessToken)).toBe(host.given.tokens.at(-1))
  for (const action of ['account_created', 'account_linked', 'login']) {
    expect((await audited(action))[0]?.user_id).toBe(session.user.id)
  }
})

test('a callback URL of a trusted origin is accepted, and a query is kept', async () => {
  const callbackURL = 'http://localhost:5173/in?a=b'
  expect((await createVisitor(app).signIn(host, { callbackURL })).location).toBe(callbackURL)
})

test.each(['callbackURL', 'errorCallbackURL'])('hostile addresses as %s are refused by name', async (field) => {
  const hostile = ['//evil.example', '/\\evil.example', '/%2fevil.example', '/%5cevil.example', '/%09/evil.example']
  const more = [
    '/a\r\nb',
    '/%0d%0aSet-Cookie:a=b',
    'https://evil.example/',
    'javascript:alert(1)',
    `${app.url}@evil.example`,
  ]
  const { port } = new URL(app.url)
  const others = [
    `http://127.0.0.1:${Number(port) - 1}/`,
    `http://user:password@127.0.0.1:${port}/`,
    '/'.padEnd(2_050, 'a'),
  ]
  for (const address of [...hostile, ...more, ...others]) {
    const visit = await createVisitor(app).visit('/api/auth/sign-in/social', {
      method: 'POST',
      json: { provider: 'code_host', [field]: address },
    })
    expect([address, visit.status]).toEqual([address, 400])
    expect(JSON.parse(visit.body).message).toMatch(new RegExp(`^${field}: `))
  }
})

test('another provider, and a code host that is not configured, give a clear error', async () => {
  const visitor = createVisitor(app)
  const begin = (json: object) => visitor.visit('/api/auth/sign-in/social', { method: 'POST', json })
  expect(JSON.parse((await begin({ provider: 'other' })).body)).toMatchObject({
    code: 'VALIDATION_ERROR',
    message: 'provider: must be code_host',
  })
  const { codeHost } = app.config
  app.config.codeHost = { ...codeHost, client: undefined }
  try {
    const visit = await begin({ provider: 'code_host' })
    expect(visit.status).toBe(400)
    expect(JSON.parse(visit.body).message).toContain('CODE_HOST_CLIENT_ID')
  } finally {
    app.config.codeHost = codeHost
  }
})

test('a page of another origin cannot begin a sign-in, with or without a cookie', async () => {
  const begin = (headers: Record<string, string>) =>
    createVisitor(app).visit('/api/auth/sign-in/social', { method: 'POST', json: { provider: 'code_host' }, headers })
  expect((await begin({ origin: 'https://evil.example' })).status).toBe(403)
  expect((await begin({ 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  expect((await begin({ origin: 'http://localhost:5173' })).status).toBe(200)
})

test('a sign-in never reuses the previous session', async () => {
  const attacker = await createUser(app)
  const { cookie, sessionId } = await createSessionFor(app, attacker)
  const planted = cookie.slice(cookie.indexOf('=') + 1)
  for (const value of [planted, 'chosen-by-somebody']) {
    const visitor = createVisitor(app, { 'service.session_token': value })
    await visitor.signIn(host)
    expect(visitor.cookies.get('service.session_token')).not.toBe(value)
    const { session, user } = JSON.parse((await visitor.visit('/api/auth/get-session')).body)
    expect(session.id).not.toBe(sessionId)
    expect(user.email).toBe(host.emails[0]?.email)
  }
  const own = JSON.parse(
    (await createVisitor(app, { 'service.session_token': planted }).visit('/api/auth/get-session')).body,
  )
  expect(own.user.email).toBe(attacker.email)
})

test('one address can begin at most 60 sign-ins in 15 minutes', async () => {
  const visitor = createVisitor(app)
  const statuses: number[] = []
  for (let count = 0; count < 61; count++) {
    const { status } = await visitor.visit('/api/auth/sign-in/social', {
      method: 'POST',
      json: { provider: 'code_host' },
    })
    statuses.push(status)
  }
  expect(statuses.filter((status) => status === 200).length).toBe(60)
  expect(statuses.at(-1)).toBe(429)
  expectFailure(await visitor.visit(`${callback}?code=a&state=b`), 'rate_limited')
})
