import { once } from 'node:events'
import { createServer, request, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readMcpConfig } from '../config.ts'
import { type McpHttpServer, startHttp } from '../http.ts'
import { createLog } from '../log.ts'
import { createFixture } from './fixture.ts'

/** The only valid token. */
const token = `svc_v1_${'c'.repeat(32)}_test`

/** Starts the server under test: the fixture on our transport with all its checks, behind a proxy that adds the token. */
export async function startFront(): Promise<AsyncDisposable & { url: string }> {
  await using opened = new AsyncDisposableStack()
  const core = opened.use(await listen(answerAsCore))
  const { config } = readMcpConfig({ SVC_BASE_URL: core.url, MCP_PORT: '0' })
  if (!config) throw new Error('the settings of the conformance run are wrong')
  // The tools of the fixture work only after the server has started.
  const served: { mcp?: McpHttpServer } = {}
  const createMcp = createFixture(() => {
    if (!served.mcp) throw new Error('nothing is served yet')
    return served.mcp.notify
  })
  const mcp = opened.use(await startHttp(config, createLog('silent', 'stderr'), createMcp))
  served.mcp = mcp
  const front = opened.use(await listen(addBearer(mcp.port)))
  const stack = opened.move()
  return { url: `${front.url}/mcp`, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

/** Answers the calls of the token check in place of core. */
const answerAsCore: RequestListener = (incoming, response) => {
  const isGood = incoming.headers.authorization === `Bearer ${token}`
  const data = { scopes: [], expiresAt: new Date(Date.now() + 3_600_000).toISOString() }
  const error = { message: 'Unknown token.', code: -32_001, data: { code: 'UNAUTHORIZED', httpStatus: 401 } }
  response.writeHead(isGood ? 200 : 401, { 'content-type': 'application/json' })
  response.end(JSON.stringify(isGood ? { result: { data } } : { error }))
}

/** Forwards requests unchanged, including foreign hosts and origins, which the server has to refuse. */
const addBearer =
  (port: number): RequestListener =>
  (incoming, response) => {
    const { method = 'GET', url: path = '/' } = incoming
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` }
    const outgoing = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      response.flushHeaders()
      answer.pipe(response)
    })
    outgoing.once('error', () => response.destroy())
    response.once('close', () => outgoing.destroy())
    incoming.pipe(outgoing)
  }

async function listen(listener: RequestListener): Promise<AsyncDisposable & { url: string }> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
