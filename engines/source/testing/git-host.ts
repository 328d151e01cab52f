import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, dirname } from 'node:path'
import type { Readable, Writable } from 'node:stream'

/** How the host behaves; may be changed while it runs. */
export interface GitHostBehaviour {
  /** Everything needs this sign-in. */
  credential?: { username: string; password: string }
  /** Stops sending after so many bytes of an answer to a fetch, and keeps the connection open. */
  stallAfterBytes?: number
  /** Answers with a redirect to the same path below this address. */
  redirectTo?: string
  /** Answers with this status and nothing else. */
  status?: number
  /** Knows how to leave out objects. Default: true. */
  filters?: boolean
  /** Speaks protocol version 2 when asked for it. Default: true. */
  protocolV2?: boolean
  /** Knows repositories only by a path that ends so, and redirects to it as some hosts do. */
  suffix?: string
}

export interface GitHost extends AsyncDisposable {
  /** Without a slash at its end. */
  url: string
  port: number
  behaviour: GitHostBehaviour
  /** Every request so far: `GET /app/info/refs?service=git-upload-pack`. */
  requests: string[]
  /** Resolves when an answer has been stalled. */
  stalled: Promise<void>
}

/** Serves repositories over smart HTTP on loopback, by the names given. Values are paths of repositories. */
export async function startGitHost(
  repositories: Record<string, string>,
  behaviour: GitHostBehaviour = {},
): Promise<GitHost> {
  const backends = new Set<ChildProcessByStdio<Writable, Readable, null>>()
  const stalled = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    host.requests.push(`${request.method} ${request.url}`)
    if (!refuse(request, response, host.behaviour)) serve(request, response)
  })

  function serve(request: IncomingMessage, response: ServerResponse) {
    const url = new URL(request.url ?? '/', 'http://localhost')
    const [, name = '', rest = ''] = /^\/([^/]+)(\/.*)$/.exec(url.pathname) ?? []
    const suffix = host.behaviour.suffix ?? ''
    if (!name.endsWith(suffix)) {
      response.writeHead(301, { location: `/${name}${suffix}${rest}${url.search}` }).end()
      return
    }
    const path = repositories[name.slice(0, name.length - suffix.length)]
    if (path === undefined) {
      response.writeHead(404).end()
      return
    }
    const backend = spawn('git', ['http-backend'], {
      env: backendEnvironment(request, url, path, rest, host.behaviour),
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    backends.add(backend)
    backend.once('close', () => backends.delete(backend))
    // The client may go away at any time.
    for (const stream of [backend.stdin, response, request]) stream.on('error', () => backend.kill('SIGKILL'))
    response.once('close', () => backend.kill('SIGKILL'))
    request.pipe(backend.stdin)
    const stallAfter = request.method === 'POST' ? host.behaviour.stallAfterBytes : undefined
    void answer(backend.stdout, response, stallAfter).then(
      (complete) => (complete ? undefined : stalled.resolve()),
      () => response.destroy(),
    )
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const host: GitHost = {
    url: `http://127.0.0.1:${port}`,
    port,
    behaviour,
    requests: [],
    stalled: stalled.promise,
    async [Symbol.asyncDispose]() {
      for (const backend of backends) backend.kill('SIGKILL')
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return host
}

function refuse(request: IncomingMessage, response: ServerResponse, behaviour: GitHostBehaviour): boolean {
  const { credential, redirectTo, status } = behaviour
  if (status !== undefined) {
    response.writeHead(status).end()
    return true
  }
  if (redirectTo !== undefined) {
    response.writeHead(302, { location: `${redirectTo}${request.url}` }).end()
    return true
  }
  if (credential === undefined) return false
  const expected = `Basic ${Buffer.from(`${credential.username}:${credential.password}`).toString('base64')}`
  if (request.headers.authorization === expected) return false
  response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end()
  return true
}

function backendEnvironment(
  request: IncomingMessage,
  url: URL,
  path: string,
  rest: string,
  behaviour: GitHostBehaviour,
): NodeJS.ProcessEnv {
  const header = (name: string) => String(request.headers[name] ?? '')
  return {
    PATH: process.env['PATH'],
    HOME: '/dev/null',
    GIT_PROJECT_ROOT: dirname(path),
    GIT_HTTP_EXPORT_ALL: '1',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_COUNT: '2',
    GIT_CONFIG_KEY_0: 'uploadpack.allowFilter',
    GIT_CONFIG_VALUE_0: String(behaviour.filters ?? true),
    GIT_CONFIG_KEY_1: 'safe.directory',
    GIT_CONFIG_VALUE_1: '*',
    GIT_PROTOCOL: (behaviour.protocolV2 ?? true) ? header('git-protocol') : '',
    PATH_INFO: `/${basename(path)}${rest}`,
    QUERY_STRING: url.search.slice(1),
    REQUEST_METHOD: request.method,
    CONTENT_TYPE: header('content-type'),
    HTTP_CONTENT_ENCODING: header('content-encoding'),
    REMOTE_ADDR: '127.0.0.1',
  }
}

/** Passes on what the backend says in the manner of CGI: headers, an empty line, the body. False when it stalled. */
async function answer(output: Readable, response: ServerResponse, stallAfter = Infinity): Promise<boolean> {
  let head = Buffer.alloc(0)
  let sent = 0
  for await (const chunk of output as AsyncIterable<Buffer>) {
    let body = chunk
    if (!response.headersSent) {
      head = Buffer.concat([head, chunk])
      const end = head.indexOf('\r\n\r\n')
      if (end === -1) continue
      const headers = head
        .toString('latin1', 0, end)
        .split('\r\n')
        .map((line) => line.split(/: (.*)/, 2))
      const status = headers.find(([name]) => name === 'Status')?.[1]
      for (const [name, value] of headers) if (name && value && name !== 'Status') response.setHeader(name, value)
      response.writeHead(Number.parseInt(status ?? '200', 10))
      body = head.subarray(end + 4)
    }
    if (sent + body.length > stallAfter) {
      response.write(body.subarray(0, stallAfter - sent))
      return false
    }
    sent += body.length
    if (!response.write(body)) await drained(response)
  }
  response.end()
  return true
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done)
      resolve()
    }
    response.on('drain', done).on('close', done)
  })
}
