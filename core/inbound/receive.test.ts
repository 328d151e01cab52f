import { createHash } from 'node:crypto'
import { request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { dumpDatabase } from '../testing/dump.ts'
import { longestTurnDuring } from '../testing/longest-turn.ts'
import { createProjectFor, createTokenFor, createUser } from '../testing/factories.ts'
import { deliver, pushPayload, signatureOf } from './testing.ts'

let app: TestApp
// No worker runs, so that deliveries stay unprocessed.
beforeAll(async () => void (app = await createTestApp({ role: 'web' })))
afterAll(() => app[Symbol.asyncDispose]())

async function setUp(on = app) {
  const user = await createUser(on)
  const project = await createProjectFor(on, { user })
  const client = on.client(await createTokenFor(on, { user }))
  const { secret, url } = await client.projects.rotateInboundSecret.mutate({ projectId: project.id })
  const list = async () => (await client.inbound.list.query({ projectId: project.id })).deliveries
  return { client, secret, projectId: project.id, path: new URL(url).pathname, list }
}

const jobsOf = (on: TestApp) => on.dataSource.query<unknown[]>("SELECT data FROM pgboss.job WHERE name = 'inbound'")

test('stores a signed delivery with its job before it responds, and lists it without its payload', async () => {
  const { secret, path, list, projectId } = await setUp()
  const jobs = (await jobsOf(app)).length
  const payload = JSON.stringify(pushPayload({ head_commit: { message: 'the password is hunter2' } }))
  const { status, body } = await deliver(app, path, { secret, event: 'push', payload, id: '17' })
  expect({ status, body }).toEqual({ status: 200, body: { received: true, processedAt: expect.any(String) } })
  expect(await jobsOf(app)).toHaveLength(jobs + 1)
  expect(await list()).toEqual([
    {
      id: expect.any(String),
      source: 'project',
      deliveryId: '17',
      event: 'push',
      action: null,
      branch: 'main',
      tag: null,
      commitSha: 'a'.repeat(40),
      pullRequest: null,
      fork: false,
      payloadDigest: createHash('sha256').update(payload).digest('hex'),
      status: 'received',
      reason: null,
      effects: [],
      receivedAt: expect.any(String),
      processedAt: null,
    },
  ])
  const stored = await dumpDatabase(app)
  expect(stored).toContain(projectId)
  expect(stored).not.toContain('hunter2')
  expect(stored).not.toContain(secret)
  expect(app.logLines.join()).not.toContain(secret)
})

test('of ten concurrent copies one has an effect, and the others are reported as duplicates', async () => {
  const { secret, path, list } = await setUp()
  const jobs = (await jobsOf(app)).length
  const copy = { secret, event: 'push', payload: pushPayload(), id: 'the-one' }
  const answers = await Promise.all(Array.from({ length: 10 }, () => deliver(app, path, copy)))
  expect(answers.map(({ status }) => status)).toEqual(Array<number>(10).fill(200))
  expect(answers.filter(({ body }) => body.duplicate === true)).toHaveLength(9)
  expect(await list()).toHaveLength(1)
  expect(await jobsOf(app)).toHaveLength(jobs + 1)
})

test('one project cannot use up the delivery ids of another', async () => {
  const [one, other] = [await setUp(), await setUp()]
  for (const { path, secret } of [one, other]) {
    const { body } = await deliver(app, path, { secret, event: 'push', payload: pushPayload(), id: 'same' })
    expect(body.duplicate).toBeUndefined()
  }
})

test('a wrong signature, a missing signature and an unknown project get the same response', async () => {
  const { secret, path, projectId, list } = await setUp()
  const without = await createProjectFor(app)
  const payload = JSON.stringify(pushPayload())
  const good = signatureOf(secret, payload)
  const otherOf = (text: string) => text.slice(0, -1) + (text.endsWith('0') ? '1' : '0')
  const cases: [string, string, Record<string, string>, string?][] = [
    ['another secret', path, { 'x-hub-signature-256': signatureOf('another', payload) }],
    ['another body', path, { 'x-hub-signature-256': good }, `${payload} `],
    ['one digit off', path, { 'x-hub-signature-256': otherOf(good) }],
    ['no signature', path, {}],
    ['an empty one', path, { 'x-hub-signature-256': '' }],
    ['no scheme', path, { 'x-hub-signature-256': good.slice('sha256='.length) }],
    ['another scheme', path, { 'x-hub-signature-256': good.replace('sha256', 'sha512') }],
    ['upper case', path, { 'x-hub-signature-256': good.toUpperCase() }],
    ['cut off', path, { 'x-hub-signature-256': good.slice(0, -2) }],
    ['two in one', path, { 'x-hub-signature-256': `${good}, ${good}` }],
    ['two names', path, { 'x-hub-signature-256': good, 'x-codehost-signature-256': good }],
    ['sha1', path, { 'x-hub-signature': signatureOf(secret, payload, 'sha1') }],
    ['a project without a secret', path.replace(projectId, without.id), { 'x-hub-signature-256': good }],
    ['no such project', path.replace(projectId, '01ARZ3NDEKTSV4RRFFQ69G5FAV'), { 'x-hub-signature-256': good }],
    ['no id', path.replace(projectId, "x'y"), { 'x-hub-signature-256': good }],
  ]
  const answers = new Set<string>()
  for (const [name, to, headers, body = payload] of cases) {
    const refused = await deliver(app, to, { event: 'push', payload: body, headers })
    expect([name, refused.status]).toEqual([name, 401])
    answers.add(JSON.stringify(refused.body))
  }
  expect(answers.size).toBe(1)
  expect(await list()).toEqual([])
})

test('accepts the neutral header names, and rejects a header with two values', async () => {
  const { secret, path, list } = await setUp()
  const payload = JSON.stringify(pushPayload())
  const deliverNeutral = (more: Record<string, string>) =>
    app.fetch(path, {
      method: 'POST',
      body: payload,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'x-codehost-event': 'push',
        'x-codehost-delivery': 'neutral:1',
        'x-codehost-signature-256': signatureOf(secret, payload),
        ...more,
      },
    })
  expect((await deliverNeutral({ 'x-github-event': 'push' })).status).toBe(200)
  expect(await list()).toMatchObject([{ deliveryId: 'neutral:1', event: 'push' }])
  expect((await deliverNeutral({ 'x-github-event': 'release' })).status).toBe(400)
  expect((await deliverNeutral({ 'x-github-delivery': 'another' })).status).toBe(400)
  expect((await deliverNeutral({ 'x-codehost-delivery': 'a b' })).status).toBe(400)
  expect((await deliverNeutral({ 'x-codehost-delivery': 'x'.repeat(129) })).status).toBe(400)
  expect(await list()).toHaveLength(1)
})

test('verifies the signature over the raw bytes, and then rejects malformed payloads', async () => {
  const { secret, path } = await setUp()
  const send = (payload: string | Buffer, headers = {}) =>
    deliver(app, path, { secret, event: 'push', payload, headers })
  expect((await send(Buffer.from([0x7b, 0xff, 0x7d]))).body).toMatchObject({ code: 'VALIDATION_ERROR' })
  expect((await send('{')).status).toBe(400)
  expect((await send('[]')).status).toBe(400)
  expect((await send('null')).status).toBe(400)
  expect((await send('{}', { 'content-type': 'text/plain' })).status).toBe(415)
  expect((await send('{"ref":"\\u0000","after":["x"],"repository":7}')).status).toBe(200)
  const form = new URLSearchParams({ payload: JSON.stringify(pushPayload({ ref: 'refs/heads/änderung' })) }).toString()
  expect((await send(form, { 'content-type': 'application/x-www-form-urlencoded' })).status).toBe(200)
})

test('accepts SHA-1 only if it is enabled, and never next to SHA-256', async () => {
  await using legacy = await createTestApp({
    role: 'web',
    inbound: { secret: undefined, appSecret: undefined, legacySha1: true },
  })
  const { secret, path } = await setUp(legacy)
  const payload = JSON.stringify(pushPayload())
  const sha1 = { 'x-hub-signature': signatureOf(secret, payload, 'sha1') }
  const send = async (headers: Record<string, string>) =>
    (await deliver(legacy, path, { event: 'push', payload, headers })).status
  expect(await send(sha1)).toBe(200)
  expect(await send({ ...sha1, 'x-hub-signature-256': signatureOf('wrong', payload) })).toBe(401)
  expect(await send({ ...sha1, 'x-hub-signature-256': '' })).toBe(401)
  expect(await send({ 'x-hub-signature': signatureOf('wrong', payload, 'sha1') })).toBe(401)
  expect(await send({ ...sha1, 'x-codehost-signature': signatureOf(secret, payload, 'sha1') })).toBe(401)
})

test('accepts bodies of 25 MiB, and rejects one more byte before it arrives', async () => {
  const { secret, path } = await setUp()
  const empty = JSON.stringify(pushPayload({ filler: '' })).length
  const limit = 25 * 1_048_576
  const exact = JSON.stringify(pushPayload({ filler: 'x'.repeat(limit - empty) }))
  expect(exact).toHaveLength(limit)
  expect((await deliver(app, path, { secret, event: 'push', payload: exact })).status).toBe(200)
  const announced = await new Promise((resolve, reject) => {
    const signature = { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` }
    const headers = { 'content-length': limit + 1, 'content-type': 'application/json', ...signature }
    const sent = request(new URL(path, app.url), { method: 'POST', headers }, (response) => {
      resolve(response.statusCode)
      sent.destroy()
    })
    sent.on('error', reject)
    sent.write('{')
  })
  expect(announced).toBe(413)
})

test('large deliveries of millions of values do not hold up other requests', async () => {
  const { secret, path } = await setUp()
  const size = 24 * 1_048_576
  const bodies = {
    objects: `{"a":[${'{},'.repeat(size / 3)}0]}`,
    names: `{${'"ref":1,'.repeat(size / 8)}"a":1}`,
    nested: `{"a":${'['.repeat(size / 2)}${']'.repeat(size / 2)}}`,
    invalid: `{"a":${'{"b":'.repeat(900)}${'{}'.repeat(size / 2)}`,
  }
  const answers: unknown[] = []
  // In one go these took two to five seconds.
  const longest = await longestTurnDuring(async () => {
    for (const [name, payload] of Object.entries(bodies)) {
      const { status, body } = await deliver(app, path, { secret, event: 'push', payload })
      answers.push([name, status, body.ignored ?? body.message])
    }
  })
  expect(answers).toEqual([
    ['objects', 200, 'other_repository'],
    ['names', 200, 'other_repository'],
    ['nested', 400, 'The request body nests deeper than 1000 levels.'],
    ['invalid', 400, 'The request body is not valid JSON.'],
  ])
  expect(longest).toBeLessThan(1_500)
})

test('a form of millions of fields is refused without holding up other requests', async () => {
  const { secret, path } = await setUp()
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const payload = 'a&'.repeat(12 * 1_048_576)
  const longest = await longestTurnDuring(async () => {
    const { status, body } = await deliver(app, path, { secret, event: 'push', payload, headers })
    expect([status, body.message]).toEqual([400, 'The form has more than 1000 fields.'])
  })
  expect(longest).toBeLessThan(1_500)
})

test('receivers without a configured secret return 404', async () => {
  for (const path of ['/api/webhooks/code-host-app', '/webhooks/code_host', '/api/webhooks/billing']) {
    const { status, body } = await deliver(app, path, { secret: 'x', event: 'push', payload: pushPayload() })
    expect([path, status, body.message]).toEqual([path, 404, `No such route: POST ${path}.`])
  }
})

test('rate-limits deliveries with bad signatures, without blocking valid ones', async () => {
  await using limited = await createTestApp({ role: 'web', rateLimit: 'by-type' })
  const { secret, path } = await setUp(limited)
  const send = async (secret: string) =>
    (await deliver(limited, path, { secret, event: 'push', payload: pushPayload() })).status
  for (let sent = 0; sent < 15; sent++) expect(await send(secret)).toBe(200)
  const bad = await Promise.all(Array.from({ length: 12 }, () => send('wrong')))
  expect(bad.toSorted()).toEqual([...Array<number>(10).fill(401), 429, 429])
  expect(await send(secret)).toBe(200)
})

test('returns 503 without details while the database is unavailable', async () => {
  await using broken = await createTestApp({ role: 'web' })
  const { secret, path } = await setUp(broken)
  const send = () => deliver(broken, path, { secret, event: 'push', payload: pushPayload(), id: 'again' })
  await broken.dataSource.query('ALTER TABLE inbound_deliveries RENAME TO elsewhere')
  expect(await send()).toEqual({
    status: 503,
    body: {
      error: 'Service Unavailable',
      message: 'The server cannot accept this delivery right now. Send it again in a minute.',
      code: 'UNAVAILABLE',
      retryAfter: 60,
    },
  })
  await broken.dataSource.query('ALTER TABLE elsewhere RENAME TO inbound_deliveries')
  expect((await send()).body).toEqual({ received: true, processedAt: expect.any(String) })
  expect(await jobsOf(broken)).toHaveLength(1)
})

test('does not store a delivery if its job cannot be enqueued', async () => {
  await using broken = await createTestApp({ role: 'web' })
  const { secret, path, list } = await setUp(broken)
  await broken.dataSource.query(
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no jobs today'; END $$`,
  )
  await broken.dataSource.query(
    `CREATE TRIGGER refuse BEFORE INSERT ON pgboss.job FOR EACH ROW WHEN (NEW.name = 'inbound') EXECUTE FUNCTION refuse()`,
  )
  expect((await deliver(broken, path, { secret, event: 'push', payload: pushPayload() })).status).toBe(503)
  expect(await list()).toEqual([])
})

test('accepts a push of three thousand commits with all their files', async () => {
  const { secret, path, list } = await setUp()
  const commits = Array.from({ length: 3_000 }, (_, index) => ({
    id: index.toString(16).padStart(40, '0'),
    author: { name: 'Somebody', email: 'somebody@example.com' },
    added: Array.from({ length: 20 }, (_, file) => `src/${index}/${file}.ts`),
    removed: [],
    modified: ['README.md'],
  }))
  const { status } = await deliver(app, path, {
    secret,
    event: 'push',
    payload: JSON.stringify(pushPayload({ commits })),
  })
  expect(status).toBe(200)
  expect(await list()).toMatchObject([{ event: 'push', branch: 'main' }])
})

test('reads no body without a signature, and limits the memory for bodies that are not verified yet', async () => {
  const { path } = await setUp()
  const send = (headers: Record<string, string>, body: Buffer | undefined) =>
    new Promise<number>((resolve, reject) => {
      const sent = request(`${app.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-length': String(25 * 1_048_576), ...headers },
      })
      sent.on('response', (response) => {
        resolve(response.statusCode ?? 0)
        sent.destroy()
      })
      sent.on('error', reject)
      if (body) sent.end(body)
      else sent.flushHeaders()
    })
  expect(await send({}, undefined)).toBe(401)
  const forged = {
    'x-hub-signature-256': `sha256=${'0'.repeat(64)}`,
    'x-github-event': 'push',
    'x-github-delivery': 'x',
  }
  const large = Buffer.alloc(25 * 1_048_576, 32)
  // Four are held while their bodies arrive, and the others are rejected.
  const held = Array.from({ length: 4 }, () => {
    const sent = request(`${app.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': String(large.length), ...forged },
    })
    sent.on('error', () => {})
    sent.write(' ')
    return sent
  })
  await expect.poll(() => send(forged, undefined)).toBe(503)
  for (const sent of held) sent.destroy()
  await expect.poll(() => send(forged, large)).toBe(401)
})

test("a project's receiver does nothing with the deliveries of another repository", async () => {
  const { secret, path, list } = await setUp()
  const push = (repository: object) =>
    deliver(app, path, {
      secret,
      event: 'push',
      payload: pushPayload({ repository: { private: false, ...repository } }),
    })
  const own = 'https://example.com/a/project.git'
  const other = 'https://example.com/a/other.git'
  const accepted = { status: 200, body: { received: true, processedAt: expect.any(String) } }
  const refused = { status: 200, body: { ...accepted.body, ignored: 'other_repository' } }
  const reason = "The delivery is of another repository than the project's."

  const jobs = (await jobsOf(app)).length
  expect(await push({ clone_url: other, id: 7 })).toEqual(refused)
  expect(await push({})).toEqual(refused)
  expect(await jobsOf(app)).toHaveLength(jobs)
  expect(await list()).toMatchObject([
    { status: 'ignored', reason },
    { status: 'ignored', reason },
  ])

  // A delivery with the project's URL contains the id, which survives a rename of the repository.
  expect(await push({ clone_url: 'git@example.com:A/Project', id: 7 })).toEqual(accepted)
  expect(await push({ clone_url: other, id: 7 })).toEqual(accepted)
  expect(await push({ clone_url: other, id: 8 })).toEqual(refused)
  expect(await push({ clone_url: own })).toEqual(accepted)
})

test('the id of a repository counts only as long as the project has that repository', async () => {
  const { client, projectId, secret, path } = await setUp()
  const push = (clone_url: string) =>
    deliver(app, path, {
      secret,
      event: 'push',
      payload: pushPayload({ repository: { clone_url, id: 9, private: false } }),
    })
  await push('https://example.com/a/project.git')
  await client.projects.updateProject.mutate({ projectId, repository: 'https://example.com/a/new.git', branch: 'main' })
  expect((await push('https://example.com/a/renamed.git')).body).toMatchObject({ ignored: 'other_repository' })
  expect((await push('https://example.com/a/new.git')).body).not.toHaveProperty('ignored')
})
