import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { McpServer } from '@modelcontextprotocol/server'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createTokenFor, createUser } from '../core/testing/factories.ts'
import { readMcpConfig } from './config.ts'
import { startHttp } from './http.ts'
import { createLog } from './log.ts'
import { childEnvironment, connectV1, connectV2, mcpMain } from './testing/clients.ts'
import { createEverything } from './testing/everything.ts'
import { portOf, type Stack, startStack } from './testing/stack.ts'
import { tools, toolsets } from './tools/index.ts'

let stack: Stack
let token: string

beforeAll(async () => {
  stack = await startStack()
  token = await createTokenFor(stack.core)
})
afterAll(() => stack[Symbol.asyncDispose]())

const accept = 'application/json, text/event-stream'

function message(method: string, params: Record<string, unknown> = {}) {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
}

const initialize = message('initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
})

function post(body: string, headers: Record<string, string> = {}) {
  return fetch(stack.mcpUrl, {
    method: 'POST',
    body,
    headers: { accept, 'content-type': 'application/json', authorization: `Bearer ${token}`, ...headers },
  })
}

test.each([
  ['no bearer', ''],
  ['another scheme', 'Basic abc'],
  ['a token that was never made', `Bearer svc_v1_${'a'.repeat(32)}_abcd`],
  ['what is no token of ours', 'Bearer something'],
])('%s gets 401 with a challenge for every method', async (_what, authorization) => {
  for (const method of ['POST', 'GET', 'DELETE']) {
    const response = await fetch(stack.mcpUrl, {
      method,
      headers: { accept, 'content-type': 'application/json', ...(authorization ? { authorization } : {}) },
      ...(method === 'POST' ? { body: initialize } : {}),
    })
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer error="invalid_token", error_description="/)
    const answer = (await response.json()) as { error: string; error_description: string }
    expect(answer.error).toBe('invalid_token')
    if (authorization === '') expect(answer.error_description).toContain('Authorization: Bearer svc_')
  }
})

test('the tools reject a revoked token at once, and the HTTP server within seconds', async () => {
  const app = stack.core.client(token)
  const { token: plain, id } = await app.tokens.create.mutate({ name: 'Soon gone', scopes: ['projects:read'] })
  await using client = await connectV1({ kind: 'http', url: stack.mcpUrl, token: plain })
  expect((await client.call('whoami')).facts).toMatchObject({ tokenName: 'Soon gone', scopes: ['projects:read'] })
  await app.tokens.revoke.mutate({ tokenId: id })
  const { isError, text } = await client.call('whoami')
  expect(isError).toBe(true)
  expect(text).toContain('rejected the token')
})

/** `fetch` does not let a caller choose the Host header. */
function answerFor(headers: Record<string, string>): Promise<{ status: number | undefined; said: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number | undefined; said: string }>()
  const request = httpRequest(stack.mcpUrl, { method: 'POST', headers }, (response) => {
    text(response).then((said) => resolve({ status: response.statusCode, said }), reject)
  })
  request.once('error', reject)
  request.end(initialize)
  return promise
}

test('a foreign Host or Origin gets 403 before the token is checked', async () => {
  const good = { accept, 'content-type': 'application/json', authorization: `Bearer ${token}` }
  expect(await answerFor(good)).toMatchObject({ status: 200 })
  expect(await answerFor({ ...good, host: 'evil.example' })).toMatchObject({ status: 403 })
  expect(await answerFor({ ...good, origin: 'https://evil.example' })).toMatchObject({ status: 403 })
  expect(await answerFor({ ...good, origin: 'http://localhost:6274' })).toMatchObject({ status: 200 })
  expect(await answerFor({ host: 'evil.example' })).toMatchObject({ status: 403 })
  expect((await answerFor({ ...good, host: 'evil.example' })).said).toContain(
    'The Host header must be one of localhost, 127.0.0.1, [::1], but it is evil.example.',
  )
})

test('other paths get 404 and other methods 405', async () => {
  expect((await fetch(new URL('/', stack.mcpUrl))).status).toBe(404)
  const response = await fetch(stack.mcpUrl, { method: 'PUT', headers: { authorization: `Bearer ${token}` } })
  expect(response.status).toBe(405)
  expect(response.headers.get('allow')).toBe('POST, GET, DELETE')
})

test('rejects messages of hundreds of thousands of values before parsing them', async () => {
  const response = await post(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[${'{},'.repeat(340_000)}0]}}`)
  expect([response.status, await response.json()]).toMatchObject([
    400,
    { error: { message: 'A message may have at most 20000 values.' } },
  ])
})

test('rejects bodies that are too large, truncated or not JSON', async () => {
  expect((await post(message('ping', { filler: 'x'.repeat(1_100_000) }))).status).toBe(413)
  expect((await post(initialize, { 'content-type': 'text/plain' })).status).toBe(415)
  expect((await post('{"jsonrpc":')).status).toBe(400)
})

test('a call of the older era needs no session', async () => {
  const response = await post(message('tools/list'), { 'mcp-protocol-version': '2025-11-25' })
  expect(response.status).toBe(200)
  expect(await response.text()).toContain('list_projects')
})

test('a session has a stream from the server until DELETE ends it', async () => {
  const opened = await post(initialize)
  const session = opened.headers.get('mcp-session-id') ?? ''
  expect(session).not.toBe('')
  const headers = { accept: 'text/event-stream', authorization: `Bearer ${token}`, 'mcp-session-id': session }
  const stream = await fetch(stack.mcpUrl, { headers })
  expect(stream.status).toBe(200)
  expect(stream.headers.get('content-type')).toBe('text/event-stream')
  expect((await post(message('tools/list'), { 'mcp-session-id': session })).status).toBe(200)

  expect((await fetch(stack.mcpUrl, { method: 'DELETE', headers })).status).toBe(200)
  expect((await post(message('tools/list'), { 'mcp-session-id': session })).status).toBe(404)
  expect((await fetch(stack.mcpUrl, { headers })).status).toBe(404)
  await stream.body?.cancel()
})

test('a caller can open at most twenty streams, whatever it calls them', async () => {
  const { config } = readMcpConfig({ SVC_BASE_URL: stack.core.url, MCP_PORT: '0' })
  if (!config) throw new Error('the settings of the test are wrong')
  const capabilities = { tools: { listChanged: true } }
  const createMcp = () => new McpServer({ name: 'changing', version: '1' }, { capabilities })
  await using server = await startHttp(config, createLog('silent', 'stdout'), createMcp)
  const leaving = new AbortController()
  const listen = async (id: number, method = 'subscriptions/listen') => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const params = { notifications: { toolsListChanged: true }, _meta }
    return fetch(`http://127.0.0.1:${server.port}/mcp`, {
      method: 'POST',
      signal: leaving.signal,
      headers: {
        accept,
        'content-type': 'application/json',
        authorization: `Bearer ${token}`,
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id, method: 'subscriptions/listen', params }),
    })
  }
  // Keeps the responses, because an unreferenced one is closed.
  const opened: Response[] = []
  for (let id = 0; id < 21; id += 1) opened.push(await listen(id))
  expect(opened.map(({ status }) => status)).toEqual([...Array<number>(20).fill(200), 429])
  expect((await listen(21, 'tools/list')).status).toBe(400)
  leaving.abort()
})

test('a client continues after the server has lost its session', async () => {
  const response = await post(message('tools/list'), { 'mcp-session-id': 'from-before-the-restart' })
  expect(response.status).toBe(200)
  expect(await response.text()).toContain('list_projects')
})

test('a caller that opens many sessions loses its own oldest stream only', async () => {
  const mine = await createTokenFor(stack.core)
  const others = (await post(initialize)).headers.get('mcp-session-id') ?? ''
  const opened: string[] = []
  for (let index = 0; index <= 20; index += 1) {
    const response = await post(initialize, { authorization: `Bearer ${mine}` })
    opened.push(response.headers.get('mcp-session-id') ?? '')
  }
  const streamStatus = async (session: string, bearer: string) => {
    const headers = { accept: 'text/event-stream', authorization: `Bearer ${bearer}`, 'mcp-session-id': session }
    const { status, body } = await fetch(stack.mcpUrl, { headers })
    await body?.cancel()
    return status
  }
  expect(await streamStatus(opened[0] ?? '', mine)).toBe(404)
  expect(await streamStatus(opened[1] ?? '', mine)).toBe(200)
  expect(await streamStatus(others, token)).toBe(200)
})

test('a session is not accessible with another token', async () => {
  const session = (await post(initialize)).headers.get('mcp-session-id') ?? ''
  const other = { authorization: `Bearer ${await createTokenFor(stack.core)}`, 'mcp-session-id': session }
  expect((await fetch(stack.mcpUrl, { headers: { accept: 'text/event-stream', ...other } })).status).toBe(404)
  expect((await fetch(stack.mcpUrl, { method: 'DELETE', headers: other })).status).toBe(404)
  const mine = { accept: 'text/event-stream', authorization: `Bearer ${token}`, 'mcp-session-id': session }
  const stream = await fetch(stack.mcpUrl, { headers: mine })
  expect(stream.status).toBe(200)
  await stream.body?.cancel()
})

test('each request acts for the owner of its token', async () => {
  const tokens = await Promise.all([createTokenFor(stack.core), createTokenFor(stack.core)])
  const clients = await Promise.all(
    tokens.map((one) => connectV2({ kind: 'http', url: stack.mcpUrl, token: one }, 'auto')),
  )
  const users = await Promise.all(clients.map(async (client) => (await client.call('whoami')).facts['user']))
  const expected = await Promise.all(
    tokens.map(async (one) => (await stack.core.client(one).tokens.current.query()).user),
  )
  expect(users).toEqual(expected)
  await Promise.all(clients.map((client) => client[Symbol.asyncDispose]()))
})

test('the log contains no token', async () => {
  await using client = await connectV1({ kind: 'http', url: stack.mcpUrl, token })
  await client.call('whoami')
  await post('{', { authorization: `Bearer ${token}` })
  const log = stack.mcpLog.join('')
  expect(log).toContain('"tool":"whoami"')
  expect(log).not.toContain(token)
  expect(log).not.toMatch(/svc_v1_[\w-]{37}/)
})

test('no tool puts a token into its result or the log', async () => {
  const owner = await createUser(stack.core)
  const owned = await createEverything(stack.core, owner)
  const mine = await createTokenFor(stack.core, { user: owner })
  await using client = await connectV2({ kind: 'http', url: `${stack.mcpUrl}?toolsets=all`, token: mine }, 'auto')
  const said: string[] = []
  for (const { name, inputSchema } of tools) {
    const known = Object.keys(inputSchema.shape).filter((argument) => owned[argument] !== undefined)
    const given = Object.fromEntries(known.map((argument) => [argument, owned[argument]]))
    for (const args of [given, { ...given, token: mine }]) said.push(JSON.stringify(await client.call(name, args)))
  }
  for (const uri of await client.resources()) said.push(await client.readResource(uri))
  said.push(await client.readResource(`run://${owned['runId']}/report`).catch(String))
  said.push(await client.prompt('red-to-green', { projectId: owned['projectId'] ?? '' }))
  expect(said.filter((text) => text.includes('"isError":false')).length).toBeGreaterThan(10)
  for (const text of [...said, ...stack.mcpLog]) {
    expect(text).not.toContain(mine)
    expect(text).not.toMatch(/svc_v1_[\w-]{37}/)
  }
})

test.each([
  ['a header', '', { 'x-svc-toolsets': 'account' }],
  ['the query', '?toolsets=account', {}],
])('%s selects the tools, and an invalid one is refused', async (_where, query, headers) => {
  const list = async (more: Record<string, string> = {}, search = query) => {
    const response = await fetch(`${stack.mcpUrl}${search}`, {
      method: 'POST',
      body: message('tools/list'),
      headers: { accept, 'content-type': 'application/json', authorization: `Bearer ${token}`, ...headers, ...more },
    })
    return { status: response.status, text: await response.text() }
  }
  const names = ({ text }: { text: string }) => [...text.matchAll(/"name":"([a-z_]+)"/g)].map(([, name]) => name)
  expect(names(await list())).toEqual(toolsets.account.map(({ name }) => name))
  const reading = names(await list({ 'x-svc-read-only': 'true', 'x-svc-exclude-tools': 'get_profile' }))
  expect(reading).toEqual(['list_sessions', 'get_audit_logs'])

  expect(await list({ 'x-svc-readonly': 'true' })).toMatchObject({
    status: 400,
    text: expect.stringContaining('x-svc-readonly is unknown. Valid are toolsets, tools'),
  })
  expect(await list({}, '?read_only-true')).toMatchObject({ status: 400, text: expect.stringContaining('is unknown') })
  // Clients match the refusal to their request.
  expect(JSON.parse((await list({}, '?read_only-true')).text)).toMatchObject({ id: 1, error: { code: -32_000 } })
  expect(await list({ 'x-svc-read-only': 'yes' })).toMatchObject({
    status: 400,
    text: expect.stringContaining('x-svc-read-only must be true or false'),
  })
  expect(await list({ 'x-svc-tools': 'whoami' }, '?tools=whoami')).toMatchObject({
    status: 400,
    text: expect.stringContaining('given twice'),
  })
})

test('both transports list only the tools that the scopes of the token allow', async () => {
  const few = await createTokenFor(stack.core, { scopes: ['projects:read', 'tests:read'] })
  const env = { SVC_BASE_URL: stack.core.url, SVC_API_TOKEN: few }
  await using overHttp = await connectV2({ kind: 'http', url: stack.mcpUrl, token: few }, 'auto')
  await using overStdio = await connectV2({ kind: 'stdio', env }, 'auto')
  const [seen, there] = await Promise.all([overHttp.toolNames(), overStdio.toolNames()])
  expect(seen).toEqual(there)
  const allowed = [null, 'projects:read', 'tests:read']
  const offered = [...toolsets.core, ...toolsets.webhooks].filter(({ scope }) => allowed.includes(scope))
  expect(seen).toEqual(offered.map(({ name }) => name))
  // Core refuses a tool that is not listed, and names the scope.
  const refused = await overHttp.call('create_project', { name: 'Shop', repository: 'https://example.com/shop' })
  expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('projects:write') })
})

test('as a child process it reports when it is ready, and ends with its parent', async () => {
  const child = fork(mcpMain, ['--http'], {
    env: childEnvironment({ MCP_PORT: '0', SVC_BASE_URL: stack.core.url }),
    execArgv: [],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const port = await portOf(child)
  await using client = await connectV1({ kind: 'http', url: `http://localhost:${port}/mcp`, token })
  expect((await client.call('whoami')).isError).toBe(false)
  const gone = once(child, 'exit')
  child.disconnect()
  expect(await gone).toEqual([0, null])
})

test('SIGTERM ends the server although a stream is open', async () => {
  const child = fork(mcpMain, ['--http'], {
    env: childEnvironment({ MCP_PORT: '0', SVC_BASE_URL: stack.core.url }),
    execArgv: [],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await using client = await connectV1({ kind: 'http', url: `http://127.0.0.1:${await portOf(child)}/mcp`, token })
  await client.call('whoami')
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  expect(await gone).toEqual([0, null])
})

test('a port in use gives a one-line error', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const child = fork(mcpMain, ['--http'], {
    env: childEnvironment({ MCP_PORT: String(port) }),
    execArgv: [],
    silent: true,
  })
  onTestFinished(() => {
    other.close()
    child.kill('SIGKILL')
  })
  let stderr = ''
  child.stderr?.on('data', (chunk: Buffer) => void (stderr += chunk.toString()))
  expect(await once(child, 'close')).toEqual([1, null])
  expect(stderr).toBe(`The MCP server did not start: port ${port} is in use. Set MCP_PORT to a free port.\n`)
})

test('with core down, a caller gets no session and no stream', async () => {
  const child = fork(mcpMain, ['--http'], {
    env: childEnvironment({ MCP_PORT: '0', SVC_BASE_URL: 'http://127.0.0.1:1' }),
    execArgv: [],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const url = `http://127.0.0.1:${await portOf(child)}/mcp`
  const headers = { accept, 'content-type': 'application/json', authorization: `Bearer ${token}` }
  const opened = await fetch(url, { method: 'POST', body: initialize, headers })
  expect([opened.status, opened.headers.get('mcp-session-id')]).toEqual([200, null])
  const listening = { ...headers, 'mcp-method': 'subscriptions/listen' }
  expect((await fetch(url, { method: 'POST', body: '{}', headers: listening })).status).toBe(503)
})

test('with core down, HTTP callers read what to do', async () => {
  const child = fork(mcpMain, ['--http'], {
    env: childEnvironment({ MCP_PORT: '0', SVC_BASE_URL: 'http://127.0.0.1:1' }),
    execArgv: [],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await using client = await connectV1({ kind: 'http', url: `http://127.0.0.1:${await portOf(child)}/mcp`, token })
  const { isError, text } = await client.call('list_projects')
  expect(isError).toBe(true)
  expect(text).toContain('npm start')
})
