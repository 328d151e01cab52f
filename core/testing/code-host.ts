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
  config: {
    client: { id: string; secret: string }
    url: string
    apiUrl: string
    app?: { id: string; privateKey: string } | undefined
  }
  /** The valid tokens. */
  tokens: Map<string, GivenToken>
  /** The valid refresh tokens, with the tokens that they return. */
  refreshTokens: Map<string, { accessToken: string; refreshToken: string } & GivenToken>
  /** Public git repositories. Like GitHub, it rejects a bad token for them, too. */
  open: Set<string>
  /** The fault of the next API calls, or of those that match; `times` may be infinite. */
  fault: { kind: Fault | ApiAnswer | LateFault; times: number; match?: RegExp } | undefined
  /** The delay before each API response. */
  delayMs: number
  /** By `/repos/octocat/app/statuses/<sha>`, in order of arrival. */
  statuses: Map<string, PostedStatus[]>
  /** The pushed heads of pull requests, by `/repos/octocat/app/pulls/<number>`; the emulation knows only its own commits. */
  heads: Map<string, string>
  /** All requests, with their tokens. */
  requests: { line: string; token: string | undefined }[]
  /** The annotations of each check run. */
  annotations: Map<number, { path: string; start_line: number; message: string }[]>
  /** Calls the emulation as octocat. */
  call(method: string, path: string, body?: object): Promise<Answer>
}

// oxlint-disable-next-line typescript/no-explicit-any -- tests read members of answers that they know
export type Answer = any

/** The call takes effect, but its answer does not arrive: it is cut off, or never sent. */
export type LateFault = 'cut' | 'swallow'

export interface ApiAnswer {
  status: number
  body: string
  headers: Record<string, string>
}

interface Seed {
  repositories?: {
    owner: string
    name: string
    private?: boolean
    description?: string
    language?: string
    auto_init?: boolean
  }[]
  /** Installs a GitHub App for octocat's repositories. */
  withApp?: boolean
  /** Git repositories by `owner/name`, which require a token. */
  git?: Record<string, string>
}

const appSeed = {
  app_id: 4711,
  slug: 'assay',
  name: 'Assay',
  permissions: { checks: 'write', issues: 'write', pull_requests: 'write', contents: 'read', metadata: 'read' },
  events: ['check_run', 'issue_comment', 'pull_request', 'push'],
  installations: [{ installation_id: 100, account: 'octocat' }],
}

/** Starts Vercel's emulation behind a proxy that adds tokens, scopes, commit statuses and git. */
export async function startCodeHost({ repositories = [], git = {}, withApp = false }: Seed = {}): Promise<CodeHost> {
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
      github: { users, repos: repositories, ...(withApp ? { apps: [appSeed] } : {}) },
    },
  })
  opened.defer(() => github.close())
  const privateKey = github.generatedSecrets.find(({ kind }) => kind === 'github.app_private_key')?.value
  const names = Object.keys(git)
  const gitHost = opened.use(
    await startGitHost(Object.fromEntries(names.map((name, index) => [`repository${index}`, git[name] ?? '']))),
  )

  const host: CodeHost = {
    url,
    config: {
      client,
      url,
      apiUrl: url,
      app: privateKey === undefined ? undefined : { id: String(appSeed.app_id), privateKey },
    },
    tokens: new Map(),
    refreshTokens: new Map(),
    open: new Set(),
    fault: undefined,
    delayMs: 0,
    statuses: new Map(),
    heads: new Map(),
    requests: [],
    annotations: new Map(),
    async call(method, path, body) {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: { authorization: 'Bearer gho_octocat', 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
      return text === '' ? undefined : JSON.parse(text)
    },
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
    const { fault } = host
    const isFaulty = fault !== undefined && (fault.match?.test(`${req.method} ${address.pathname}`) ?? true)
    const failure = isFaulty && fault.times-- > 0 ? fault.kind : undefined
    const late = failure === 'cut' || failure === 'swallow' ? failure : undefined
    if (failure !== undefined && late === undefined && respondWithFault(failure as Fault | ApiAnswer, res))
      return undefined
    if (host.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, host.delayMs))
    if (address.pathname === '/login/oauth/access_token') return refresh(req, res)
    // The emulation knows the tokens of the app.
    const isApp = token?.startsWith('ghs_') || token?.split('.').length === 3
    if (!given && !isApp) return sendJson(res, 401, { message: `Bad credentials: ${token}` })
    const answer =
      given && req.method === 'POST' && /^\/repos\/[^/]+\/[^/]+\/statuses\//.test(address.pathname)
        ? await postStatus(req, address.pathname, given)
        : await forward(req, given)
    if (late === 'cut') return void res.destroy()
    if (late === undefined) res.writeHead(answer.status, answer.headers).end(answer.body)
    return undefined
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

  async function postStatus(req: IncomingMessage, path: string, { scopes }: GivenToken): Promise<ApiAnswer> {
    const status = JSON.parse(await read(req)) as PostedStatus
    if (!scopes.includes('repo')) return jsonAnswer(403, { message: 'Resource not accessible' })
    host.statuses.set(path, [...(host.statuses.get(path) ?? []), status])
    return jsonAnswer(201, status)
  }

  /** Filters by scope, because the emulation shows private repositories to every token of their owner. */
  async function forward(req: IncomingMessage, given: GivenToken | undefined): Promise<ApiAnswer> {
    const [, sha] = /^\/repos\/[^/]+\/[^/]+\/commits\/([0-9a-f]+)\/statuses/.exec(req.url ?? '') ?? []
    if (sha !== undefined) {
      const posted = [...host.statuses].find(([path]) => path.endsWith(`/${sha}`))?.[1] ?? []
      return jsonAnswer(200, posted.toReversed())
    }
    const body = await read(req)
    const response = await fetch(`http://127.0.0.1:${port}${req.url}`, {
      method: req.method ?? 'GET',
      headers: {
        host: req.headers.host ?? '',
        authorization: given ? `Bearer gho_${given.login}` : (req.headers.authorization ?? ''),
        'content-type': req.headers['content-type'] ?? 'application/json',
      },
      ...(body === '' ? {} : { body }),
    })
    const text = await response.text()
    const link = response.headers.get('link')
    const headers = {
      'content-type': 'application/json',
      ...(link === null ? {} : { link: link.replaceAll(`http://127.0.0.1:${port}`, url) }),
    }
    if (response.ok && (req.url ?? '').includes('/check-runs')) {
      return { status: response.status, headers, body: JSON.stringify(withAnnotations(req, body, JSON.parse(text))) }
    }
    const head = host.heads.get(req.url ?? '')
    if (response.ok && head !== undefined) {
      const pullRequest = JSON.parse(text)
      return {
        status: 200,
        headers,
        body: JSON.stringify({ ...pullRequest, head: { ...pullRequest.head, sha: head } }),
      }
    }
    if (!given || given.scopes.includes('repo')) return { status: response.status, headers, body: text }
    const all = JSON.parse(text) as { private: boolean }[]
    return {
      status: 200,
      headers,
      body: JSON.stringify(Array.isArray(all) ? all.filter((each) => !each.private) : all),
    }
  }

  /** Adds annotations to those of earlier calls, as GitHub does. The emulation replaces them. */
  function withAnnotations(req: IncomingMessage, body: string, answer: Answer): unknown {
    const sent = body === '' ? [] : (JSON.parse(body).output?.annotations ?? [])
    if (req.method !== 'GET') host.annotations.set(answer.id, [...(host.annotations.get(answer.id) ?? []), ...sent])
    for (const run of answer.check_runs ?? [answer]) {
      if (run.output) run.output.annotations_count = host.annotations.get(run.id)?.length ?? 0
    }
    return answer
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
  const answer = jsonAnswer(status, body)
  res.writeHead(answer.status, answer.headers).end(answer.body)
}

function jsonAnswer(status: number, body: object): ApiAnswer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

async function read(stream: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
