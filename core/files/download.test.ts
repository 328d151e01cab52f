import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createProjectFor, createSessionFor, createTokenFor, createUser } from '../testing/factories.ts'
import type { FileRow } from './entity.ts'
import { createFileFor } from './testing/create-file.ts'
import { startS3 } from './testing/s3-server.ts'

const content = Buffer.from(Array.from({ length: 1_000 }, (_, at) => at % 256))

describe.each(['folder', 's3'])('from a %s', (kind) => {
  const stack = new AsyncDisposableStack()
  let app: TestApp
  let token: string
  let cookie: string
  let projectId: string
  let file: FileRow
  let path: string
  beforeAll(async () => {
    const storage = kind === 's3' ? { storage: stack.use(await startS3()).config } : {}
    app = stack.use(await createTestApp(storage))
    const user = await createUser(app)
    token = await createTokenFor(app, { user, scopes: ['artifacts:read'] })
    cookie = (await createSessionFor(app, user)).cookie
    projectId = (await createProjectFor(app, { user })).id
    file = await createFileFor(app, { projectId, name: 'shots/a b.png', contentType: 'image/png', content })
    path = `/files/${projectId}/run-1/shots/a%20b.png`
  })
  afterAll(() => stack.disposeAsync())

  const get = (headers: Record<string, string> = {}, method = 'GET') => app.fetch(path, { token, headers, method })
  const bytes = async (response: Response) => Buffer.from(await response.arrayBuffer())

  test('downloads a whole file, with a token or a session, as content that cannot execute', async () => {
    for (const credential of [{ token }, { cookie }]) {
      const response = await app.fetch(path, credential)
      expect(response.status).toBe(200)
      expect(await bytes(response)).toEqual(content)
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'image/png',
        'content-length': '1000',
        'content-disposition': 'attachment; filename="a b.png"',
        'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': 'private, no-cache',
        'accept-ranges': 'bytes',
        etag: `"${file.sha256}"`,
        'last-modified': new Date(file.createdAt).toUTCString(),
      })
    }
  })

  test('HEAD returns the same headers without a body, and ignores ranges', async () => {
    const response = await get({ range: 'bytes=0-1' }, 'HEAD')
    expect([response.status, response.headers.get('content-length')]).toEqual([200, '1000'])
    expect(response.headers.get('etag')).toBe(`"${file.sha256}"`)
    expect(await bytes(response)).toHaveLength(0)
  })

  test.each([
    ['bytes=0-4', 0, 5],
    ['bytes=990-', 990, 1_000],
    ['bytes=-10', 990, 1_000],
    ['bytes=-5000', 0, 1_000],
    ['bytes=500-99999', 500, 1_000],
  ])('%s returns that part', async (range, start, end) => {
    const response = await get({ range })
    expect(response.status).toBe(206)
    expect(response.headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/1000`)
    expect(response.headers.get('content-length')).toBe(String(end - start))
    expect(await bytes(response)).toEqual(content.subarray(start, end))
  })

  test('a range beyond the end returns 416 with the size', async () => {
    const response = await get({ range: 'bytes=1000-' })
    expect([response.status, response.headers.get('content-range')]).toEqual([416, 'bytes */1000'])
    expect(await response.json()).toMatchObject({ code: 'RANGE_NOT_SATISFIABLE' })
  })

  test('sends the whole file once for several ranges, and rejects oversized headers', async () => {
    for (const range of ['bytes=0-1,5-6', `bytes=${'0-,'.repeat(150)}0-`, 'lines=1-2', 'bytes=9-1']) {
      const response = await get({ range })
      expect([response.status, await bytes(response)]).toEqual([200, content])
    }
    expect((await get({ range: `bytes=${'0-,'.repeat(4_000)}0-` })).status).toBe(400)
    const tenThousand = Array.from({ length: 10_000 }, (_, at) => `${at}-${at}`).join(',')
    expect((await get({ range: `bytes=${tenThousand}` })).status).toBe(431)
  })

  test('returns 304 if the client has the file, and the whole file for a range of a changed one', async () => {
    const etag = `"${file.sha256}"`
    const conditions: Record<string, string>[] = [
      { 'if-none-match': etag },
      { 'if-none-match': `"x", W/${etag}` },
      { 'if-none-match': '*' },
      { 'if-modified-since': file.createdAt.toUTCString() },
      { 'if-none-match': etag, range: 'bytes=0-1' },
    ]
    for (const headers of conditions) {
      const response = await get(headers)
      expect([response.status, response.headers.get('etag'), await bytes(response)]).toEqual([
        304,
        etag,
        Buffer.alloc(0),
      ])
    }
    expect((await get({ 'if-none-match': '"x"', 'if-modified-since': file.createdAt.toUTCString() })).status).toBe(200)
    for (const condition of [etag, file.createdAt.toUTCString()]) {
      expect((await get({ range: 'bytes=0-1', 'if-range': condition })).status).toBe(206)
    }
    for (const condition of ['"x"', `W/${etag}`, new Date(0).toUTCString(), 'nonsense']) {
      expect((await get({ range: 'bytes=0-1', 'if-range': condition })).status).toBe(200)
    }
  })

  test('downloads an empty file, and one that belongs to no run', async () => {
    await createFileFor(app, { projectId, runId: null, name: 'empty', content: '' })
    const response = await app.fetch(`/files/${projectId}/-/empty`, { token })
    expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([200, '0', ''])
    expect((await app.fetch(`/files/${projectId}/-/empty`, { token, headers: { range: 'bytes=0-' } })).status).toBe(416)
  })

  test('reads nothing ahead for a client that does not read, and closes the object when it disconnects', async () => {
    await createFileFor(app, { projectId, name: 'large', content: Buffer.alloc(60_000_000) })
    const { storage } = app.services
    const open = storage.open.bind(storage)
    let taken = 0
    let closed = false
    storage.open = async (...args) => {
      const opened = await open(...args)
      return (
        opened && {
          ...opened,
          chunks: (async function* () {
            for await (const chunk of opened.chunks) {
              taken += chunk.length
              yield chunk
            }
          })(),
          [Symbol.asyncDispose]: async () => {
            await opened[Symbol.asyncDispose]()
            closed = true
          },
        }
      )
    }
    const reading = httpRequest(`${app.url}/files/${projectId}/run-1/large`, {
      headers: { authorization: `Bearer ${token}` },
    })
    reading.on('error', () => {}).end()
    const [response] = (await once(reading, 'response')) as [IncomingMessage]
    response.pause()
    await new Promise((resolve) => setTimeout(resolve, 300))
    storage.open = open
    expect(taken).toBeGreaterThan(100_000)
    // The kernel buffers a few megabytes per connection.
    expect(taken).toBeLessThan(20_000_000)
    expect(closed).toBe(false)
    response.destroy()
    await expect.poll(() => closed).toBe(true)
    expect((await get()).status).toBe(200)
    expect(
      app.logLines.filter((line) => line.includes('could not be sent') || line.includes('request failed')),
    ).toEqual([])
  })
})
