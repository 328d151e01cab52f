import { truncate, unlink } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createProjectFor, createTokenFor, createUser } from '../testing/factories.ts'
import type { FileRow } from './entity.ts'
import { createFileFor } from './testing/create-file.ts'

let app: TestApp
let token: string
let projectId: string
beforeAll(async () => {
  app = await createTestApp()
  const user = await createUser(app)
  token = await createTokenFor(app, { user })
  projectId = (await createProjectFor(app, { user })).id
  await createFileFor(app, { projectId })
})
afterAll(() => app[Symbol.asyncDispose]())

const missing = async (path: string, credential = token) => {
  const response = await app.fetch(path, { token: credential })
  const { message } = (await response.json()) as { message: string }
  return [response.status, message, response.headers.get('etag')]
}

test('a wrong project, run or name and a file of another user return the same 404', async () => {
  const theirs = await createProjectFor(app)
  const foreign = await createFileFor(app, { projectId: theirs.id })
  const nothing = await missing(`/files/${projectId}/run-1/nothing`)
  expect(nothing[0]).toBe(404)
  for (const path of [
    `/files/${theirs.id}/run-1/hello.txt`,
    `/files/${theirs.id}/run-1/nothing`,
    `/files/01ARZ3NDEKTSV4RRFFQ69G5FAV/run-1/hello.txt`,
    `/files/${projectId}/run-2/hello.txt`,
    `/files/${projectId}/-/hello.txt`,
    `/files/${projectId}/..%21/hello.txt`,
    `/files/${projectId}/run-1/${foreign.storageKey}`,
    `/files/${projectId}/run-1/incoming/${foreign.storageKey}`,
    `/files/${projectId}/run-1/hello.txt/`,
    `/files/${projectId}/run-1/hello.txt%20`,
    `/files/${projectId}/run-1/HELLO.TXT`,
    `/files/${projectId}/run-1/${'x'.repeat(4_000)}`,
  ]) {
    expect(await missing(path), path).toEqual(nothing)
  }
  const confined = await createTokenFor(app, { projectId: theirs.id })
  expect(await missing(`/files/${projectId}/run-1/hello.txt`, confined)).toEqual(nothing)
})

test.each([
  '/files/{p}/run-1/../run-1/hello.txt',
  '/files/{p}/run-1/%2e%2e/hello.txt',
  '/files/{p}/run-1/..%2fhello.txt',
  '/files/{p}/run-1/%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  '/files/{p}/run-1/..%5chello.txt',
  '/files/{p}/run-1/hello.txt%00',
  '/files/{p}/run-1/hello.txt%00.png',
  '/files/{p}/run-1//hello.txt',
  '/files/{p}//hello.txt',
  '/files/{p}/run-1/%c0%ae%c0%ae/hello.txt',
  '/files/{p}/run-1/\\..\\hello.txt',
  '//files/{p}/run-1/hello.txt',
  '/files/{p}/run-1/hello%0d%0aSet-Cookie:x=1',
])('rejects %s before any lookup', async (target) => {
  // Sent raw, because `fetch` would normalize the path.
  const answer = await raw(`GET ${target.replace('{p}', projectId)} HTTP/1.1`)
  expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  expect(answer).not.toContain('Hello')
})

const raw = (line: string) =>
  new Promise<string>((resolve, reject) => {
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
    let text = ''
    socket.setEncoding('utf8').on('data', (part: string) => void (text += part))
    socket.on('end', () => resolve(text)).on('error', reject)
    socket.end(`${line}\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`)
  })

test('requires a valid credential with the scope', async () => {
  const path = `/files/${projectId}/run-1/hello.txt`
  expect((await app.fetch(path)).status).toBe(401)
  expect((await app.fetch(path, { token: 'svc_v1_nonsense' })).status).toBe(401)
  const narrow = await createTokenFor(app, { scopes: ['projects:read', 'tests:read'] })
  const refused = await app.fetch(path, { token: narrow })
  expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('artifacts:read')])
  expect((await app.fetch(path, { token, method: 'POST' })).status).toBe(405)
})

test.each([
  ['text/html', 'page.html', 'application/octet-stream'],
  ['image/svg+xml', 'x.svg', 'application/octet-stream'],
  ['application/xhtml+xml', 'x.xhtml', 'application/octet-stream'],
  ['text/javascript', 'x.js', 'application/octet-stream'],
  ['text/html\r\nX-Injected: 1', 'x', 'application/octet-stream'],
  ['text/plain; charset=utf-7', 'x.html', 'text/plain; charset=utf-8'],
  ['TEXT/XML', 'x.xml', 'application/xml'],
  ['__proto__', 'x', 'application/octet-stream'],
  ['constructor/x', 'x', 'application/octet-stream'],
  ['', 'x', 'application/octet-stream'],
  ['application/pdf', 'x.pdf', 'application/pdf'],
])('serves a %j named %s as %s, as an attachment', async (contentType, name, served) => {
  const runId = `type-${Math.random().toString(36).slice(2)}`
  await createFileFor(app, { projectId, runId, name, contentType, content: '<script>alert(1)</script>' })
  const response = await app.fetch(`/files/${projectId}/${runId}/${name}`, { token })
  expect(response.headers.get('content-type')).toBe(served)
  expect(response.headers.get('content-disposition')).toMatch(/^attachment; /)
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  expect(response.headers.get('x-injected')).toBeNull()
})

test.each([
  ['say "hi".txt', 'attachment; filename="say \\"hi\\".txt"'],
  ['naïve.txt', `attachment; filename="na?ve.txt"; filename*=UTF-8''na%C3%AFve.txt`],
  ['\u202Egnp.exe', 'attachment; filename=_gnp.exe'],
  ['日本/語;=%.txt', `attachment; filename="?;=%.txt"; filename*=UTF-8''%E8%AA%9E%3B%3D%25.txt`],
  ["it's 50%25.txt", undefined],
  ['a?b#c&d.txt', undefined],
  ['😀'.repeat(128), undefined],
])('sends the name %.30j unchanged and without injecting a header', async (name, header) => {
  const runId = `name-${Math.random().toString(36).slice(2)}`
  await createFileFor(app, { projectId, runId, name, content: name })
  const [listed] = await app.client(token).files.list.query({ projectId, runId })
  expect(listed).toMatchObject({ name, runId, size: Buffer.byteLength(name) })
  const response = await app.fetch(listed?.path ?? '', { token })
  expect([response.status, await response.text()]).toEqual([200, name])
  if (header) expect(response.headers.get('content-disposition')).toBe(header)
})

test('lists files newest first, by page and run, only to users who may see the project', async () => {
  const user = await createUser(app)
  const project = await createProjectFor(app, { user })
  for (const [runId, name] of [
    ['a', '1'],
    ['a', '2'],
    [null, '3'],
  ] as const) {
    // prettier-ignore
    await createFileFor(app, { projectId: project.id, runId, name })
  }
  const { files } = app.client(await createTokenFor(app, { user, scopes: ['artifacts:read'] }))
  const names = async (input: object) =>
    (await files.list.query({ projectId: project.id, ...input })).map(({ name }) => name)
  expect(await names({})).toEqual(['3', '2', '1'])
  expect(await names({ runId: 'a' })).toEqual(['2', '1'])
  expect(await names({ runId: null })).toEqual(['3'])
  expect(await names({ limit: 1, offset: 1 })).toEqual(['2'])
  expect(JSON.stringify(await files.list.query({ projectId: project.id }))).not.toContain('storage')
  const stranger = app.client(token).files.list
  await expect(stranger.query({ projectId: project.id })).rejects.toMatchObject({ data: { code: 'NOT_FOUND' } })
  await expect(stranger.query({ projectId, limit: 101 })).rejects.toThrow(/^limit:/)
})

test('never sends a missing or truncated object as the complete file', async () => {
  const place = (file: FileRow) => join(app.config.dataDir, 'files', file.storageKey.slice(0, 2), file.storageKey)
  const gone = await createFileFor(app, { projectId, name: 'gone' })
  await unlink(place(gone))
  expect((await missing(`/files/${projectId}/run-1/gone`))[0]).toBe(404)
  const short = await createFileFor(app, { projectId, name: 'short' })
  await truncate(place(short), 2)
  expect((await missing(`/files/${projectId}/run-1/short`))[0]).toBe(404)
  expect(app.logLines.filter((line) => line.includes('a stored file has changed'))).toHaveLength(2)

  const shrinking = await createFileFor(app, { projectId, name: 'shrinking', content: Buffer.alloc(30_000_000) })
  const response = await app.fetch(`/files/${projectId}/run-1/shrinking`, { token })
  await truncate(place(shrinking), 1_000)
  await expect(response.arrayBuffer()).rejects.toThrow('terminated')
  expect(app.logLines.join()).toContain('is shorter than recorded')
})
