import { expect, test } from 'vitest'
import { createTestApp } from '../../../testing/app.ts'
import { startOAuthHost } from '../../../testing/oauth-host.ts'
import { createVisitor } from '../../../testing/visitor.ts'
import { UserEntity } from '../../users/entity.ts'

const callback = '/api/auth/callback/code_host'

test('a complete sign-in works with emulated GitHub pages, for each user', async () => {
  await using host = await startOAuthHost('github')
  await using app = await createTestApp({ codeHost: host.config })
  for (const login of ['octocat', 'hubot']) {
    host.user = { ...host.user, login }
    host.emails = [{ email: `${login}@example.com`, verified: login === 'octocat', primary: true }]
    const visitor = createVisitor(app)
    expect((await visitor.signIn(host, { callbackURL: '/done' })).location).toBe(`${app.url}/done`)
    const { user } = JSON.parse((await visitor.visit('/api/auth/get-session')).body)
    expect(user.emailVerified).toBe(login === 'octocat')
    expect(user.email).toMatch(
      login === 'octocat' ? /^octocat@example\.com$/ : /^\d+\+hubot@users\.noreply\.127\.0\.0\.1$/,
    )
    const again = createVisitor(app)
    await again.signIn(host)
    expect(JSON.parse((await again.visit('/api/auth/get-session')).body).user.id).toBe(user.id)
  }
  const unknown = await fetch(`${host.apiUrl}/user`, { headers: { authorization: 'Bearer gho_made-up' } })
  expect(unknown.status).toBe(401)
})

test('with SIGN_UP=invite, only the first account is created, also of two parallel ones', async () => {
  await using host = await startOAuthHost()
  await using app = await createTestApp({ codeHost: host.config, signUp: 'invite' })
  const finished: Promise<string | undefined>[] = []
  for (const id of [1, 2, 3]) {
    const visitor = createVisitor(app)
    const back = new URL(await host.approve(await visitor.begin()))
    host.user = { id, login: `person${id}`, name: null, avatar_url: null }
    host.emails = [{ email: `person${id}@example.com`, verified: true, primary: true }]
    finished.push(visitor.visit(callback + back.search).then(({ location }) => location))
    const exchanges = host.given.tokens.length
    while (host.given.tokens.length === exchanges) await new Promise((resolve) => setTimeout(resolve, 2))
  }
  const locations = await Promise.all(finished)
  expect(locations.filter((location) => location === `${app.url}/`).length).toBe(1)
  expect(locations.filter((location) => location?.endsWith('?error=sign_up_closed')).length).toBe(2)
  expect(await app.dataSource.getRepository(UserEntity).count()).toBe(1)
})

test('over HTTPS, other hosts of the domain cannot set the cookie', async () => {
  await using host = await startOAuthHost()
  const baseUrl = 'https://assay.example.com'
  await using app = await createTestApp({ codeHost: host.config, baseUrl, trustProxy: 1 })
  const visitor = createVisitor(app)
  const begun = await visitor.visit('/api/auth/sign-in/social', { method: 'POST', json: { provider: 'code_host' } })
  expect(begun.setCookies).toEqual([
    expect.stringMatching(/^__Host-service\.sign_in=[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/),
  ])
  const back = new URL(await host.approve(JSON.parse(begun.body).url))
  expect(back.origin).toBe(baseUrl)
  // Without the prefix, another host could have set it.
  const bare = createVisitor(app, { 'service.sign_in': visitor.cookies.get('__Host-service.sign_in') ?? '' })
  expect((await bare.visit(callback + back.search)).location).toBe(`${baseUrl}/sign-in?error=invalid_state`)
  expect((await visitor.visit(callback + back.search)).location).toBe(`${baseUrl}/`)
})
