import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Config } from '../../config.ts'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { nextCookie } from '../../testing/browser.ts'
import { createSessionFor } from '../../testing/factories.ts'
import { SessionEntity } from './entity.ts'

let app: TestApp
let clock: number
beforeAll(async () => {
  clock = Date.now()
  app = await createTestApp({}, { now: () => new Date(clock) })
})
afterAll(() => app[Symbol.asyncDispose]())

const second = 1_000
const getSession = (cookie: string, by = app) => by.fetch('/api/auth/get-session', { cookie })
const rowOf = (id: string) => app.dataSource.getRepository(SessionEntity).findOneByOrFail({ id })
const auditsOf = (id: string, action: string) =>
  app.dataSource.query<{ metadata: unknown }[]>(
    `SELECT metadata FROM audit_logs WHERE action = $2 AND metadata->>'sessionId' = $1`,
    [id, action],
  )
const rest = (path: string, cookie: string, body: unknown = {}) =>
  app.fetch(`/api/auth/${path}`, {
    method: 'POST',
    cookie,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
/** Starts another process on the same database. */
const another = (sessions: Partial<Config['sessions']>, now = () => new Date(clock)) =>
  createTestApp({ databaseUrl: app.config.databaseUrl, sessions: { ...app.config.sessions, ...sessions } }, { now })

/** Uses the session once per interval, `count` times, and returns the cookies in order. */
async function rotate(cookie: string, times: number): Promise<string[]> {
  const cookies = [cookie]
  for (let done = 0; done < times; done++) {
    clock += 10 * second
    cookies.push(nextCookie(await getSession(cookies.at(-1) ?? ''), ''))
  }
  return cookies
}

test('parallel requests rotate the session once and receive the same new token', async () => {
  const { cookie, sessionId } = await createSessionFor(app)
  clock += 10 * second
  const answers = await Promise.all(Array.from({ length: 30 }, () => getSession(cookie)))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  expect(new Set(answers.map((answer) => nextCookie(answer, ''))).size).toBe(1)
  expect((await rowOf(sessionId)).generation).toBe(1)
})

test('within the interval, a session rotates at most once', async () => {
  const { cookie, sessionId } = await createSessionFor(app)
  const [, current = ''] = await rotate(cookie, 1)
  clock += 9_999
  const answers = await Promise.all(Array.from({ length: 10 }, () => getSession(current)))
  expect(answers.flatMap(({ headers }) => headers.getSetCookie())).toEqual([])
  expect((await rowOf(sessionId)).generation).toBe(1)
})

test('a refused call carries the new token too', async () => {
  const { cookie } = await createSessionFor(app)
  clock += 10 * second
  const refused = await app.fetch('/api/v1/projects/nope', { cookie })
  expect([refused.status, refused.headers.getSetCookie().length]).toEqual([404, 1])
})

test('sending a token again starts a new interval, so that late responses never bring an old token back', async () => {
  const { cookie } = await createSessionFor(app)
  clock += 10 * second
  await getSession(cookie) // Lost on its way.
  clock += 3_600 * second
  const [early, late] = await Promise.all([getSession(cookie), getSession(cookie)])
  const current = nextCookie(early, '')
  clock += 4 * second
  expect((await getSession(current)).headers.getSetCookie()).toEqual([])
  expect(nextCookie(late, '')).toBe(current)
})

test('a response that takes half an interval omits the token, and the next response carries it', async () => {
  const { cookie, sessionId } = await createSessionFor(app)
  clock += 10 * second
  const holder = app.dataSource.createQueryRunner()
  await holder.startTransaction()
  await holder.query('LOCK TABLE projects')
  const slow = app.fetch('/api/v1/projects', { cookie })
  await vi.waitFor(async () => expect((await rowOf(sessionId)).generation).toBe(1))
  clock += 5 * second
  await holder.rollbackTransaction()
  await holder.release()
  const response = await slow
  expect([response.status, response.headers.getSetCookie()]).toEqual([200, []])

  const quick = await getSession(cookie)
  expect([quick.status, quick.headers.getSetCookie().length]).toEqual([200, 1])
})

test('a request overtaken by one rotation is accepted, and one overtaken by two counts as theft', async () => {
  const { cookie, sessionId } = await createSessionFor(app)
  const [, first = '', second = ''] = await rotate(cookie, 2)
  expect((await getSession(first)).status).toBe(200)
  expect((await getSession(second)).status).toBe(200)
  expect((await getSession(cookie)).status).toBe(401)
  expect((await getSession(second)).status).toBe(401)
  expect(await auditsOf(sessionId, 'session_revoked')).toEqual([{ metadata: { sessionId, reason: 'token_reuse' } }])
})

test('a replaced token has its whole grace time, also with a shorter interval', async () => {
  await using quick = await another({ rotationIntervalMs: second })
  const { cookie } = await createSessionFor(quick)
  clock += 10 * second
  const current = nextCookie(await getSession(cookie, quick), '')
  for (let elapsed = 0; elapsed < 10; elapsed++) {
    expect((await getSession(current, quick)).headers.getSetCookie()).toEqual([])
    expect((await getSession(cookie, quick)).status).toBe(200)
    clock += second
  }
  expect((await getSession(current, quick)).headers.getSetCookie()).toHaveLength(1)
})

test('parallel uses of a copied cookie are recorded once, and none changes the cookie', async () => {
  const { cookie, sessionId } = await createSessionFor(app)
  const [, current = ''] = await rotate(cookie, 1)
  await getSession(current)
  clock += 10 * second
  const answers = await Promise.all(Array.from({ length: 12 }, () => getSession(cookie)))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]))
  expect(answers.flatMap(({ headers }) => headers.getSetCookie())).toEqual([])
  expect(await auditsOf(sessionId, 'session_revoked')).toHaveLength(1)
})

test('theft in parallel with a rotation ends the session, in either order', async () => {
  for (let attempt = 0; attempt < 8; attempt++) {
    const { cookie: copied, sessionId } = await createSessionFor(app)
    const [, current = ''] = await rotate(copied, 1)
    await getSession(current)
    clock += 10 * second
    const [owner] = await Promise.all([getSession(current), getSession(copied)])
    expect((await getSession(nextCookie(owner, current))).status).toBe(401)
    expect((await getSession(current)).status).toBe(401)
    expect(await auditsOf(sessionId, 'session_revoked')).toHaveLength(1)
  }
})

test('revocation in parallel with a rotation leaves no valid token', async () => {
  for (let attempt = 0; attempt < 8; attempt++) {
    const { cookie, sessionId } = await createSessionFor(app)
    clock += 10 * second
    const refreshes = Array.from({ length: 6 }, () => getSession(cookie))
    const revoked = await rest('revoke-session', cookie, { token: sessionId })
    expect(revoked.status).toBe(200)
    const cookies = [revoked, ...(await Promise.all(refreshes))].map((answer) => nextCookie(answer, cookie))
    const afterwards = await Promise.all(cookies.map((given) => getSession(given)))
    expect(new Set(afterwards.map(({ status }) => status))).toEqual(new Set([401]))
  }
})

test('a revocation between look-up and rotation takes effect, for the current and the previous token', async () => {
  for (const lostAnswers of [0, 1]) {
    const { cookie, sessionId } = await createSessionFor(app)
    clock += 10 * second
    for (let lost = 0; lost < lostAnswers; lost++) await getSession(cookie)
    clock += 10 * second

    const revoker = app.dataSource.createQueryRunner()
    try {
      await revoker.startTransaction()
      await revoker.query('UPDATE sessions SET revoked_at = $2 WHERE id = $1', [sessionId, new Date(clock)])
      const answer = getSession(cookie)
      await vi.waitFor(async () => expect(await waiting()).toBe(1))
      await revoker.commitTransaction()
      const { status, headers } = await answer
      expect([status, headers.getSetCookie()]).toEqual([401, []])
    } finally {
      await revoker.release()
    }
    expect((await rowOf(sessionId)).generation).toBe(lostAnswers)
  }
})

/** Counts the statements that wait for a lock. */
async function waiting(): Promise<number> {
  const rows = await app.dataSource.query<unknown[]>(
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
  )
  return rows.length
}

test('revocation ends the grace time, and later requests do not change the row', async () => {
  const { cookie, sessionId } = await createSessionFor(app)
  const [, current = ''] = await rotate(cookie, 1)
  await rest('sign-out', current)
  const before = await rowOf(sessionId)
  clock += 6 * second
  for (const token of [cookie, current]) {
    const answer = await getSession(token)
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([401, []])
  }
  expect(await rowOf(sessionId)).toEqual(before)
  expect(await auditsOf(sessionId, 'session_revoked')).toEqual([])
})

test('with interval 0, every request rotates, and a token is valid until the next one is used', async () => {
  await using strict = await another({ rotationIntervalMs: 0, rotationGraceMs: 0 })
  const { cookie } = await createSessionFor(strict)
  const first = nextCookie(await getSession(cookie, strict), '')
  expect(nextCookie(await getSession(cookie, strict), '')).toBe(first)
  const second = nextCookie(await getSession(first, strict), '')
  const third = nextCookie(await getSession(second, strict), '')
  expect(new Set([cookie, first, second, third]).size).toBe(4)
  expect((await getSession(first, strict)).status).toBe(401)
  expect((await getSession(third, strict)).status).toBe(401)
})

test('without grace time, the previous token is refused as soon as the next one is used', async () => {
  await using strict = await another({ rotationGraceMs: 0 })
  const { cookie } = await createSessionFor(strict)
  clock += 10 * second
  const current = nextCookie(await getSession(cookie, strict), '')
  expect((await getSession(cookie, strict)).status).toBe(200)
  expect((await getSession(current, strict)).status).toBe(200)
  expect((await getSession(cookie, strict)).status).toBe(401)
})

test('clocks of processes that differ by less than the grace time sign no user out', async () => {
  await using ahead = await another({}, () => new Date(clock + 6 * second))
  const { cookie, sessionId } = await createSessionFor(app)
  let current = cookie
  for (let round = 0; round < 12; round++) {
    clock += 3 * second
    const carried = current
    for (const [process, token] of [
      [app, current],
      [ahead, current],
      [app, carried],
      [ahead, carried],
    ] as const) {
      const answer = await getSession(token, process)
      expect(answer.status).toBe(200)
      current = nextCookie(answer, current)
    }
  }
  const { generation, revokedAt } = await rowOf(sessionId)
  expect(revokedAt).toBeNull()
  // 36 seconds. The clock that is 6 seconds ahead reaches the end of the interval after 4.
  expect(generation).toBeGreaterThanOrEqual(3)
  expect(generation).toBeLessThanOrEqual(9)
})

test('a look-up takes one statement, and so does a rotation', async () => {
  const { cookie } = await createSessionFor(app)
  const query = vi.spyOn(pg.Client.prototype, 'query')
  const statements = async (token: string) => {
    query.mockClear()
    const answer = await getSession(token)
    const texts = query.mock.calls
      .map(([first]: unknown[]) => textOf(first))
      .filter((text) => /sessions|users/.test(text) && !/pgboss|DELETE/.test(text))
    return { texts, cookie: nextCookie(answer, token) }
  }
  try {
    expect((await statements(cookie)).texts).toEqual([expect.stringContaining('FROM sessions')])
    clock += 10 * second
    const rotated = await statements(cookie)
    expect(rotated.texts).toEqual([
      expect.stringContaining('FROM sessions'),
      expect.stringContaining('UPDATE sessions'),
    ])
    // The first use of the new token is stored.
    expect((await statements(rotated.cookie)).texts).toHaveLength(2)
    expect((await statements(rotated.cookie)).texts).toHaveLength(1)
  } finally {
    query.mockRestore()
  }
})

function textOf(query: unknown): string {
  if (typeof query === 'string') return query
  if (typeof query === 'object' && query !== null && 'text' in query) return String(query.text)
  return ''
}
