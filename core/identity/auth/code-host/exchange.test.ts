import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { Fault } from '../../../testing/fault.ts'
import { type OAuthHost, startOAuthHost } from '../../../testing/oauth-host.ts'
import { beginAuthorization, exchangeCode } from './exchange.ts'
import { CodeHostFailure } from './problems.ts'
import { fetchProfile } from './profile.ts'

let host: OAuthHost
let untouched: Pick<OAuthHost, 'user' | 'emails'>
beforeAll(async () => {
  host = await startOAuthHost()
  untouched = structuredClone({ user: host.user, emails: host.emails })
})
afterAll(() => host[Symbol.asyncDispose]())
beforeEach(() => {
  host.faults = {}
  Object.assign(host, structuredClone(untouched))
  host.config.client.secret = host.clientSecret
})

const baseUrl = 'https://assay.example.com'
const limits = { deadlineMs: 600, maxBytes: 65_536 }
const profileLimits = { deadlineMs: 600, userBytes: 262_144, emailsBytes: 65_536 }

async function approved() {
  const { url, ...kept } = await beginAuthorization({ baseUrl, codeHost: host.config }, ['read:user'])
  const back = new URL(await host.approve(url))
  return { url: new URL(url), back, ...kept, code: back.searchParams.get('code') ?? '' }
}

const exchange = (given: { code: string; state: string; codeVerifier: string }) =>
  exchangeCode({ baseUrl, codeHost: host.config }, given, limits)

async function failureOf(work: Promise<unknown>): Promise<CodeHostFailure> {
  const failure = await work.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(failure instanceof CodeHostFailure)) throw new Error(`expected a CodeHostFailure, got ${String(failure)}`)
  return failure
}

test('the authorization URL contains a state, PKCE with S256 and our exact callback URL, and no secret', async () => {
  const { url, state, codeVerifier } = await approved()
  expect(url.origin + url.pathname).toBe(`${host.url}/login/oauth/authorize`)
  expect(Object.fromEntries(url.searchParams)).toEqual({
    client_id: host.clientId,
    response_type: 'code',
    redirect_uri: 'https://assay.example.com/api/auth/callback/code_host',
    scope: 'read:user',
    state,
    code_challenge_method: 'S256',
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
  })
  expect(state).toMatch(/^[0-9a-f]{40}$/)
  expect(url.href).not.toContain(codeVerifier)
  expect(url.href).not.toContain(host.clientSecret)
})

test('two sign-ins share neither state nor verifier', async () => {
  const [a, b] = [await approved(), await approved()]
  expect(a.state).not.toBe(b.state)
  expect(a.codeVerifier).not.toBe(b.codeVerifier)
})

test('a code can be exchanged once', async () => {
  const given = await approved()
  const tokens = await exchange(given)
  expect(host.given.tokens.at(-1)).toBe(tokens.accessToken)
  expect(tokens).toMatchObject({ scope: 'read:user,user:email', refreshToken: null, expiresInSeconds: null })
  expect((await failureOf(exchange(given))).problem).toBe('invalid_code')
})

test('a wrong verifier is refused', async () => {
  const given = await approved()
  const other = await approved()
  expect((await failureOf(exchange({ ...given, codeVerifier: other.codeVerifier }))).problem).toBe('invalid_code')
})

test('a wrong client secret gives its own error, which does not contain the secret', async () => {
  const given = await approved()
  host.config.client.secret = 'not-the-secret'
  const failure = await failureOf(exchange(given))
  expect(failure.problem).toBe('code_host_misconfigured')
  expect(failure.message).not.toMatch(/secret/)
})

test('works with DEBUG set', async () => {
  vi.stubEnv('DEBUG', '*')
  try {
    expect((await exchange(await approved())).accessToken).toBe(host.given.tokens.at(-1))
  } finally {
    vi.unstubAllEnvs()
  }
})

const answers: [string, Fault, string][] = [
  ['nothing', 'stall', 'code_host_unreachable'],
  ['byte by byte', 'drip', 'code_host_unreachable'],
  ['without end', 'flood', 'code_host_unreachable'],
  ['with a redirect that carries a token', 'redirect', 'code_host_unreachable'],
  ['with a gzip bomb of 50 MB', 'gzip_bomb', 'code_host_unreachable'],
  ['by disconnecting', 'hang_up', 'code_host_unreachable'],
  ['null', { status: 200, body: 'null' }, 'code_host_unreachable'],
  ['a list', { status: 200, body: '[]' }, 'code_host_unreachable'],
  ['invalid JSON', { status: 200, body: '<html>' }, 'code_host_unreachable'],
  ['an empty token', { status: 200, body: '{"access_token":""}' }, 'code_host_unreachable'],
  ['a token with a line feed', { status: 200, body: '{"access_token":"a\\nb"}' }, 'code_host_unreachable'],
  ['a token that is a list', { status: 200, body: '{"access_token":["a"]}' }, 'code_host_unreachable'],
  ['another token type', { status: 200, body: '{"access_token":"a","token_type":"mac"}' }, 'code_host_unreachable'],
  ['a broken id_token', { status: 200, body: '{"access_token":"a","id_token":"x"}' }, 'code_host_unreachable'],
  ['500', { status: 500, body: '{"access_token":"a"}' }, 'code_host_unreachable'],
  ['a token beside an error', { status: 200, body: '{"access_token":"a","error":"invalid_grant"}' }, 'invalid_code'],
  ['invalid_grant with 400', { status: 400, body: '{"error":"invalid_grant"}' }, 'invalid_code'],
  ['redirect_uri_mismatch', { status: 200, body: '{"error":"redirect_uri_mismatch"}' }, 'redirect_uri_mismatch'],
  ['a prototype as error', { status: 200, body: '{"error":"constructor"}' }, 'code_host_unreachable'],
]

test.each(answers)(
  'a token endpoint that answers %s fails the sign-in in time, and no redirect is followed',
  async (_, fault, problem) => {
    const given = await approved()
    host.faults.token = fault
    const startedAt = performance.now()
    const failure = await failureOf(exchange(given))
    expect(failure.problem).toBe(problem)
    // The slow answers would take minutes.
    expect(performance.now() - startedAt).toBeLessThan(20_000)
    expect(host.requests.filter((each) => each.endsWith('/followed'))).toEqual([])
    for (const secret of [given.code, given.codeVerifier, given.state, host.clientSecret]) {
      expect(failure.message).not.toContain(secret)
    }
  },
)

test('an unavailable code host and a refusal give different errors', async () => {
  const given = await approved()
  const { client } = host.config
  const down = { client, url: 'http://127.0.0.1:1', apiUrl: 'http://127.0.0.1:1' }
  const exchanged = exchangeCode({ baseUrl, codeHost: down }, given, limits)
  expect((await failureOf(exchanged)).problem).toBe('code_host_unreachable')
  expect((await failureOf(fetchProfile(down, 'token', profileLimits))).problem).toBe('code_host_unreachable')
})

async function profile() {
  const { accessToken } = await exchange(await approved())
  return fetchProfile(host.config, accessToken, profileLimits)
}

test('the profile contains the verified address of the code host', async () => {
  expect(await profile()).toEqual({
    accountId: '1',
    login: 'octocat',
    name: 'Mona',
    avatar: 'https://avatars.example.com/1',
    verifiedEmail: 'octocat@example.com',
  })
})

test.each([
  [
    'the primary address',
    [
      ['b@example.com', true, false],
      ['a@example.com', true, true],
    ],
    'a@example.com',
  ],
  [
    'another verified one if the primary is not',
    [
      ['a@example.com', false, true],
      ['b@example.com', true, false],
    ],
    'b@example.com',
  ],
  ['none that is not verified', [['a@example.com', false, true]], null],
  ['none of the code host’s own', [['1+octocat@users.noreply.127.0.0.1', true, true]], null],
  ['none that is no address', [['not an address', true, true]], null],
  ['its canonical form', [['ALICE.E\u0301@EXAMPLE.com', true, true]], 'alice.é@example.com'],
  ['none that only looks like one of ours', [['Ａlice@example.com', true, true]], null],
] as const)('of the addresses it takes %s', async (_, emails, expected) => {
  host.emails = emails.map(([email, verified, primary]) => ({ email, verified, primary }))
  expect((await profile()).verifiedEmail).toBe(expected)
})

test('removes names and pictures that a page or column cannot contain', async () => {
  host.user = {
    id: 2,
    login: 'octocat',
    name: `a\u0000b\n\uD800 ${'x'.repeat(200)}`,
    avatar_url: 'javascript:alert(1)',
  }
  const { name, avatar } = await profile()
  expect(name).toMatch(/^a b \uFFFD x+$/)
  expect(name.length).toBe(100)
  expect(avatar).toBeNull()
  host.user.name = ' '
  expect((await profile()).name).toBe('octocat')
})

const badProfiles: ['user' | 'emails', string, Fault][] = (['user', 'emails'] as const).flatMap((where) => [
  [where, 'stalls', 'stall'],
  [where, 'sends byte by byte', 'drip'],
  [where, 'sends too much', 'flood'],
  [where, 'redirects', 'redirect'],
  [where, 'sends a gzip bomb', 'gzip_bomb'],
  [where, 'disconnects', 'hang_up'],
  [where, 'answers 401', { status: 401, body: '{}' }],
  [where, 'answers 500', { status: 500, body: '' }],
  [where, 'answers invalid JSON', { status: 200, body: '<html>' }],
  [where, 'answers another format', { status: 200, body: '{"id":"1","login":7}' }],
])

test.each(badProfiles)('/%s that %s ends the sign-in in time', async (where, _, fault) => {
  const { accessToken } = await exchange(await approved())
  host.faults[where] = fault
  const startedAt = performance.now()
  const failure = await failureOf(fetchProfile(host.config, accessToken, profileLimits))
  expect(failure.problem).toBe('code_host_unreachable')
  expect(failure.message).not.toContain(accessToken)
  expect(performance.now() - startedAt).toBeLessThan(30_000)
  expect(host.requests.filter((each) => each.endsWith('/followed'))).toEqual([])
})
