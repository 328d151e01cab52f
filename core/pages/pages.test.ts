import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Config } from '../config.ts'
import { newId } from '../base/ids.ts'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createPasswordFor, createSessionFor, createTokenFor, createUser } from '../testing/factories.ts'

const codeHost: Config['codeHost'] = {
  client: { id: 'client', secret: 'a secret of the client' },
  url: 'https://git.example.com',
  apiUrl: 'https://git.example.com/api/v3',
}

let app: TestApp
beforeAll(async () => {
  app = await createTestApp({ codeHost })
})
afterAll(() => app[Symbol.asyncDispose]())

const password = 'quiet green horses'
const get = (path: string, cookie?: string, headers: Record<string, string> = {}) =>
  app.fetch(path, { redirect: 'manual', headers, ...(cookie ? { cookie } : {}) })
const post = (path: string, fields: Record<string, string>, cookie?: string, headers: Record<string, string> = {}) =>
  app.fetch(path, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams(fields),
    headers: { origin: app.url, ...headers },
    ...(cookie ? { cookie } : {}),
  })
const cookieOf = (response: Response) => response.headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
const location = (response: Response) => [response.status, response.headers.get('location')]

const statusOfSession = async (cookie: string) => (await app.fetch('/api/auth/get-session', { cookie })).status

test('the dashboard redirects to sign-in without a session, and sign-in leads back', async () => {
  expect(location(await get('/'))).toEqual([303, '/sign-in'])
  expect(location(await get('/', `service.session_token=nonsense`))).toEqual([303, '/sign-in'])
  expect(location(await get('/?error=access_denied'))).toEqual([303, '/sign-in?error=access_denied'])
  const page = '/projects/01K/runs?status=FAILED'
  const signIn = `/sign-in?callbackURL=${encodeURIComponent(page)}`
  expect(location(await get(page))).toEqual([303, signIn])
  expect(await (await get(signIn)).text()).toContain(`value="${app.url}${page}"`)
  // The sign-in page would refuse this address, so it is left out.
  expect(location(await get('/projects/%252f'))).toEqual([303, '/sign-in'])
})

test('a signed-in user gets the dashboard, whose scripts may run nothing else', async () => {
  const { cookie } = await createSessionFor(app)
  for (const path of ['/', '/projects/01K', '/organizations', '/organizations/shop', '/settings/tokens', '/system']) {
    const response = await get(path, cookie)
    const policy = response.headers.get('content-security-policy') ?? ''
    expect([path, response.status, response.headers.get('cache-control')]).toEqual([path, 200, 'no-store'])
    expect(policy).not.toContain('unsafe')
    expect(policy).toContain("script-src 'self'; style-src 'self'")
    expect(policy).toContain("require-trusted-types-for 'script'")
  }
  expect((await get('/unknown', cookie)).status).toBe(404)
})

test('a person who opens an unknown address gets a page, and a program an error', async () => {
  const page = await get('/nothing-is-here', undefined, { accept: 'text/html,*/*;q=0.8' })
  expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
  expect(await page.text()).toContain('<a href="/">Go to the start page</a>')
  for (const [path, accept] of [
    ['/nothing-is-here', '*/*'],
    ['/api/nothing', 'text/html'],
  ] as const) {
    const error = await get(path, undefined, { accept })
    expect([path, error.status, await error.json()]).toMatchObject([path, 404, { code: 'NOT_FOUND' }])
  }
})

test('the scripts and styles of the dashboard are sent compressed, for good, and without a session', async () => {
  const { cookie } = await createSessionFor(app)
  const document = await (await get('/', cookie)).text()
  expect(document).not.toMatch(/<script>|\son\w+=|style=/)
  const loaded = [...document.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '')
  expect(loaded.length).toBeGreaterThanOrEqual(3)
  for (const path of loaded.filter((path) => !path.endsWith('.svg'))) {
    const plain = await get(path, undefined, { 'accept-encoding': 'identity' })
    const text = await plain.text()
    expect([plain.status, plain.headers.get('content-encoding')]).toEqual([200, null])
    // The build leaves files as they are that compression makes no smaller.
    for (const encoding of text.length < 1_024 ? [] : ['br', 'gzip']) {
      const response = await get(path, undefined, { 'accept-encoding': encoding })
      const { headers } = response
      expect([headers.get('content-encoding'), headers.get('vary')]).toEqual([encoding, 'Accept-Encoding'])
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(Number(headers.get('content-length'))).toBeLessThan(text.length)
      expect(await response.text()).toBe(text)
    }
  }
  expect((await get('/assets/unknown.js')).status).toBe(404)
  expect((await get('/assets/..%2findex.html')).status).toBe(400)
})

test('a user signs in and out with forms', async () => {
  const { email } = await createPasswordFor(app, password)
  const response = await post('/sign-in', { email: ` ${email.toUpperCase()}`, password })
  expect(location(response)).toEqual([303, `${app.url}/`])
  const cookie = cookieOf(response)
  expect((await get('/', cookie)).status).toBe(200)

  const out = await post('/sign-out', {}, cookie)
  expect([...location(out), out.headers.getSetCookie()[0]]).toEqual([
    303,
    '/sign-in?done=signed-out',
    expect.stringContaining('Max-Age=0'),
  ])
  expect(await statusOfSession(cookie)).toBe(401)
  expect(await (await get('/sign-in?done=signed-out')).text()).toContain('You are signed out.')
})

test('a wrong password shows an error and keeps the entered address, but not the password', async () => {
  const { email } = await createPasswordFor(app, password)
  const wrong = await post('/sign-in', { email, password: 'not-the-password', callbackURL: '/somewhere' })
  const text = await wrong.text()
  expect([wrong.status, wrong.headers.getSetCookie()]).toEqual([401, []])
  expect(text).toContain('role="alert"')
  expect(text).toContain('The e-mail address or the password is wrong.')
  expect(text).toContain(`value="${email}"`)
  expect(text).toContain('value="/somewhere"')
  expect(text).not.toContain('not-the-password')
})

test('errors about invalid input name the label of the field', async () => {
  const noAddress = await post('/sign-in', { email: 'nobody', password })
  expect([noAddress.status, await noAddress.text()]).toEqual([400, expect.stringContaining('E-mail address: must be')])
  const short = await post('/sign-up', { name: 'N', email: 'n@example.com', password: 'short' })
  const text = await short.text()
  expect([short.status, text]).toEqual([400, expect.stringContaining('Password: must have 10 to 256 characters')])
  expect(text).toContain('value="n@example.com"')
  expect(text).not.toContain('"short"')
})

test('repeated wrong passwords are refused, with the time to wait', async () => {
  const { email } = await createPasswordFor(app, password)
  let last = await post('/sign-in', { email, password: 'a guess' })
  for (let guess = 0; guess < 12 && last.status === 401; guess++) {
    last = await post('/sign-in', { email, password: 'a guess' })
  }
  expect(last.status).toBe(429)
  expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await last.text()).toContain(`value="${email}"`)
})

test('forms of foreign origins are refused, also without a cookie', async () => {
  await using strangers = await createTestApp()
  const { email } = await createPasswordFor(strangers, password)
  const foreign = [{ origin: 'https://evil.example' }, { origin: 'null' }, { 'sec-fetch-site': 'cross-site' }]
  for (const headers of foreign) {
    for (const path of ['/sign-in', '/sign-up', '/forgot-password', '/sign-in/code-host', '/sign-out']) {
      const body = new URLSearchParams({ email, password })
      const response = await strangers.fetch(path, { method: 'POST', headers, body })
      const { status, headers: answered } = response
      expect([path, status, answered.getSetCookie()]).toEqual([path, 403, []])
      expect(answered.get('content-type')).toContain('text/html')
    }
  }
})

test('a form with another content type or malformed body is refused', async () => {
  const json = await app.fetch('/sign-in', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'a@example.com', password }),
  })
  expect(json.status).toBe(415)
  const twice = await app.fetch('/sign-in', {
    method: 'POST',
    body: new URLSearchParams([
      ['email', 'a@example.com'],
      ['email', 'b@example.com'],
    ]),
  })
  expect(twice.status).toBe(400)
})

test('sign-in returns to the requested address, also to a dashboard of a trusted origin', async () => {
  const { email } = await createPasswordFor(app, password)
  const callbackURL = 'http://localhost:5173/projects?x=1&y=2'
  const form = await (await get(`/sign-in?${new URLSearchParams({ callbackURL }).toString()}`)).text()
  expect(form).toContain('value="http://localhost:5173/projects?x=1&#38;y=2"')

  const response = await post('/sign-in', { email, password, callbackURL })
  const text = await response.text()
  // A redirect after a form would be stopped by form-action.
  expect(response.status).toBe(200)
  expect(text).toContain('<meta http-equiv="refresh" content="0; url=http://localhost:5173/projects?x=1&#38;y=2" />')
  expect(text).toContain('<a href="http://localhost:5173/projects?x=1&#38;y=2"')
  expect(await statusOfSession(cookieOf(response))).toBe(200)
  const own = await post('/sign-in', { email, password, callbackURL: '/?x=1' })
  expect(location(own)).toEqual([303, `${app.url}/?x=1`])
})

test('sign-in refuses to return to an untrusted origin', async () => {
  const { email } = await createPasswordFor(app, password)
  for (const callbackURL of ['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)']) {
    const query = new URLSearchParams({ callbackURL }).toString()
    expect((await get(`/sign-in?${query}`)).status).toBe(400)
    expect((await get(`/sign-up?${query}`)).status).toBe(400)
    const response = await post('/sign-in', { email, password, callbackURL })
    expect([response.status, response.headers.getSetCookie()]).toEqual([400, []])
    expect((await post('/sign-in/code-host', { callbackURL })).status).toBe(400)
  }
})

test('a failed sign-in shows a sentence of Assay, never text from the URL', async () => {
  const known = await (await get('/sign-in?error=access_denied')).text()
  expect(known).toContain('You did not allow the sign-in')
  for (const code of ['<img src=x>', 'toString', 'made up', 'a&error=b']) {
    const text = await (await get(`/sign-in?error=${encodeURIComponent(code)}`)).text()
    expect(text).toContain('Sign-in failed.')
    expect(text).not.toContain(code)
  }
})

test('the sign-in page of a signed-in user has a link instead of a form or a redirect', async () => {
  const { cookie } = await createSessionFor(app)
  const response = await get('/sign-in?callbackURL=/x', cookie)
  const text = await response.text()
  expect([response.status, text]).toEqual([200, expect.stringContaining(`href="${app.url}/x"`)])
  expect(text).not.toContain('type="password"')
})

test('the sign-in page explains that the session was ended elsewhere', async () => {
  const { cookie, sessionId } = await createSessionFor(app)
  await app.dataSource.query('UPDATE sessions SET revoked_at = now() WHERE id = $1', [sessionId])
  expect(await (await get('/sign-in', cookie)).text()).toContain('The session was ended.')
})

test('pages ignore API tokens', async () => {
  const user = await createUser(app)
  const { cookie } = await createSessionFor(app, user)
  const token = await createTokenFor(app, { user })
  for (const path of ['/verify-email/send', '/link/code-host']) {
    const body = new URLSearchParams()
    expect([path, (await app.fetch(path, { method: 'POST', token, body })).status]).toEqual([path, 401])
  }
  expect(location(await app.fetch('/', { token, redirect: 'manual' }))).toEqual([303, '/sign-in'])
  expect(await statusOfSession(cookie)).toBe(200)
})

test('names and addresses are escaped', async () => {
  const hostile = `"><script>alert('1')</script><img src=x onerror=alert(2)>&amp;`
  const user = await createUser(app, { name: hostile, email: `"<b>${newId(new Date())}</b>"@example.com` })
  const { cookie } = await createSessionFor(app, user)
  const pages = [
    await get('/sign-in', cookie),
    await post('/sign-in', { email: hostile, password: hostile, callbackURL: hostile }),
    await post('/sign-up', { name: hostile, email: hostile, password: hostile, callbackURL: hostile }),
    await post('/forgot-password', { email: hostile }),
    await get(`/sign-in?error=${encodeURIComponent(hostile)}&done=${encodeURIComponent(hostile)}`),
    await get(`/sign-in?callbackURL=${encodeURIComponent(hostile)}`),
  ]
  for (const response of pages) {
    const text = await response.text()
    expect(text).not.toMatch(/<script|<img|<b>/)
    expect(
      text.match(
        /<(?!\/?(?:!doctype|html|head|meta|title|style|body|header|main|h1|h2|p|a|form|input|button|label|ul|li|div|strong|code|time)\b)[^\s]*/gi,
      ),
    ).toBeNull()
  }
})

test('pages have no script, load nothing, and cannot be cached or framed', async () => {
  const { cookie } = await createSessionFor(app)
  for (const response of [await get('/sign-in'), await get('/sign-in', cookie), await get('/sign-up')]) {
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; .*frame-ancestors 'none'$/,
    )
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const text = await response.text()
    expect(text).not.toMatch(/<script|\son\w+=|src=|style=/)
    expect(text).toContain('<html lang="en">')
    // Every input that is seen has a label.
    for (const [, id] of text.matchAll(/<input\s+id="(\w+)"/g)) expect(text).toContain(`<label for="${id}">`)
    expect(text).not.toContain(cookie.split('=')[1])
  }
})

test('a user with an unverified address can have a verification link sent', async () => {
  const { cookie } = await createSessionFor(app, await createUser(app, { emailVerified: false }))
  expect(location(await post('/verify-email/send', {}, cookie))).toEqual([303, '/settings?done=verification-sent'])
})

test('sign-up and password reset do not reveal whether an account exists', async () => {
  const { email } = await createPasswordFor(app, password)
  for (const address of [email, 'nobody-has-this@example.com']) {
    expect(location(await post('/forgot-password', { email: address }))).toEqual([303, '/forgot-password?done=sent'])
    const signedUp = await post('/sign-up', { name: 'Me', email: address, password })
    expect([...location(signedUp), signedUp.headers.getSetCookie()]).toEqual([303, '/sign-up?done=sent', []])
  }
  expect(await (await get('/forgot-password?done=sent')).text()).toContain('If an account with this address exists')
  expect(await (await get('/sign-up?done=sent')).text()).toContain('Check your e-mail')
})

test('no page offers sign-up if it is closed', async () => {
  await using closed = await createTestApp({ signUp: 'closed' })
  expect(await (await closed.fetch('/sign-in')).text()).not.toContain('/sign-up')
  expect((await closed.fetch('/sign-up')).status).toBe(403)
  const body = new URLSearchParams({ name: 'Me', email: 'me@example.com', password })
  expect((await closed.fetch('/sign-up', { method: 'POST', body })).status).toBe(403)
})

test('the code host button leads to the code host, with a link for browsers that do not follow automatically', async () => {
  expect(await (await get('/sign-in')).text()).toContain('Continue with git.example.com')
  const response = await post('/sign-in/code-host', { callbackURL: '/x' })
  const text = await response.text()
  expect([response.status, response.headers.getSetCookie().length]).toEqual([200, 1])
  expect(text).toMatch(
    /<meta http-equiv="refresh" content="0; url=https:\/\/git\.example\.com\/login\/oauth\/authorize/,
  )
  expect(text).toMatch(/<a href="https:\/\/git\.example\.com\/login\/oauth\/authorize\?[^"]*state=/)
  expect(text).not.toContain('a secret of the client')
})

test('a form leads a signed-in user to the code host, to link an account or to widen its rights', async () => {
  const { cookie } = await createSessionFor(app)
  const leaving = await post('/link/code-host', {}, cookie)
  expect([leaving.status, await leaving.text()]).toEqual([200, expect.stringContaining('/login/oauth/authorize')])
  const widening = await (await post('/link/code-host', { private: 'yes' }, cookie)).text()
  expect(widening).toMatch(/scope=[^"]*%20repo&/)
})

test('local mode names the command that prints a sign-in link', async () => {
  await using plain = await createTestApp()
  const text = await (await plain.fetch('/sign-in')).text()
  expect(text).toContain('npm run sign-in-link')
  expect(text).not.toContain('Continue with')
  const refused = await plain.fetch('/sign-in/code-host', { method: 'POST', body: new URLSearchParams() })
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('CODE_HOST_CLIENT_ID')])
})

test('a page opened at another address than BASE_URL names both addresses and the setting', async () => {
  await using moved = await createTestApp({ baseUrl: 'http://localhost:4000' })
  for (const path of ['/', '/sign-in', '/sign-up', '/forgot-password', '/sign-in/local?token=x']) {
    const response = await moved.fetch(path, { redirect: 'manual' })
    const text = await response.text()
    expect([path, response.status]).toEqual([path, 400])
    for (const part of [new URL(moved.url).host, 'localhost:4000', 'BASE_URL']) expect(text).toContain(part)
    expect(text).not.toContain('<form')
  }
})

test('behind a proxy the forwarded host counts, and a missing one is accepted', async () => {
  await using proxied = await createTestApp({ baseUrl: 'https://assay.example', trustProxy: 1, local: false })
  const status = async (headers: Record<string, string>) => (await proxied.fetch('/sign-in', { headers })).status
  expect(await status({})).toBe(200)
  expect(await status({ 'x-forwarded-host': 'assay.example' })).toBe(200)
  expect(await status({ 'x-forwarded-host': 'ASSAY.example:443' })).toBe(200)
  expect(await status({ 'x-forwarded-host': 'other.example' })).toBe(400)
  const hostile = await proxied.fetch('/sign-in', { headers: { 'x-forwarded-host': '<script>' } })
  expect([hostile.status, await hostile.text()]).toEqual([400, expect.not.stringContaining('<script')])
})

test('a signed-in user changes the password with the current one', async () => {
  const user = await createPasswordFor(app, 'quiet green horses')
  const { cookie } = await createSessionFor(app, user)
  expect((await app.fetch('/change-password')).status).toBe(401)
  const shown = await app.fetch('/change-password', { cookie })
  expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining('Current password')])
  const change = (currentPassword: string, newPassword: string) =>
    post('/change-password', { currentPassword, newPassword }, cookie)
  const wrong = await change('not it', 'loud red horses')
  expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringContaining('Current password: is wrong')])
  expect((await change('quiet green horses', 'short')).status).toBe(400)
  expect(location(await change('quiet green horses', 'loud red horses'))).toEqual([
    303,
    '/settings?done=password-changed',
  ])
})
