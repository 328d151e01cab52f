import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, request, type IncomingMessage } from 'node:http'
import { connect, createServer as createTcpServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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

test('never connects to this machine, in any spelling and with any allowed network', async () => {
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
    // The first line is all that many programs show.
    expect(await tunnel(path, 'does-not-exist.invalid:443')).toMatch(
      /^HTTP\/1.1 502 The host name does-not-exist.invalid could not be resolved\.\r\n/,
    )
  })
})

test('is a proxy and nothing else', async () => {
  await withProxy({}, async (path) => {
    expect((await ask(path, '/')).status).toBe(403)
    expect((await ask(path, 'file:///etc/passwd')).status).toBe(403)
    expect(await tunnel(path, 'no authority at all')).toMatch(/^HTTP\/1.1 (400|403) /)
  })
})

describe('an upstream that answers what no server should', () => {
  const plain = 'HTTP/1.1 200 OK\r\nConnection: close\r\n'
  let answers: string
  const upstream = createTcpServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end(Buffer.from(answers, 'latin1')))
  })
  let upstreamPort: number
  beforeAll(async () => {
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
    upstreamPort = (upstream.address() as AddressInfo).port
  })
  afterAll(() => void upstream.close())

  test.each([
    ['a status of zero', 'HTTP/1.1 000 x\r\n\r\n'],
    ['a status below those that there are', 'HTTP/1.1 099 x\r\nContent-Length: 0\r\n\r\n'],
    ['a status of four digits', 'HTTP/1.1 2000 x\r\nContent-Length: 0\r\n\r\n'],
    ['no status', 'HTTP/1.1\r\n\r\n'],
    ['nothing', ''],
    ['something else than HTTP', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['nothing but that it goes on', 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'],
    ['an information that there is not', 'HTTP/1.1 150 x\r\n\r\n'],
    ['an upgrade', 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nframes'],
    ['an upgrade to nothing', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
    ['a header that is too large', `${plain}X: ${'x'.repeat(100_000)}\r\n\r\n`],
    ['too many headers', `${plain}${'X-Y: z\r\n'.repeat(20_000)}\r\n`],
    ['characters that no header has', `${plain}X: a\0b\x01\r\n\r\n`],
    ['a name that no header has', `${plain}X y\x7f: z\r\n\r\n`],
    ['two lengths', `${plain}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`],
    ['a length and chunks', `${plain}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ])('%s is an error of the gateway', async (_name, answer) => {
    answers = answer
    await withProxy({ loopback: true }, async (path) => {
      expect((await ask(path, `http://127.0.0.1:${upstreamPort}/`, 'x')).status).toBe(502)
      expect((await ask(path, `http://localhost:${port}/`, 'ping')).body).toBe('ping')
    })
  })

  test.each([
    ['a trailer with a length', `${plain}Trailer: X-Sum\r\nContent-Length: 2\r\n\r\nok`],
    ['a trailer after chunks', `${plain}Trailer: X\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX: y\r\n\r\n`],
    ['letters of another alphabet', `${plain}X: \xe9\xff\r\nContent-Length: 2\r\n\r\nok`],
  ])('%s comes without it', async (_name, answer) => {
    answers = answer
    await withProxy({ loopback: true }, async (path) => {
      expect(await ask(path, `http://127.0.0.1:${upstreamPort}/`)).toMatchObject({ status: 200, body: 'ok' })
    })
  })

  test.each([
    ['a body that is cut off', `${plain}Content-Length: 100\r\n\r\nx`],
    ['a chunk that is none', `${plain}Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\nzz\r\n`],
  ])('%s is cut off for the client too', async (_name, answer) => {
    answers = answer
    await withProxy({ loopback: true }, async (path) => {
      await expect(ask(path, `http://127.0.0.1:${upstreamPort}/`)).rejects.toThrow()
      expect((await ask(path, `http://localhost:${port}/`, 'ping')).body).toBe('ping')
    })
  })

  test('answers a client whose request the proxy cannot send on', async () => {
    answers = `${plain}Content-Length: 2\r\n\r\nok`
    await withProxy({ loopback: true }, async (path) => {
      const client = connect({ path })
      const target = `http://127.0.0.1:${upstreamPort}/`
      client.write(`POST ${target} HTTP/1.1\r\nHost: x\r\nTrailer: X\r\nUpgrade: y\r\nContent-Length: 1\r\n\r\nx`)
      const [first] = (await once(client, 'data')) as [Buffer]
      expect(first.toString()).toMatch(/^HTTP\/1.1 200 /)
      client.destroy()
      expect((await ask(path, `http://localhost:${port}/`, 'ping')).body).toBe('ping')
    })
  })
})
