import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createProjectFor, createSessionFor, createTokenFor, createUser } from '../testing/factories.ts'
import { createFileFor } from './testing/create-file.ts'

let app: TestApp
let now = Date.now()
let token: string
let projectId: string
beforeAll(async () => {
  app = await createTestApp({}, { now: () => new Date(now) })
  const user = await createUser(app)
  token = await createTokenFor(app, { user, scopes: ['artifacts:read'] })
  projectId = (await createProjectFor(app, { user })).id
  for (const [name, contentType] of Object.entries({
    'report/index.html': 'application/octet-stream',
    'report/data/style.css': '',
    'report/a b.svg': 'image/svg+xml',
    'report/unknown.xyz': 'image/svg+xml',
    'report-2/index.html': '',
    'secret.txt': 'text/plain',
  })) {
    await createFileFor(app, { projectId, name, contentType, content: name })
  }
  await createFileFor(app, { projectId, runId: null, name: 'index.html', content: 'of no run' })
  await createFileFor(app, { projectId, runId: 'run-2', name: 'report/index.html', content: 'of run 2' })
})
afterAll(() => app[Symbol.asyncDispose]())

const link = async (name: string, runId: string | null = 'run-1') =>
  (await app.client(token).files.createViewLink.mutate({ projectId, runId, name })).url

const view = async (url: string) => {
  const response = await fetch(url)
  return { status: response.status, headers: response.headers, text: await response.text() }
}

test('anyone with a link can view the report and the files below its folder, without a credential', async () => {
  const url = await link('report/index.html')
  expect(url).toMatch(`${app.url}/view/`)
  const page = await view(url)
  expect([page.status, page.text]).toEqual([200, 'report/index.html'])
  expect(Object.fromEntries(page.headers)).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-disposition': 'inline; filename=index.html',
    'content-security-policy':
      "sandbox allow-scripts; default-src 'self' 'unsafe-inline' data: blob:; form-action 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex, nofollow, noarchive',
    'cache-control': 'private, no-cache',
    'cross-origin-opener-policy': 'same-origin',
    'access-control-allow-origin': '*',
  })
  const types = { 'data/style.css': 'text/css; charset=utf-8', 'a%20b.svg': 'image/svg+xml' }
  for (const [path, type] of Object.entries({ ...types, 'unknown.xyz': 'application/octet-stream' })) {
    const part = await view(new URL(path, url).href)
    expect([part.status, part.headers.get('content-type')], path).toEqual([200, type])
    expect(part.headers.get('content-security-policy'), path).toContain('sandbox allow-scripts;')
  }
  const some = await fetch(url, { headers: { range: 'bytes=0-5' } })
  expect([some.status, await some.text()]).toEqual([206, 'report'])
  expect((await fetch(url, { method: 'HEAD' })).headers.get('content-length')).toBe('17')
})

test('a link gives no access to other folders, runs or projects', async () => {
  const url = await link('report/index.html')
  for (const path of ['nothing', '../secret.txt', '%2e%2e/secret.txt', '-2/index.html', 'report/index.html']) {
    expect((await view(url.replace('index.html', path))).status, path).toBeGreaterThanOrEqual(400)
  }
  expect((await view(await link('report/index.html', 'run-2'))).text).toBe('of run 2')
  expect((await view(await link('index.html', null))).text).toBe('of no run')
  // The folder of a report at the top level contains the whole run.
  expect((await view(new URL('report-2/index.html', await link('secret.txt')).href)).status).toBe(200)
})

test('a link expires after half an hour or when its file is deleted', async () => {
  const url = await link('report/index.html')
  now += 1_799_000
  expect((await view(url)).status).toBe(200)
  now += 1_001
  const late = await view(url)
  expect([late.status, late.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
  expect(late.text).toContain('Create a new one')

  const project = await createProjectFor(app, { user: await createUser(app) })
  const owner = await app.dataSource.query('SELECT * FROM users WHERE id = $1', [project.userId])
  await createFileFor(app, { projectId: project.id })
  const client = app.client(await createTokenFor(app, { user: owner[0] }))
  const ref = { projectId: project.id, runId: 'run-1', name: 'hello.txt' }
  const { url: theirs } = await client.files.createViewLink.mutate(ref)
  expect((await view(theirs)).text).toBe('Hello')
  await client.projects.deleteProject.mutate({ projectId: project.id })
  expect((await view(theirs)).status).toBe(404)
})

test('a forged or changed link returns 404 and does not reach the database', async () => {
  const url = await link('report/index.html')
  const [, , , , signed = ''] = url.split('/')
  const [text = '', signature = ''] = signed.split('.')
  const grant = JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown[]
  const forged = (at: number, value: unknown) => {
    const changed = grant.with(at, value)
    return `${Buffer.from(JSON.stringify(changed)).toString('base64url')}.${signature}`
  }
  const before = await rowsCounted()
  for (const wrong of [
    forged(1, 'run-2'),
    forged(2, '.'),
    forged(3, now + 1e9),
    text,
    `${text}.`,
    `.${signature}`,
    `${text}.${signature}.`,
    `${text}.${signature.slice(0, -1)}`,
    `${text}.${'é'.repeat(43)}`,
    `${text.slice(0, -2)}.${signature}`,
    'x',
  ]) {
    const answer = await view(url.replace(signed, encodeURIComponent(wrong)))
    expect(answer.status, wrong).toBe(404)
    expect(answer.text, wrong).not.toContain('report/index.html')
  }
  expect(await rowsCounted()).toEqual(before)
})

/** Counts the rows that checking a valid link writes. */
const rowsCounted = () => app.dataSource.query(`SELECT key, points FROM rate_limits WHERE key LIKE 'viewByLink%'`)

test('only users who may see the file can create a link to it', async () => {
  const ref = { projectId, runId: 'run-1', name: 'report/index.html' }
  const stranger = app.client(await createTokenFor(app))
  const foreign = stranger.files.createViewLink.mutate(ref)
  await expect(foreign).rejects.toMatchObject({ data: { code: 'NOT_FOUND' } })
  const missing = app.client(token).files.createViewLink.mutate({ ...ref, name: 'nothing' })
  await expect(missing).rejects.toThrow('No such file. files.list lists the files of a project.')
  await expect(foreign).rejects.toThrow('No such file. files.list lists the files of a project.')
  const narrow = app.client(await createTokenFor(app, { scopes: ['projects:read'] }))
  await expect(narrow.files.createViewLink.mutate(ref)).rejects.toMatchObject({ data: { code: 'FORBIDDEN' } })
})

test('viewing neither reads nor renews a session, and the log does not contain the link', async () => {
  const { cookie } = await createSessionFor(app)
  const url = await link('report/index.html')
  now += 60_000
  const response = await fetch(url, { headers: { cookie } })
  expect([response.status, response.headers.getSetCookie()]).toEqual([200, []])
  const [, , , , signed = 'none'] = url.split('/')
  expect(app.logLines.join()).toContain('/view/[redacted]/index.html')
  expect(app.logLines.join()).not.toContain(signed)
})

test('rejects links that were signed for another purpose', async () => {
  const { sign } = await import('../base/crypto.ts')
  const text = Buffer.from(JSON.stringify([projectId, 'run-1', 'report', now + 1e6])).toString('base64url')
  for (const purpose of ['session', 'audit'] as const) {
    const signature = sign(app.config.secretKey, purpose, text)
    expect((await view(`${app.url}/view/${text}.${signature}/index.html`)).status).toBe(404)
  }
  expect((await view(`${app.url}/view/${text}.${sign(app.config.secretKey, 'view', text)}/index.html`)).status).toBe(
    200,
  )
})

test('rate-limits a link that is used more often than a reader would', async () => {
  const url = await link('secret.txt')
  const [, , , , signed = ''] = url.split('/')
  await Promise.all(Array.from({ length: 20 }, () => view(url)))
  const rows = await app.dataSource.query<{ points: number }[]>(
    `UPDATE rate_limits SET points = 2000 WHERE key LIKE 'viewByLink%' RETURNING points`,
  )
  expect(rows).not.toEqual([])
  expect([(await view(url)).status, signed.length > 0]).toEqual([429, true])
})
