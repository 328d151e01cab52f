import { expect, test } from 'vitest'
import { createLog } from '../../base/log.ts'
import { createTestApp } from '../../testing/app.ts'
import { dumpDatabase } from '../../testing/dump.ts'
import { startOAuthHost } from '../../testing/oauth-host.ts'
import { createVisitor, type Visit } from '../../testing/visitor.ts'
import { makeSignInLink } from '../local-owner/local-link.ts'

/** Collects secrets from URLs and forms that only the browser may know. */
const parameterOf = (address: string, name: string) => new URL(address).searchParams.get(name) ?? ''

test('code host sign-in, local links, sessions and API tokens leave no secret in the log, the database or a response', async () => {
  await using host = await startOAuthHost('github')
  let clock = Date.now()
  const lines: string[] = []
  await using app = await createTestApp(
    { codeHost: host.config },
    { now: () => new Date(clock), log: createLog('trace', { write: (line) => void lines.push(line) }) },
  )
  const secrets = new Map<string, string>()
  const answers: string[] = []
  const visitor = createVisitor(app)
  const seen = (visit: Visit): Visit => {
    answers.push(visit.body)
    for (const [name, value] of visitor.cookies) if (value !== '') secrets.set(value, `the cookie ${name}`)
    return visit
  }
  const visit = async (...call: Parameters<typeof visitor.visit>) => seen(await visitor.visit(...call))

  // The code host: a complete sign-in, a repeated return, and a return with an unknown code.
  const authorization = await visitor.begin({ callbackURL: '/start' })
  const state = parameterOf(authorization, 'state')
  secrets.set(state, 'the state')
  const back = new URL(await host.approve(authorization))
  const signedIn = await visit(back.pathname + back.search)
  expect([signedIn.status, signedIn.location]).toEqual([302, `${app.url}/start`])
  expect((await visit(back.pathname + back.search)).location).toContain('error=invalid_state')
  const second = parameterOf(await visitor.begin(), 'state')
  secrets.set(second, 'the state of a flow that failed')
  expect((await visit(`${back.pathname}?code=made-up-code-4711&state=${second}`)).location).toContain('error=')
  secrets.set('made-up-code-4711', 'a made-up code')
  for (const code of host.given.codes) secrets.set(code, 'the code')
  for (const token of host.given.tokens) secrets.set(token, 'the access token')
  secrets.set(host.clientSecret, 'the client secret')

  // Sessions: read, rotated, listed, revoked by a token.
  clock += 20_000
  const copied = visitor.cookies.get('service.session_token') ?? ''
  expect((await visit('/api/auth/get-session')).status).toBe(200)
  expect(visitor.cookies.get('service.session_token')).not.toBe(copied)
  expect((await visit('/api/auth/list-sessions')).status).toBe(200)
  expect((await visit('/trpc/auth.getAuditLogs')).status).toBe(200)
  expect((await visit('/')).status).toBe(200)

  // API tokens: created, listed, revoked, and used afterwards.
  const made = await visitor.visit('/trpc/tokens.create', {
    method: 'POST',
    json: { name: 'mine', scopes: ['profile:read'] },
  })
  const token = /svc_v1_[\w-]+/.exec(made.body)?.[0] ?? ''
  secrets.set(token, 'the API token')
  const { id } = (JSON.parse(made.body) as { result: { data: { id: string } } }).result.data
  const authorized = { headers: { authorization: `Bearer ${token}` } }
  expect((await visit('/trpc/tokens.current', authorized)).status).toBe(200)
  expect((await visit('/trpc/tokens.list')).status).toBe(200)
  expect((await visit('/trpc/tokens.revoke', { method: 'POST', json: { tokenId: id } })).status).toBe(200)
  expect((await visit('/trpc/tokens.current', authorized)).status).toBe(401)

  // Secrets in wrong places.
  await visit(`/api/auth/get-session?token=${token}`)
  // The response may repeat the caller's input, but the log may not.
  await visitor.visit(`/nowhere/${copied}/${token}`)
  await visit('/api/auth/sign-in/email', { method: 'POST', json: { email: token, password: [copied] } })
  await visit('/trpc/auth.revokeSession', { method: 'POST', json: { sessionToken: copied.replace(/.$/, '~') } })

  // The local link, used twice; then an old token ends the session.
  const link = await makeSignInLink(app.dataSource.manager, app.url, new Date(clock))
  secrets.set(parameterOf(link, 'token'), 'the local link')
  const { pathname, search } = new URL(link)
  expect((await visit(pathname + search)).status).toBe(303)
  expect((await visit(pathname + search)).status).toBe(400)
  expect((await visit('/api/auth/sign-out', { method: 'POST' })).status).toBe(200)

  const places = { log: lines.join('\n'), database: await dumpDatabase(app), answers: answers.join('\n') }
  expect(places.database).toContain('octocat@example.com')
  expect(places.log).toContain('/api/auth/callback/code_host')
  expect([...secrets.values()].toSorted().filter((name, at, all) => name !== all[at - 1])).toEqual(
    [
      'a made-up code',
      'the API token',
      'the access token',
      'the client secret',
      'the code',
      'the cookie service.session_token',
      'the cookie service.sign_in',
      'the local link',
      'the state',
      'the state of a flow that failed',
    ].toSorted(),
  )
  for (const [place, text] of Object.entries(places)) {
    for (const [secret, name] of secrets) expect(text.includes(secret), `${place} has ${name}`).toBe(false)
  }
})
