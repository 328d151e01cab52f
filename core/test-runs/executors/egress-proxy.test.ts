import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, request, type IncomingMessage } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startEgressProxy, type EgressProxyOptions } from './egress-proxy.ts'

const server = createServer((incoming, answer) => {
  answer.writeHead(200, {
    'x-host': incoming.headers.host ?? '',
    'x-proxy': incoming.headers['proxy-authorization'] ?? '',
  })
  incoming.pipe(answer)
})
let folder: string
let port: number

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-proxy-'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(async () => {
  server.close()
  await rm(folder, { recursive: true })
})

let proxies = 0
async function withProxy<T>(options: Partial<EgressProxyOptions>, use: (path: string) => Promise<T>): Promise<T> {
  const path = join(folder, `socket-${proxies++}`)
  await using _ = await startEgressProxy({ path, allowCidrs: [], ...options })
  return await use(path)
}

async function ask(
  socketPath: string,
  url: string,
  body = '',
): Promise<{ status: number; headers: unknown; body: string }> {
  const sent = request({ socketPath, method: 'POST', path: url, headers: { 'proxy-authorization': 'x' } })
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve)
    sent.once('error', reject)
  })
  sent.end(body)
  const answer = await answered
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: await text(answer) }
}

/** What the proxy answers to CONNECT, and what comes through the tunnel. */
async function tunnel(path: string, authority: string): Promise<string> {
  const socket = connect({ path, allowHalfOpen: true })
  // Where it is refused, nobody reads the rest.
  socket.on('error', () => undefined)
  let answered = ''
  socket.setEncoding('utf8')
  socket.on('data', (chunk: string) => {
    if (answered === '')
      socket.end('POST / HTTP/1.1\r\nHost: inner\r\nConnection: close\r\nContent-Length: 4\r\n\r\nping')
    answered += chunk
  })
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: x\r\n\r\n`)
  await new Promise((resolve) => socket.once('close', resolve))
  return answered
}

test('passes requests and tunnels on to what may be reached', async () => {
  await withProxy({ loopback: true }, async (path) => {
    const plain = await ask(path, `http://localhost:${port}/x`, 'ping')
    expect(plain).toMatchObject({
      status: 200,
      body: 'ping',
      headers: { 'x-host': `localhost:${port}`, 'x-proxy': '' },
    })
    const through = await tunnel(path, `127.0.0.1:${port}`)
    expect(through).toMatch(/^HTTP\/1.1 200 Connection Established/)
    expect(through).toContain('x-host: inner')
  })
})

test('never leads to this machine, however it is written and whatever is allowed', async () => {
  await withProxy({ allowCidrs: ['127.0.0.0/8', '::1', '0.0.0.0/0', '::/0'] }, async (path) => {
    for (const host of [
      '127.0.0.1',
      'localhost',
      '127.1',
      '2130706433',
      '0x7f.1',
      '0.0.0.0',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[::]',
    ]) {
      expect((await ask(path, `http://${host}:${port}/`)).status, host).toBe(403)
      expect(await tunnel(path, `${host}:${port}`), host).toMatch(/^HTTP\/1.1 403 /)
    }
  })
})

test('leads to private networks only where they are allowed', async () => {
  await withProxy({}, async (path) => {
    for (const host of ['10.0.0.1', '169.254.169.254', '192.168.1.1', '[fd00::1]']) {
      expect((await ask(path, `http://${host}/`)).status, host).toBe(403)
    }
    expect((await ask(path, 'http://does-not-exist.invalid/')).status).toBe(502)
  })
})

test('is a proxy and nothing else', async () => {
  await withProxy({}, async (path) => {
    expect((await ask(path, '/')).status).toBe(403)
    expect((await ask(path, 'file:///etc/passwd')).status).toBe(403)
    expect(await tunnel(path, 'no authority at all')).toMatch(/^HTTP\/1.1 (400|403) /)
  })
})
