import { createServer, type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http'
import { createEmulator } from 'emulate'
import { fail, type Fault } from './fault.ts'
import { startGitHost } from '../../engines/source/testing/git-host.ts'
import { freePort } from './free-port.ts'
import { listening } from './receiver.ts'

/** The rights of a token. */
export interface GivenToken {
  /** A user of the emulation: octocat or hubot. */
  login: string
  scopes: string[]
}

export interface PostedStatus {
  state: string
  description: string
  context: string
  target_url: string | null
}

/** A code host with GitHub's API, tokens and git repositories. Tests may change its state while it runs. */
export interface CodeHost extends AsyncDisposable {
  url: string
  config: { client: { id: string; secret: string }; url: string; apiUrl: string }
  /** The valid tokens. */
  tokens: Map<string, GivenToken>
  /** The valid refresh tokens, with the tokens that they return. */
  refreshTokens: Map<string, { accessToken: string; refreshToken: string } & GivenToken>
  /** Public git repositories. Like GitHub, it rejects a bad token for them, too. */
  open: Set<string>
  /** The fault of the next API calls; `times` may be infinite. */
  fault: { kind: Fault | ApiAnswer; times: number } | undefined
  /** The delay before each API response. */
  delayMs: number
  /** By `/repos/octocat/app/statuses/<sha>`, in order of arrival. */
  statuses: Map<string, PostedStatus[]>
  /** All requests, with their tokens. */
  requests: { line: string; token: string | undefined }[]
}

export interface ApiAnswer {
  status: number
  body: string
  headers: Record<string, string>
}

interface Seed {
  repositories?: { owner: string; name: string; private?: boolean; description?: string; language?: string }[]
  /** Git repositories by `owner/name`, which require a token. */
  git?: Record<string, string>
}

/** Starts Vercel's emulation behind a proxy that adds tokens, scopes, commit statuses and git. */
export async function startCodeHost({ repositories = [], git = {} }: Seed = {}): Promise<CodeHost> {
  await using opened = new AsyncDisposableStack()
  const server = createServer((req, res) => {
    void serve(req, res).catch(() => res.destroy())
  })
  const url = `http://127.0.0.1:${opened.use(await listening(server)).port}`
  const client = { id: 'client-of-tests', secret: 'secret-of-the-client-4711' }
  const port = await freePort()
  const users = ['octocat', 'hubot'].map((login) => ({ login, name: login, email: `${login}@example.com` }))
  const github = await createEmulator({
    service: 'github',
    port,
    baseUrl: url,
    seed: {
      tokens: Object.fromEntries(users.map(({ login }) => [`gho_${login}`, { login, scopes: ['repo'] }])),
      github: { users, repos: repositories },
    },
  })
  opened.defer(() => github.close())
  const names = Object.keys(git)
  const gitHost = opened.use(
    await startGitHost(Object.fromEntries(names.map((name, index) => [`repository${index}`, git[name] ?? '']))),
  )

  const host: CodeHost = {
    url,
    config: { client, url, apiUrl: url },
    tokens: new Map(),
    refreshTokens: new Map(),
    open: new Set(),
    fault: undefined,
    delayMs: 0,
    statuses: new Map(),
    requests: [],
    [Symbol.asyncDispose]: async () => undefined,
  }

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const address = new URL(req.url ?? '/', url)
    const [kind = '', credential = ''] = (req.headers.authorization ?? '').split(' ')
    const token = kind === 'Basic' ? Buffer.from(credential, 'base64').toString().split(':')[1] : credential
    host.requests.push({ line: `${req.method} ${address.pathname}`, token: token || undefined })
    const given = host.tokens.get(token ?? '')
    const [, name, rest] =
      /^\/([^/]+\/[^/]+?)(?:\.git)?(\/(?:info\/refs|git-upload-pack))$/.exec(address.pathname) ?? []
    if (name !== undefined) return serveGit(req, res, { name, rest: `${rest}${address.search}`, given, token })
    if (host.fault && host.fault.times-- > 0 && respondWithFault(host.fault.kind, res)) return undefined
    if (host.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, host.delayMs))
    if (address.pathname === '/login/oauth/access_token') return refresh(req, res)
    if (!given) return sendJson(res, 401, { message: `Bad credentials: ${token}` })
    if (/^\/repos\/[^/]+\/[^/]+\/statuses\//.test(address.pathname))
      return postStatus(req, res, address.pathname, given)
    return forward(req, res, given)
  }

  function serveGit(
    req: IncomingMessage,
    res: ServerResponse,
    { name, rest, given, token }: { name: string; rest: string; given: GivenToken | undefined; token?: string },
  ): void {
    const index = names.indexOf(name)
    const own = given?.scopes.includes('repo') && given.login === name.split('/')[0]
    // Like GitHub: 401 without a valid token, and 404 for a user without access.
    if (!given && (token || !host.open.has(name))) {
      res.writeHead(401, { 'www-authenticate': 'Basic realm="GitHub"' }).end(`bad token ${token}`)
    } else if (index === -1 || !(own || host.open.has(name))) {
      res.writeHead(404).end('Repository not found.')
    } else {
      const { authorization: _authorization, ...headers } = req.headers
      pipe(req, res, { port: gitHost.port, path: `/repository${index}${rest}`, headers })
    }
  }

  async function refresh(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await read(req))
    if (form.get('client_secret') !== client.secret) {
      return sendJson(res, 200, { error: 'incorrect_client_credentials', error_description: form.toString() })
    }
    const refreshToken = form.get('refresh_token') ?? ''
    const next = host.refreshTokens.get(refreshToken)
    if (!next || form.get('grant_type') !== 'refresh_token') {
      return sendJson(res, 200, { error: 'bad_refresh_token', error_description: `no ${refreshToken}` })
    }
    host.refreshTokens.delete(refreshToken)
    host.tokens.set(next.accessToken, { login: next.login, scopes: next.scopes })
    return sendJson(res, 200, {
      access_token: next.accessToken,
      refresh_token: next.refreshToken,
      token_type: 'bearer',
      scope: '',
      expires_in: 28_800,
    })
  }

  async function postStatus(req: IncomingMessage, res: ServerResponse, path: string, { scopes }: GivenToken) {
    const status = JSON.parse(await read(req)) as PostedStatus
    if (!scopes.includes('repo')) return sendJson(res, 403, { message: 'Resource not accessible' })
    host.statuses.set(path, [...(host.statuses.get(path) ?? []), status])
    return sendJson(res, 201, status)
  }

  /** Filters by scope, because the emulation shows private repositories to every token of their owner. */
  async function forward(req: IncomingMessage, res: ServerResponse, { login, scopes }: GivenToken): Promise<void> {
    const headers = { ...req.headers, authorization: `Bearer gho_${login}` }
    if (scopes.includes('repo')) return pipe(req, res, { port, path: req.url, headers })
    const { host: address = '', authorization } = headers
    const answer = await fetch(`http://127.0.0.1:${port}${req.url}`, { headers: { host: address, authorization } })
    const all = (await answer.json()) as { private: boolean }[]
    const link = answer.headers.get('link')
    if (link !== null) res.setHeader('link', link.replaceAll(`http://127.0.0.1:${port}`, url))
    return sendJson(res, 200, Array.isArray(all) ? all.filter((each) => !each.private) : all)
  }

  const stack = opened.move()
  host[Symbol.asyncDispose] = () => stack.disposeAsync()
  return host
}

function respondWithFault(kind: Fault | ApiAnswer, res: ServerResponse): boolean {
  if (typeof kind === 'string' || !('headers' in kind)) return fail(kind, res)
  res.writeHead(kind.status, { 'content-type': 'application/json', ...kind.headers }).end(kind.body)
  return true
}

function pipe(
  req: IncomingMessage,
  res: ServerResponse,
  target: { port: number; path: string | undefined; headers: IncomingMessage['headers'] },
): void {
  const forwarded = httpRequest({ host: '127.0.0.1', method: req.method, agent: false, ...target }, (answer) => {
    res.writeHead(answer.statusCode ?? 500, answer.headers)
    answer.pipe(res)
  })
  forwarded.on('error', () => res.destroy())
  req.pipe(forwarded)
}

function sendJson(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function read(stream: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
