import { randomUUID } from 'node:crypto'
import {
  type AuthInfo,
  isInitializeRequest,
  type McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'

const idleMs = 30 * 60_000
const sweepMs = 60_000
const maxSessions = 1_000
/** A caller that opens more loses its oldest session, and no other caller does. */
const maxOfCaller = 20

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
 * call needs, so a session that a restart lost is no error for its client.
 */
export interface Sessions extends AsyncDisposable {
  /** Serves a request of a session, or one that opens a session; undefined for requests that need none. */
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
    const [oldest] = own.length >= maxOfCaller ? own : sessions.size >= maxSessions ? sessions : []
    if (oldest) await close(...oldest)
    const server = createServer(auth)
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        sessions.set(id, { transport, server, caller, lastUsedAt: now(), ended: false })
      },
      onsessionclosed: (id) => {
        // Kept until it would have expired, so that later requests get a 404.
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
      // Another caller's session does not exist for this caller.
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
      // Invented tokens must not be able to use up the sessions of other callers.
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

const notFound = () => refusal(404, 'Session not found. Send initialize to open a new one.')

const methodNotAllowed = () => refusal(405, 'GET and DELETE need the Mcp-Session-Id of a session.', { allow: 'POST' })

const refusal = (status: number, message: string, headers: Record<string, string> = {}) =>
  Response.json({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null }, { status, headers })
