import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http'
import { createEmulator } from 'emulate'
import { Events, OAuth2Issuer, OAuth2Service } from 'oauth2-mock-server'
import { fail, type Fault } from './fault.ts'
import { freePort } from './free-port.ts'
import { listening } from './receiver.ts'

export interface OAuthUser {
  id: number
  login: string
  name: string | null
  avatar_url: string | null
}

/** A code host with GitHub's paths, for signing in. Tests may change its state while it runs. */
export interface OAuthHost extends AsyncDisposable {
  /** Without a trailing slash, like `apiUrl`, which is the same server. */
  url: string
  apiUrl: string
  clientId: string
  clientSecret: string
  /** The value for `Config['codeHost']`. */
  config: { client: { id: string; secret: string }; url: string; apiUrl: string }
  /** The user who approves next, and the response of `/user`. `github` has the users octocat and hubot. */
  user: OAuthUser
  /** The response of `/user/emails`. */
  emails: { email: string; verified: boolean; primary: boolean }[]
  /** The granted scope in the token response; by default the requested one. */
  grantedScope: string | undefined
  faults: Partial<Record<'token' | 'user' | 'emails', Fault>>
  /** The registered callback URL. Without it, every callback URL is accepted. */
  redirectUri: string | undefined
  /** The `error` of the authorization page in its redirect. */
  refusal: string | undefined
  /** All requests, such as `POST /login/oauth/access_token`. */
  requests: string[]
  /** All issued secrets, for tests that search for leaks. */
  given: { codes: string[]; tokens: string[] }
  /** Approves at the authorization page like a user, and returns the URL of the redirect. */
  approve(authorizationUrl: string): Promise<string>
}

const paths = {
  authorize: '/login/oauth/authorize',
  approve: '/login/oauth/callback',
  token: '/login/oauth/access_token',
  user: '/user',
  emails: '/user/emails',
}

/**
 * Starts a code host on loopback. `oauth` is a strict OAuth server. `github` is an emulation of GitHub with its pages,
 * behind a proxy that adds missing checks: PKCE, unknown tokens, unverified email addresses.
 */
export async function startOAuthHost(kind: 'oauth' | 'github' = 'oauth'): Promise<OAuthHost> {
  await using opened = new AsyncDisposableStack()
  const clientId = 'client-of-tests'
  const clientSecret = `secret-${randomUUID()}`
  const owners = new Map<string, { user: OAuthUser; emails: OAuthHost['emails'] }>()
  const challenges = new Map<string, string>()

  const server = createServer((req, res) => {
    void serve(req, res).catch(() => res.destroy())
  })
  const url = `http://127.0.0.1:${opened.use(await listening(server)).port}`
  const backend = kind === 'oauth' ? await startOAuthServer() : await startGitHub()

  const host: OAuthHost = {
    url,
    apiUrl: url,
    clientId,
    clientSecret,
    config: { client: { id: clientId, secret: clientSecret }, url, apiUrl: url },
    user: { id: 1, login: 'octocat', name: 'Mona', avatar_url: 'https://avatars.example.com/1' },
    emails: [{ email: 'octocat@example.com', verified: true, primary: true }],
    grantedScope: undefined,
    faults: {},
    redirectUri: undefined,
    refusal: undefined,
    requests: [],
    given: { codes: [], tokens: [] },
    approve,
    [Symbol.asyncDispose]: async () => undefined,
  }

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(req.url ?? '/', url)
    host.requests.push(`${req.method} ${pathname}`)
    if (pathname === paths.authorize) return authorize(req, res, searchParams)
    if (pathname === paths.token) return fail(host.faults.token, res) ? undefined : exchange(req, res)
    if (pathname === paths.user) return fail(host.faults.user, res) ? undefined : answerOwner(req, res, 'user')
    if (pathname === paths.emails) return fail(host.faults.emails, res) ? undefined : answerOwner(req, res, 'emails')
    // A client that wrongly follows a redirect gets a token here.
    if (pathname === '/followed') return sendJson(res, 200, { access_token: 'followed', token_type: 'bearer' })
    const answer = await backend(req, await read(req))
    rememberCode(answer.headers['location'])
    send(res, answer)
  }

  async function authorize(req: IncomingMessage, res: ServerResponse, query: URLSearchParams) {
    const challenge = query.get('code_challenge')
    const state = query.get('state') ?? ''
    if (query.get('client_id') !== clientId || query.get('code_challenge_method') !== 'S256' || !challenge) {
      return sendJson(res, 400, { error: 'invalid_request' })
    }
    challenges.set(state, challenge)
    const asked = query.get('redirect_uri') ?? ''
    const mismatch = host.redirectUri !== undefined && host.redirectUri !== asked
    const refusal = mismatch ? 'redirect_uri_mismatch' : host.refusal
    if (refusal !== undefined) {
      const back = new URL(host.redirectUri ?? asked)
      back.searchParams.set('error', refusal)
      back.searchParams.set('state', state)
      res.writeHead(302, { location: back.href }).end()
      return
    }
    const answer = await backend(req, '')
    rememberCode(answer.headers['location'])
    send(res, answer)
  }

  /** Binds the code to the PKCE challenge of its state. */
  function rememberCode(location: string | undefined): void {
    const query = location === undefined ? undefined : new URL(location, url).searchParams
    const code = query?.get('code')
    if (!code) return
    host.given.codes.push(code)
    challenges.set(code, challenges.get(query?.get('state') ?? '') ?? '')
  }

  async function exchange(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await read(req)
    const form = new URLSearchParams(body)
    const code = form.get('code') ?? ''
    const proof = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (form.get('client_id') !== clientId || form.get('client_secret') !== clientSecret) {
      return sendJson(res, 200, { error: 'incorrect_client_credentials', error_description: clientSecret })
    }
    if (challenges.get(code) !== proof) {
      return sendJson(res, 200, { error: 'bad_verification_code', error_description: `bad code ${code}` })
    }
    const answer = await backend(req, body)
    const granted: unknown = answer.status === 200 ? JSON.parse(answer.body) : undefined
    const token =
      typeof granted === 'object' && granted !== null && 'access_token' in granted ? granted.access_token : ''
    if (typeof token !== 'string' || token === '') return send(res, answer)
    host.given.tokens.push(token)
    owners.set(token, { user: { ...host.user }, emails: [...host.emails] })
    challenges.delete(code)
    const scope = host.grantedScope ?? 'read:user,user:email'
    return sendJson(res, 200, { access_token: token, token_type: 'bearer', scope })
  }

  async function answerOwner(req: IncomingMessage, res: ServerResponse, what: 'user' | 'emails'): Promise<void> {
    const owner = owners.get(/^Bearer (.+)$/.exec(req.headers.authorization ?? '')?.[1] ?? '')
    if (!owner) return sendJson(res, 401, { message: 'Bad credentials' })
    if (kind === 'oauth' || what === 'emails') return sendJson(res, 200, owner[what])
    send(res, await backend(req, ''))
  }

  async function approve(authorizationUrl: string): Promise<string> {
    const shown = await fetch(authorizationUrl, { redirect: 'manual' })
    const location = shown.headers.get('location')
    if (location !== null) return location
    const page = await shown.text()
    const form = page.split('<form').find((each) => each.includes(`value="${host.user.login}"`)) ?? ''
    const fields = [...form.matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(
      ([, name = '', value = '']): [string, string] => [name, value.replaceAll('&amp;', '&')],
    )
    const approved = await fetch(`${url}${paths.approve}`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      redirect: 'manual',
    })
    return approved.headers.get('location') ?? `no way back: ${approved.status} ${page.slice(0, 500)}`
  }

  async function startOAuthServer(): Promise<Backend> {
    const issuer = new OAuth2Issuer()
    issuer.url = url
    await issuer.keys.generate('ES256')
    const service = new OAuth2Service(issuer, { authorize: paths.authorize, token: paths.token })
    let count = 0
    service.on(Events.BeforeTokenSigning, (token) => {
      token.payload['jti'] = String(count++)
    })
    const inner = createServer(service.requestHandler)
    return forwardTo(opened.use(await listening(inner)).port)
  }

  async function startGitHub(): Promise<Backend> {
    const port = await freePort()
    const emulator = await createEmulator({
      service: 'github',
      port,
      baseUrl: url,
      seed: {
        github: {
          users: [
            { login: 'octocat', name: 'Mona', email: 'octocat@example.com' },
            { login: 'hubot', name: 'Hubot', email: 'hubot@example.com' },
          ],
        },
      },
    })
    opened.defer(() => emulator.close())
    return forwardTo(port)
  }

  const stack = opened.move()
  host[Symbol.asyncDispose] = () => stack.disposeAsync()
  return host
}

interface Answer {
  status: number
  headers: Record<string, string>
  body: string
}

type Backend = (req: IncomingMessage, body: string) => Promise<Answer>

function forwardTo(port: number): Backend {
  return (req, body) =>
    new Promise((resolve, reject) => {
      const {
        'content-length': _length,
        'transfer-encoding': _encoding,
        connection: _connection,
        ...headers
      } = req.headers
      const { method, url } = req
      const forwarded = httpRequest({ host: '127.0.0.1', port, method, path: url, headers, agent: false }, (answer) => {
        read(answer).then(
          (text) => resolve({ status: answer.statusCode ?? 500, headers: plainHeaders(answer), body: text }),
          reject,
        )
      })
      forwarded.on('error', reject)
      forwarded.end(body)
    })
}

function plainHeaders({ headers }: IncomingMessage): Record<string, string> {
  const kept = ['content-type', 'location', 'set-cookie', 'content-security-policy']
  return Object.fromEntries(
    kept.flatMap((name) => {
      const value = headers[name]
      return value === undefined ? [] : [[name, String(value)]]
    }),
  )
}

function send(res: ServerResponse, { status, headers, body }: Answer): void {
  res.writeHead(status, headers).end(body)
}

function sendJson(res: ServerResponse, status: number, body: object): void {
  send(res, { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
}

async function read(stream: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
