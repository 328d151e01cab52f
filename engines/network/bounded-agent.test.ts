import { createServer, get, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { boundedAgent } from './bounded-agent.ts'

const limits = { deadlineMs: 300, maxBytes: 4_096 }

/** What a client gets that has no limits of its own: the whole body, or why there is none. */
async function ask(
  answer: RequestListener,
  deadlineMs = limits.deadlineMs,
): Promise<{ body?: Buffer; failure?: string; ms: number }> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const startedAt = performance.now()
  try {
    const { port } = server.address() as AddressInfo
    const body = await new Promise<Buffer>((resolve, reject) => {
      const request = get(
        { host: '127.0.0.1', port, agent: boundedAgent('http:', { ...limits, deadlineMs }) },
        (response) => {
          const chunks: Buffer[] = []
          response.on('error', reject)
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('end', () => resolve(Buffer.concat(chunks)))
        },
      )
      request.on('error', reject)
    })
    return { body, ms: performance.now() - startedAt }
  } catch (error) {
    return { failure: String(error), ms: performance.now() - startedAt }
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

test('an answer within the limits arrives whole', async () => {
  const { body } = await ask((_, response) => response.end('x'.repeat(3_000)))
  expect(body?.length).toBe(3_000)
})

test('ends the connection to a server that never answers at the deadline', async () => {
  const { failure, ms } = await ask(() => undefined)
  expect(failure).toContain('No answer within 300 ms')
  expect(ms).toBeGreaterThan(250)
  expect(ms).toBeLessThan(15_000)
})

test('ends the connection to a server that answers byte by byte at the deadline', async () => {
  const { failure, ms } = await ask((_, response) => {
    response.writeHead(200)
    const timer = setInterval(() => response.write('x'), 20)
    response.on('close', () => clearInterval(timer))
  })
  expect(failure).toBeDefined()
  expect(ms).toBeLessThan(15_000)
})

test('ends the connection to a server that sends its headers byte by byte at the deadline', async () => {
  const { failure, ms } = await ask(({ socket }) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    const timer = setInterval(() => socket.write('x-y: z\r\n'), 20)
    socket.on('close', () => clearInterval(timer))
  })
  expect(failure).toBeDefined()
  expect(ms).toBeLessThan(15_000)
})

test('cuts off an answer that is too large', async () => {
  let sent = 0
  const { failure, ms } = await ask((_, response) => {
    response.writeHead(200)
    const timer = setInterval(() => {
      sent += 65_536
      response.write('x'.repeat(65_536))
    }, 1)
    response.on('close', () => clearInterval(timer))
  }, 25_000)
  expect(failure).toBeDefined()
  expect(ms).toBeLessThan(15_000)
  expect(sent).toBeLessThan(50 * 65_536)
})

test('a compressed answer stays as small as it came', async () => {
  const bomb = gzipSync(Buffer.alloc(1_000_000))
  const seen: unknown[] = []
  const { body } = await ask((request, response) => {
    seen.push(request.headers['accept-encoding'])
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
  })
  expect(body?.equals(bomb)).toBe(true)
  expect(seen).toEqual([undefined])
})

test('every request gets a connection of its own, and none is left open', async () => {
  const agent = boundedAgent('http:', limits)
  const server = createServer((_, response) => response.end('ok'))
  const ports = new Set<number | undefined>()
  server.on('connection', (socket) => ports.add(socket.remotePort))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  for (let round = 0; round < 3; round++) {
    await new Promise<void>((resolve, reject) => {
      get({ host: '127.0.0.1', port, agent }, (response) => {
        response.resume().on('end', resolve)
      }).on('error', reject)
    })
  }
  expect(ports.size).toBe(3)
  await new Promise((resolve) => server.close(resolve))
})
