import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { fail, type Fault } from './fault.ts'
import { listening } from './receiver.ts'

/** A request to a code host for tests, with its JSON body. */
export interface HostRequest {
  /** `GET /projects/:id`, with the encoded path as it was sent and without the prefix of the API. */
  line: string
  query: URLSearchParams
  body: Record<string, unknown>
  token: string
}

export interface HostAnswer {
  status: number
  body?: unknown
  headers?: Record<string, string>
}

/** A fault of the next requests that match. `cut` and `swallow` take effect, but their answer does not arrive. */
export interface HostFault {
  kind: Fault | HostAnswer | 'cut' | 'swallow'
  times: number
  match?: RegExp
}

export interface HostServer extends AsyncDisposable {
  /** Without a trailing slash. */
  url: string
  fault: HostFault | undefined
  /** The lines of all requests. */
  requests: string[]
}

/** Starts an HTTP server with the API of a code host below `prefix`. Lists are answered in pages. */
export async function startHostServer(
  prefix: string,
  answer: (request: HostRequest) => HostAnswer,
  perPageName: string,
): Promise<HostServer> {
  const serve = async (req: IncomingMessage, res: ServerResponse) => {
    const { pathname, searchParams: query } = new URL(req.url ?? '/', host.url)
    const line = `${req.method} ${pathname.slice(prefix.length)}`
    host.requests.push(line)
    const { fault } = host
    const isFaulty = fault !== undefined && (fault.match?.test(line) ?? true) && fault.times-- > 0
    const kind = isFaulty ? fault.kind : undefined
    if (typeof kind === 'object' && !('type' in kind)) return send(res, kind)
    if (kind !== undefined && kind !== 'cut' && kind !== 'swallow') return void fail(kind, res)
    const text = await read(req)
    const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
    const token = (req.headers.authorization ?? '').replace(/^(?:Bearer|token) /, '')
    const answered = pathname.startsWith(prefix) ? answer({ line, query, body, token }) : { status: 404, body: {} }
    if (kind === 'cut') return void res.destroy()
    if (kind === undefined) send(res, paged(answered, `${host.url}${pathname}`, query))
    return undefined
  }
  const paged = (answered: HostAnswer, address: string, query: URLSearchParams): HostAnswer => {
    if (!Array.isArray(answered.body)) return answered
    const all: unknown[] = answered.body
    const size = Number(query.get(perPageName) ?? 20)
    const page = Number(query.get('page') ?? 1)
    const next = new URLSearchParams([...query].filter(([name]) => name !== 'page'))
    next.set('page', String(page + 1))
    const link: Record<string, string> =
      page * size < all.length ? { link: `<${address}?${next.toString()}>; rel="next"` } : {}
    return { ...answered, body: all.slice((page - 1) * size, page * size), headers: { ...answered.headers, ...link } }
  }
  const server = await listening(createServer((req, res) => void serve(req, res).catch(() => res.destroy())))
  const host: HostServer = {
    url: `http://127.0.0.1:${server.port}`,
    fault: undefined,
    requests: [],
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
  return host
}

function send(res: ServerResponse, { status, body, headers }: HostAnswer): void {
  res.writeHead(status, { 'content-type': 'application/json', ...headers })
  res.end(body === undefined ? undefined : JSON.stringify(body))
}

async function read(stream: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
