import { randomUUID } from 'node:crypto'
import {
  type AuthInfo,
  isInitializeRequest,
  type McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'

const idleMs = 30 * 60_000
const sweepMs = 60_000
const mostSessions = 1_000
/** One caller opening many loses its own oldest, not somebody else's. */
const mostOfOneCaller = 20

interface Session {
  transport: WebStandardStreamableHTTPServerTransport
  server: McpServer
  caller: string
  lastUsedAt: number
  ended: boolean
}

export interface LegacyRequest {
  request: Request
  body: unknown
  auth: AuthInfo
}

/**
 * Sessions of the protocol's older era: a stream from server to client, and cancellation. They hold nothing that a
 * call needs, so a session that was forgotten, by a restart say, is not an error for its client.
 */
export interface Sessions extends AsyncDisposable {
  /** Serves what belongs to a session, or to none yet; undefined where it can be served without one. */
  serve: (legacy: LegacyRequest) => Promise<Response | undefined>
}

export function createSessions(createServer: (auth: AuthInfo) => McpServer, now: () => number = Date.now): Sessions {
  const sessions = new Map<string, Session>()

  const close = async (id: string, session: Session) => {
    sessions.delete(id)
    await session.server.close()
  }
  const sweep = setInterval(() => {
    for (const [id, session] of sessions) {
      if (now() - session.lastUsedAt > idleMs) void close(id, session)
    }
  }, sweepMs)
  sweep.unref()

  const open = async (auth: AuthInfo): Promise<WebStandardStreamableHTTPServerTransport> => {
    const caller = auth.clientId
    const own = [...sessions].filter(([, session]) => session.caller === caller)
    const [oldest] = own.length >= mostOfOneCaller ? own : sessions.size >= mostSessions ? sessions : []
    if (oldest) await close(...oldest)
    const server = createServer(auth)
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        sessions.set(id, { transport, server, caller, lastUsedAt: now(), ended: false })
      },
      onsessionclosed: (id) => {
        // Remembered until it would have been idle for too long: what comes after the end is answered with 404.
        const session = sessions.get(id)
        if (session) session.ended = true
      },
    })
    await server.connect(transport)
    return transport
  }

  return {
    serve: async ({ request, body, auth }) => {
      const id = request.headers.get('mcp-session-id')
      const known = id === null ? undefined : sessions.get(id)
      // Somebody else's session is as absent as one that never was.
      const session = known?.caller === auth.clientId ? known : undefined
      if (session?.ended) return notFound()
      if (session && id !== null) {
        session.lastUsedAt = now()
        // Insertion order is the order of last use.
        sessions.delete(id)
        sessions.set(id, session)
        return session.transport.handleRequest(request, { parsedBody: body, authInfo: auth })
      }
      if (request.method !== 'POST') return id === null ? methodNotAllowed() : notFound()
      if (id !== null || !isInitializeRequest(body)) return undefined
      // While core does not say who calls, anybody could make up callers until nobody else has a session.
      if (auth.extra?.['verified'] !== true) return undefined
      const transport = await open(auth)
      return transport.handleRequest(request, { parsedBody: body, authInfo: auth })
    },
    [Symbol.asyncDispose]: async () => {
      clearInterval(sweep)
      await Promise.all([...sessions].map(([id, session]) => close(id, session)))
    },
  }
}

const notFound = () => refusal(404, 'Session not found. Send initialize to begin a new one.')

const methodNotAllowed = () => refusal(405, 'GET and DELETE need the Mcp-Session-Id of a session.', { allow: 'POST' })

const refusal = (status: number, message: string, headers: Record<string, string> = {}) =>
  Response.json({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null }, { status, headers })
