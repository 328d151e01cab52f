import { request } from 'node:http'
import type { TestApp } from './app.ts'
import type { OAuthHost } from './oauth-host.ts'

/** Simulates a browser with cookies and redirects. */
export interface Visitor {
  cookies: Map<string, string>
  /** Sends a request with the visitor's cookies and stores new ones. Does not follow redirects. */
  visit(path: string, init?: { method?: string; json?: unknown; headers?: Record<string, string> }): Promise<Visit>
  /** Starts signing in with the code host and returns the URL of its page. */
  begin(input?: object, path?: string): Promise<string>
  /** Signs in completely: starts, approves at the code host, and follows the callback. */
  signIn(host: OAuthHost, input?: object, path?: string): Promise<Visit>
}

export interface Visit {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
  setCookies: string[]
  location: string | undefined
}

export function createVisitor(app: Pick<TestApp, 'url'>, cookies: Record<string, string> = {}): Visitor {
  const visitor: Visitor = {
    cookies: new Map(Object.entries(cookies)),
    async visit(path, { method = 'GET', json, headers = {} } = {}) {
      const visited = await send(new URL(path, app.url), {
        method,
        body: json === undefined ? undefined : JSON.stringify(json),
        headers: {
          ...(json === undefined ? {} : { 'content-type': 'application/json' }),
          ...(visitor.cookies.size === 0
            ? {}
            : { cookie: [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ') }),
          ...headers,
        },
      })
      for (const cookie of visited.setCookies) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
        visitor.cookies.set(name, value)
      }
      return visited
    },
    async begin(input = {}, path = '/api/auth/sign-in/social') {
      const begun = await visitor.visit(path, { method: 'POST', json: { provider: 'code_host', ...input } })
      const body: unknown = JSON.parse(begun.body)
      if (typeof body === 'object' && body !== null && 'url' in body && typeof body.url === 'string') return body.url
      throw new Error(`the sign-in did not begin: ${begun.status} ${begun.body}`)
    },
    async signIn(host, input, path) {
      const back = new URL(await host.approve(await visitor.begin(input, path)))
      return visitor.visit(back.pathname + back.search)
    },
  }
  return visitor
}

/** Unlike `fetch`, it can set the Host header. */
function send(
  url: URL,
  { body, ...options }: { method: string; headers: Record<string, string>; body: string | undefined },
): Promise<Visit> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { ...options, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString('utf8'),
          setCookies: response.headers['set-cookie'] ?? [],
          location: response.headers.location,
        }),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
