import { Agent, request } from 'node:http'
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { longestTurnDuring } from '../testing/longest-turn.ts'
import {
  createPasswordFor,
  createProjectFor,
  createSessionFor,
  createTokenFor,
  createUser,
} from '../testing/factories.ts'

let app: TestApp
beforeAll(async () => {
  app = await createTestApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const json = { 'content-type': 'application/json' }
const post = (path: string, body: string, token?: string) =>
  app.fetch(path, { method: 'POST', headers: json, body, ...(token === undefined ? {} : { token }) })

/** Starts a request whose body is completed later. */
async function begin(path: string, body: object, headers: Record<string, string>) {
  const text = JSON.stringify(body)
  const sent = request(`${app.url}${path}`, {
    method: 'POST',
    headers: { ...json, ...headers, 'content-length': Buffer.byteLength(text) },
  })
  sent.write(text.slice(0, 5))
  // Long enough for the server to process the headers.
  await new Promise((resolve) => setTimeout(resolve, 100))
  return async () => {
    sent.end(text.slice(5))
    const [response] = await once(sent, 'response')
    response.resume()
    return response.statusCode as number
  }
}

test('hundreds of thousands of invalid values are refused without delaying other requests', async () => {
  const token = await createTokenFor(app)
  const { id: projectId } = await createProjectFor(app)
  const zeros = (count: number) => `[${'0,'.repeat(count)}0]`
  const startedAt = performance.now()
  const answers = await Promise.all([
    post(
      '/trpc/analysis.suggestTests',
      `{"projectId":"x","analysisOverride":{"directories":${zeros(500_000)}}}`,
      token,
    ),
    post(
      '/trpc/analysis.suggestTests',
      `{"projectId":"${projectId}","analysisOverride":{"directories":${zeros(4_000_000)}}}`,
      token,
    ),
    post('/trpc/tokens.create', `{"name":"x","scopes":${zeros(500_000)}}`, token),
    post('/api/auth/sign-in/social', `{"provider":${zeros(30_000)}}`),
  ])
  const health = app.fetch('/health')
  expect(answers.map(({ status }) => status)).toEqual([404, 400, 400, 400])
  expect((await health).status).toBe(200)
  // Describing each one took half a minute and all memory.
  expect(performance.now() - startedAt).toBeLessThan(15_000)
})

test('analyses of hundreds of thousands of values do not hold up other requests', async () => {
  const user = await createUser(app)
  const token = await createTokenFor(app, { user })
  const { id: projectId } = await createProjectFor(app, { user })
  const body = `{"projectId":"${projectId}","analysisOverride":{"commitSha":"a","files":[${'{"a":"x"},'.repeat(295_000)}{}]}}`
  let answers: Response[] = []
  // They were parsed twice, walked through and validated here, which delayed everything for seconds.
  const longest = await longestTurnDuring(async () => {
    answers = await Promise.all(Array.from({ length: 12 }, () => post('/trpc/analysis.suggestTests', body, token)))
  })
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 400))
  expect(longest).toBeLessThan(250)
})

test('only the procedure that takes an analysis accepts large bodies', async () => {
  const token = await createTokenFor(app)
  const body = `{"projectId":"x","analysisOverride":{"files":[${'0,'.repeat(600_000)}0]}}`
  for (const procedure of ['getAnalysis', 'generateTests', 'startAnalysis', 'analyzeRepository']) {
    expect((await post(`/trpc/analysis.${procedure}`, body, token)).status).toBe(413)
  }
  const nested = `{"analysisId":${'['.repeat(500_000)}${']'.repeat(500_000)}}`
  const refused = await post('/trpc/analysis.getAnalysis', nested, token)
  expect([refused.status, ((await refused.json()) as { message: string }).message]).toEqual([
    400,
    'The request body has more than 20000 values, which is the maximum.',
  ])
})

test('the analyses of a batch are each read, also under an escaped name', async () => {
  const user = await createUser(app)
  const token = await createTokenFor(app, { user })
  const { id: projectId } = await createProjectFor(app, { user })
  const body = `{"0":{"projectId":"${projectId}","analysisOverride":{"commitSha":1}},"1":{"projectId":"${projectId}","analysisOverrid\\u0065":{"commitSha":"a","text":0}}}`
  const response = await post('/trpc/analysis.suggestTests,analysis.suggestTests?batch=1', body, token)
  const answers = (await response.json()) as { error: { message: string } }[]
  expect(answers.map(({ error }) => error.message.split(';')[0])).toEqual([
    'analysisOverride.commitSha: Invalid input: expected string, received number',
    'analysisOverride.summary: Invalid input: expected object, received undefined',
  ])
})

test('the error for an invalid analysis of the caller names the first invalid fields', async () => {
  const user = await createUser(app)
  const token = await createTokenFor(app, { user })
  const { id: projectId } = await createProjectFor(app, { user })
  const body = `{"projectId":"${projectId}","analysisOverride":{"directories":[${'0,'.repeat(100_000)}0]}}`
  const refused = await post('/trpc/analysis.suggestTests', body, token)
  const { message } = (await refused.json()) as { message: string }
  expect(refused.status).toBe(400)
  expect(message).toContain('analysisOverride.directories.0:')
  expect(message.length).toBeLessThan(2_000)
})

test('a password of a million characters is refused quickly', async () => {
  const password = '\uFDFA'.repeat(18_000)
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => post('/api/auth/sign-up/email', JSON.stringify({ email: 'a@b.cd', password }))),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400]))
  expect((await post('/api/auth/sign-up/email', JSON.stringify({ x: 'x'.repeat(70_000) }))).status).toBe(413)
})

test('procedure names have one spelling, so that a batch cannot get the body limit of another', async () => {
  const token = await createTokenFor(app)
  const large = JSON.stringify({ 0: { projectId: 'x' }, 1: { name: 'x'.repeat(1_100_000), scopes: [] } })
  for (const comma of [',', '%2c', '%2C']) {
    const response = await post(`/trpc/analysis.startAnalysis${comma}tokens.create?batch=1`, large, token)
    expect([comma, response.status]).toEqual([comma, 413])
  }
  expect((await app.fetch('/trpc/tokens%2elist', { token })).status).toBe(400)
  expect((await app.fetch('/Health')).status).toBe(404)
})

test('a token that is revoked while the body arrives creates no token', async () => {
  const user = await createUser(app)
  const token = await createTokenFor(app, { user })
  const finish = await begin(
    '/trpc/tokens.create',
    { name: 'late', scopes: ['tokens:manage'] },
    { authorization: `Bearer ${token}` },
  )
  const { id } = await app.client(token).tokens.current.query()
  await app.client(token).tokens.revoke.mutate({ tokenId: id })
  expect(await finish()).toBe(401)
})

test('a session that ends while the body arrives changes no password', async () => {
  const user = await createPasswordFor(app, 'correct horse battery')
  const { cookie: thief } = await createSessionFor(app, user)
  const { cookie } = await createSessionFor(app, user)
  const finish = await begin(
    '/api/auth/change-password',
    { currentPassword: 'correct horse battery', newPassword: 'another horse battery' },
    { cookie: thief },
  )
  expect((await app.fetch('/api/auth/revoke-other-sessions', { method: 'POST', cookie })).status).toBe(200)
  expect(await finish()).toBe(401)
  expect((await app.fetch('/api/auth/get-session', { cookie })).status).toBe(200)
})

test('two Host headers are refused', async () => {
  const sent = request(`${app.url}/health`, { headers: ['Host', 'localhost', 'Host', 'evil.example'] })
  sent.end()
  const [response] = await once(sent, 'response')
  response.resume()
  expect(response.statusCode).toBe(400)
})

/** Opens a connection, and sends the headers of a request and a body of zeros until it has been sent or cannot be sent. */
async function sendBody(path: string, head: string, bytes: number) {
  const socket = connect({ port: Number(new URL(app.url).port), host: '127.0.0.1' })
  const failures: Error[] = []
  socket.on('error', (error) => failures.push(error)).pause()
  const closed = new Promise((resolve) => void socket.once('close', resolve))
  socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\n${head}\r\nContent-Length: ${bytes}\r\n\r\n`)
  const megabyte = Buffer.alloc(2 ** 20)
  for (let sent = 0; sent < bytes && failures.length === 0; sent += megabyte.length) {
    if (socket.write(megabyte)) continue
    await Promise.race([closed, new Promise((resolve) => void socket.once('drain', resolve))])
  }
  return { socket, failures }
}

/** Sends a request like a client that reads the response only after it has sent the whole body. */
async function sendThenRead(path: string, head: string, megabytes: number): Promise<string> {
  const { socket, failures } = await sendBody(path, head, megabytes * 2 ** 20)
  if (failures[0]) return failures[0].message
  const [answer] = await once(socket.resume(), 'data')
  socket.destroy()
  return String(answer).replace(/\r\n[^]*"message":"/, ' ')
}

test('a client that still sends when it is refused gets the reason', async () => {
  const user = await createUser(app)
  const bearer = `Authorization: Bearer ${await createTokenFor(app, { user })}`
  const { id } = await createProjectFor(app, { user })
  const packType = 'application/x-git-packed-objects'
  const pack = `${bearer}\r\nContent-Type: ${packType}`
  const snapshots = `/api/v1/projects/${id}/snapshots`
  const tree = `tree=${'a'.repeat(40)}`
  const answers = [
    await sendThenRead(`${snapshots}?${tree}`, `Content-Type: ${packType}`, 30),
    await sendThenRead(snapshots, pack, 30),
    await sendThenRead(`${snapshots}?${tree}`, `${bearer}\r\nContent-Type: text/plain`, 30),
    // The type that curl sends by itself.
    await sendThenRead(`${snapshots}?${tree}`, `${bearer}\r\nContent-Type: application/x-www-form-urlencoded`, 30),
    await sendThenRead(`${snapshots}?${tree}`, pack, 70),
    await sendThenRead(`/api/v1/projects/none/snapshots?${tree}`, pack, 30),
    await sendThenRead('/api/ci/upload/none', `${bearer}\r\nContent-Type: multipart/form-data; boundary=x`, 30),
    await sendThenRead('/trpc/tokens.create', `${bearer}\r\nContent-Type: application/json`, 30),
  ]
  expect(answers).toEqual(
    [
      '401 Unauthorized Not authenticated',
      '400 Bad Request tree: is required',
      `415 Unsupported Media Type The body must be a git pack with the header Content-Type: ${packType}, not text/plain.`,
      `415 Unsupported Media Type The body must be a git pack with the header Content-Type: ${packType}, not application/x-`,
      '413 Payload Too Large The pack has 73,400,320 bytes, and may have 67,108,864 (64.0 MiB)',
      '404 Not Found No such project',
      '404 Not Found No such project',
      '413 Payload Too Large The request body may have at most 1048576 bytes',
    ].map((start) => expect.stringContaining(`HTTP/1.1 ${start}`)),
  )
})

test('refused bodies leave no listeners on a connection that is used again', async () => {
  const warnings: string[] = []
  const onWarning = ({ message }: Error) => void warnings.push(message)
  process.on('warning', onWarning)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const sockets = new Set<unknown>()
  for (let count = 0; count < 12; count++) {
    const sent = request(`${app.url}/nothing`, { method: 'POST', agent, headers: json })
    sent.on('socket', (socket) => sockets.add(socket)).end('x'.repeat(100_000))
    const [response] = await once(sent, 'response')
    await once(response.resume(), 'end')
  }
  process.off('warning', onWarning)
  agent.destroy()
  expect([sockets.size, warnings]).toEqual([1, []])
})

test('a refused body without end is not read to the end', async () => {
  const { socket, failures } = await sendBody('/nothing', 'X-Endless: yes', 100 * 2 ** 30)
  expect(failures).toHaveLength(1)
  expect(socket.bytesWritten).toBeLessThan(200 * 2 ** 20)
})
