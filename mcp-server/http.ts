import { flushCompileCache } from 'node:module'
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { localhostOriginValidation, type NodeServerResponseLike, toNodeHandler } from '@modelcontextprotocol/node'
import {
  type AuthInfo,
  createMcpHandler,
  isLegacyRequest,
  type McpHandlerRequestOptions,
  type McpHttpHandler,
  ProtocolErrorCode,
  localhostAllowedHostnames,
  validateHostHeader,
} from '@modelcontextprotocol/server'
import getRawBody from 'raw-body'
import { z } from 'zod'
import { JsonProblem, scanJson } from '../engines/json/scan.ts'
import { defaultBaseUrl } from '../client/credentials.ts'
import { createAuthenticator } from './authenticate.ts'
import type { McpConfig } from './config.ts'
import { createLog, type Log } from './log.ts'
import { createRecentSuggestions } from './answers/recent-suggestions.ts'
import { selectionOfRequest } from './request-selection.ts'
import type { Selection } from './selection.ts'
import { createServer } from './server.ts'
import type { Runtime } from './runtime.ts'
import { loadTools } from './tools/load.ts'
import { createSessions } from './protocol/sessions.ts'
import { createStreams, maxStreams } from './protocol/streams.ts'

const path = '/mcp'
const methods = ['POST', 'GET', 'DELETE']
/** Arguments are small; the largest is the code of a test. */
const maxRequestBodySize = 1_048_576
/** As many as core accepts. */
const maxValues = 20_000

export interface McpHttpServer extends AsyncDisposable {
  port: number
  /** Notifies listening clients of changes. */
  notify: McpHttpHandler['notify']
}

/**
 * Serves MCP over streamable HTTP, both eras, on loopback. Each caller sends its own token.
 *
 * @param createMcp - creates the server of a connection
 */
export async function startHttp(config: McpConfig, log: Log, createMcp = createServer): Promise<McpHttpServer> {
  const baseUrl = config.client.baseUrl ?? defaultBaseUrl
  const selectionOf = (auth: AuthInfo | undefined) =>
    (auth?.extra?.['selection'] as Selection | undefined) ?? config.selection
  const runtime: Runtime = {
    log,
    local: undefined,
    suggestions: createRecentSuggestions(),
    caller: async (ctx) => {
      const auth = ctx.http?.authInfo
      if (!auth) throw new Error('a request passed without the bearer check')
      const { token, clientId, scopes, extra } = auth
      const selection = selectionOf(auth)
      return { baseUrl, token, key: clientId, scopes: extra?.['verified'] === true ? scopes : undefined, selection }
    },
  }
  const onerror = (error: Error) => log.debug({ err: error }, 'protocol')
  // Modern requests, and those of the older era that need no session.
  const stateless = createMcpHandler(({ authInfo }) => createMcp(runtime, selectionOf(authInfo)), {
    onerror,
    maxRequestBodySize,
  })
  const sessions = createSessions((auth) => createMcp(runtime, selectionOf(auth)))
  const route = async (request: Request, options: McpHandlerRequestOptions = {}): Promise<Response> => {
    const body = options.parsedBody
    const problem = options.authInfo?.extra?.['problem']
    if (typeof problem === 'string') return Response.json(refusal(problem, idOf(body)), { status: 400 })
    if (options.authInfo && (await isLegacyRequest(request, body))) {
      const answer = await sessions.serve({ request, body, auth: options.authInfo })
      if (answer) return answer
    }
    return stateless.fetch(request, options)
  }
  const serveMcp = toNodeHandler({ fetch: route }, { onerror, maxRequestBodySize })

  const authenticator = createAuthenticator(baseUrl)
  const streams = createStreams(authenticator)
  const allowedHosts = localhostAllowedHostnames()
  const isAllowedOrigin = localhostOriginValidation()
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('x-content-type-options', 'nosniff')
    response.setHeader('cache-control', 'no-store')
    const { host } = request.headers
    if (!validateHostHeader(host, allowedHosts).ok) {
      const given = host?.slice(0, 200) || 'empty'
      return refuse(response, 403, `The Host header must be one of ${allowedHosts.join(', ')}, but it is ${given}.`)
    }
    if (!isAllowedOrigin(request, response)) return
    const [target, query = ''] = request.url?.split('?') ?? []
    if (target !== path) {
      return refuse(response, 404, `Not found. MCP is served at ${path}.`)
    }
    if (!methods.includes(request.method ?? '')) {
      response.setHeader('allow', methods.join(', '))
      return refuse(response, 405, `Use ${methods.join(', ')}.`)
    }
    const gone = new AbortController()
    response.once('close', () => {
      if (!response.writableFinished) gone.abort()
    })
    const auth = await authenticator.authenticate(request.headers.authorization, gone.signal)
    if (auth instanceof Response) {
      response.writeHead(auth.status, Object.fromEntries(auth.headers))
      return void response.end(await auth.text())
    }
    // The SDK requires the header to match the body.
    const listens = request.headers['mcp-method'] === 'subscriptions/listen'
    if (listens && auth.extra?.['verified'] !== true) {
      return refuse(response, 503, 'The server did not verify the token. Try again later.')
    }
    const staysOpen = listens || request.method === 'GET'
    if (staysOpen && !streams.admit(auth.clientId, request.headers.authorization, response)) {
      return refuse(response, 429, `You have ${maxStreams} streams open, which is the maximum. Close one.`)
    }
    const chosen = {
      ...auth,
      extra: { ...auth.extra, ...selectionOfRequest(request.headers, query, config.selection) },
    }
    const body = request.method === 'POST' ? await readJson(request, response) : { parsed: undefined }
    if (body) await serveMcp(Object.assign(request, { auth: chosen }), onceOrFlushed(response), body.parsed)
  }

  const server = createHttpServer(
    { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 5_000, keepAliveTimeout: 10_000 },
    (request, response) => {
      serve(request, response).catch((error: unknown) => {
        log.error({ err: error }, 'request failed')
        if (response.headersSent) response.destroy()
        else refuse(response, 500, 'The MCP server failed to answer. Its log has the details.')
      })
    },
  )
  const { promise: listening, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen(config.port, '127.0.0.1', resolve)
  await listening
  const { port } = server.address() as AddressInfo
  log.info({ url: `http://127.0.0.1:${port}${path}`, core: baseUrl }, 'MCP over HTTP is ready')

  return {
    port,
    notify: stateless.notify,
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((done) => server.close(done))
      streams[Symbol.dispose]()
      await sessions[Symbol.asyncDispose]()
      await stateless.close()
      server.closeIdleConnections()
      const deadline = setTimeout(() => server.closeAllConnections(), 3_000)
      await closed
      clearTimeout(deadline)
    },
  }
}

/** Serves until a signal arrives or the parent process ends. */
export async function runHttp(config: McpConfig): Promise<void> {
  const log = createLog(config.logLevel, 'stdout')
  let server: McpHttpServer
  try {
    server = await startHttp(config, log)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    const why = error.code === 'EADDRINUSE' ? `port ${config.port} is in use` : error.message
    process.stderr.write(`The MCP server did not start: ${why}. Set MCP_PORT to a free port.\n`)
    process.exitCode = 1
    process.disconnect?.()
    return
  }
  let stopping = false
  const stop = async (reason: string) => {
    if (stopping) return
    stopping = true
    log.info({ reason }, 'stopping')
    await server[Symbol.asyncDispose]()
    process.exit(0)
  }
  process.once('SIGTERM', () => void stop('SIGTERM'))
  process.once('SIGINT', () => void stop('SIGINT'))
  process.once('disconnect', () => void stop('the parent process is gone'))
  process.send?.({ ready: true, port: server.port })
  await loadTools()
  // At the end of the process, V8 would have dropped the code of functions that ran only once.
  flushCompileCache()
}

/**
 * Sends the headers of an event stream at once, because a client would otherwise learn only from the first heartbeat that
 * its stream is open. Sends any other response as a whole, which takes one write in place of three.
 */
function onceOrFlushed(response: ServerResponse): NodeServerResponseLike {
  let whole: Uint8Array[] | undefined
  const bytesOf = (chunk: string | Uint8Array) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
  return {
    writeHead: (status, headers = {}) => {
      if (headers['content-type'] === 'text/event-stream') {
        response.writeHead(status, headers)
        response.flushHeaders()
        return
      }
      response.statusCode = status
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
      whole = []
    },
    write: (chunk) => {
      if (!whole) return response.write(chunk)
      whole.push(bytesOf(chunk))
      return true
    },
    end: (chunk) => {
      if (!whole) return response.end(chunk)
      if (chunk !== undefined) whole.push(bytesOf(chunk))
      return response.end(Buffer.concat(whole))
    },
    on: (event, listener) => response.on(event, listener),
    get destroyed() {
      return response.destroyed
    },
  }
}

/**
 * Returns the message of a body, or refuses the body. The values are counted first, because parsing and validating many
 * of them would delay other callers. The SDK would read the body too, but through two web streams.
 */
async function readJson(request: IncomingMessage, response: ServerResponse): Promise<{ parsed: unknown } | undefined> {
  let body: Buffer
  try {
    body = await getRawBody(request, { length: request.headers['content-length'], limit: maxRequestBodySize })
  } catch (error) {
    const isTooLarge = error instanceof Error && 'type' in error && error.type === 'entity.too.large'
    response.setHeader('connection', 'close')
    if (isTooLarge) refuse(response, 413, `A message may have at most ${maxRequestBodySize} bytes.`)
    else refuse(response, 400, 'The message ended early.')
    return undefined
  }
  try {
    scanJson(body, { maxValues })
    return { parsed: JSON.parse(body.toString()) }
  } catch (error) {
    if (!(error instanceof JsonProblem) && !(error instanceof SyntaxError)) throw error
    const isLarge = error instanceof JsonProblem && error.kind === 'values'
    if (isLarge) refuse(response, 400, `A message may have at most ${maxValues} values.`)
    else refuse(response, 400, 'The message is not JSON.', ProtocolErrorCode.ParseError)
    return undefined
  }
}

function refuse(response: ServerResponse, status: number, message: string, code?: number): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(refusal(message, null, code)))
}

const refusal = (message: string, id: string | number | null, code = -32_000) => ({
  jsonrpc: '2.0',
  error: { code, message },
  id,
})

/** Clients match a refusal to their request by its id. */
const idOf = (body: unknown) => Identified.safeParse(body).data?.id ?? null

const Identified = z.object({ id: z.union([z.string(), z.number()]) })
