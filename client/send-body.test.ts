import { mkdtemp, readdir, readlink, rm, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { CallFailed, type CoreFailure } from './core-client.ts'
import { explainFailure } from './explain-failure.ts'
import { fileBody, sendBody } from './send-body.ts'

let folder: string
let file: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-send-body-'))
  file = join(folder, 'large')
  await writeFile(file, Buffer.alloc(30 * 2 ** 20))
})
afterAll(() => rm(folder, { recursive: true }))

/** Answers as soon as it has the headers, if at all, and disconnects while the client still sends. */
async function startImpatient(status?: string, body = ''): Promise<Server & { requests: () => number }> {
  let requests = 0
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      requests++
      socket.pause()
      if (status !== undefined)
        socket.write(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
      socket.destroySoon()
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return Object.assign(server, { requests: () => requests })
}

const largeHeaders = { 'content-length': String(30 * 2 ** 20) }

const sendTo = (server: Server, body?: () => string) =>
  sendBody({
    credentials: { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: undefined },
    path: '/',
    ...(body ? { body } : { headers: largeHeaders, body: (ended) => fileBody(file, () => {}, ended) }),
    answer: z.unknown(),
    signal: new AbortController().signal,
  })

test('gets the reason of a server that refuses a body and disconnects before it was sent', async () => {
  await using server = await startImpatient(
    '403 Forbidden',
    '{"code":"FORBIDDEN","message":"This requires the role member."}',
  )
  for (let count = 1; count <= 10; count++) {
    await expect(sendTo(server)).rejects.toMatchObject({
      failure: { kind: 'refused', status: 403, message: 'This requires the role member.' },
    })
  }
  expect(server.requests()).toBeLessThan(15)
})

test('leaves no file open where a server answers or disconnects before it has read everything', async () => {
  await using server = await startImpatient('403 Forbidden', '{"code":"FORBIDDEN","message":"No."}')
  await using patient = await startImpatient('408 Request Timeout')
  await Promise.all([server, patient, server].map((one) => failureOf(sendTo(one))))
  const open = async () => {
    const names = await readdir('/proc/self/fd')
    const targets = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')))
    return targets.filter((target) => target === file)
  }
  await vi.waitFor(async () => expect(await open()).toEqual([]), { timeout: 20_000 })
})

test('names the limit of a server that ends a slow upload, and does not repeat it', async () => {
  const message = 'The upload is too slow: 90 KiB arrived in 31 s. Use a faster connection.'
  await using server = await startImpatient('408 Request Timeout', JSON.stringify({ code: 'REQUEST_TIMEOUT', message }))
  const refused = await failureOf(sendTo(server))
  expect(explainFailure(refused, { baseUrl: 'http://localhost:4000' }, 'commands')).toBe(message)
  await using old = await startImpatient('408 Request Timeout')
  const cut = await failureOf(sendTo(old))
  expect(explainFailure(cut, { baseUrl: 'http://localhost:4000' }, 'commands')).toMatch(
    /^The connection to http:\/\/localhost:4000 ended after \d+ s of sending\. .* 30 s, and 1 s more for every 64 KiB, up to 15 min,/,
  )
  expect([server.requests(), old.requests()]).toEqual([1, 1])
})

test('says that the connection ended where a server ends it in the middle of every attempt', async () => {
  await using server = await startImpatient()
  expect(await failureOf(sendTo(server))).toEqual({ kind: 'cut', seconds: expect.any(Number) })
  expect(server.requests()).toBe(4)
})

test('repeats an upload until a busy server takes it', async () => {
  let refused = 0
  const server = createHttpServer((req, res) => {
    req.resume()
    const isBusy = refused < 4
    if (isBusy) refused++
    res.writeHead(isBusy ? 503 : 201, { 'content-type': 'application/json', ...(isBusy && { 'retry-after': '0' }) })
    res.end(JSON.stringify(isBusy ? { code: 'UNAVAILABLE', message: 'Wait.' } : 'stored'))
  })
  await using _server = server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const sent = sendTo(server, () => 'pack')
  expect(await sent).toEqual({ status: 201, answer: 'stored' })
  expect(refused).toBe(4)
})

test('does not wait for a server that is busy for hours', async () => {
  const server = createHttpServer((req, res) => {
    req.resume()
    res.writeHead(429, { 'content-type': 'application/json', 'retry-after': '3600' })
    res.end(JSON.stringify({ code: 'RATE_LIMITED', message: 'Wait.' }))
  })
  await using _server = server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  expect(await failureOf(sendTo(server, () => 'pack'))).toMatchObject({ kind: 'refused', status: 429 })
})

async function failureOf(sending: Promise<unknown>): Promise<CoreFailure> {
  const error = await sending.catch((error: unknown) => error)
  if (error instanceof CallFailed) return error.failure
  throw new Error('it was sent', { cause: error })
}
