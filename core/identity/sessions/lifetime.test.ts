import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Config } from '../../config.ts'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { nextCookie } from '../../testing/browser.ts'
import { createSessionFor } from '../../testing/factories.ts'
import { cleanUpSignIns } from './clean-up.ts'
import { SessionEntity } from './entity.ts'

let app: TestApp
let clock: number
beforeAll(async () => {
  clock = Date.now()
  app = await createTestApp({}, { now: () => new Date(clock) })
})
afterAll(() => app[Symbol.asyncDispose]())

const [minute, day] = [60_000, 86_400_000]
const getSession = (cookie: string, by = app) => by.fetch('/api/auth/get-session', { cookie })
const rowOf = (id: string) => app.dataSource.getRepository(SessionEntity).findOneByOrFail({ id })
/** Starts another process on the same database. */
const another = (sessions: Partial<Config['sessions']>) =>
  createTestApp(
    { databaseUrl: app.config.databaseUrl, sessions: { ...app.config.sessions, ...sessions } },
    { now: () => new Date(clock) },
  )

test('an expired session is not renewed, neither by its token nor by the previous one', async () => {
  const { cookie, sessionId } = await createSessionFor(app)
  clock += minute
  const current = nextCookie(await getSession(cookie), '')
  const before = await rowOf(sessionId)
  clock += 7 * day
  expect((await getSession(cookie)).status).toBe(401)
  expect((await getSession(current)).status).toBe(401)
  expect(await rowOf(sessionId)).toEqual(before)
})

test('each use extends a session by seven days, up to 30 days after sign-in', async () => {
  const { cookie, sessionId } = await createSessionFor(app)
  const { absoluteExpiresAt } = await rowOf(sessionId)
  let current = cookie
  for (let week = 1; week <= 4; week++) {
    clock += 7 * day - 1
    const answer = await getSession(current)
    expect(answer.status).toBe(200)
    current = nextCookie(answer, current)
    const { session } = (await answer.json()) as { session: { expiresAt: string } }
    expect(Date.parse(session.expiresAt)).toBe(Math.min(clock + 7 * day, absoluteExpiresAt.getTime()))
  }
  clock = absoluteExpiresAt.getTime() - 1
  current = nextCookie(await getSession(current), current)
  clock += 1
  expect((await getSession(current)).status).toBe(401)
})

test('with an idle timeout, an unused session ends, and a used one stays', async () => {
  await using strict = await another({ idleMs: 30 * minute })
  const { cookie } = await createSessionFor(strict)
  let current = cookie
  for (let uses = 0; uses < 4; uses++) {
    clock += 29 * minute
    const answer = await getSession(current, strict)
    expect(answer.status).toBe(200)
    current = nextCookie(answer, current)
  }
  clock += 30 * minute
  expect((await getSession(current, strict)).status).toBe(401)
  const refused = await strict.fetch('/trpc/auth.getProfile', { cookie: current })
  expect(await refused.json()).toMatchObject({ code: 'SESSION_EXPIRED', data: { httpStatus: 401 } })
})

test('a client that never stores the new token stays signed in and counts as active', async () => {
  await using strict = await another({ idleMs: 30 * minute })
  const { cookie } = await createSessionFor(strict)
  for (let uses = 0; uses < 5; uses++) {
    clock += 29 * minute
    expect((await getSession(cookie, strict)).status).toBe(200)
  }
})

test('the clean-up deletes only sessions that ended at least a day ago', async () => {
  const [good, revoked, expired] = [
    await createSessionFor(app),
    await createSessionFor(app),
    await createSessionFor(app),
  ]
  await app.fetch('/api/auth/sign-out', { method: 'POST', cookie: revoked.cookie })
  await app.dataSource.getRepository(SessionEntity).update({ id: expired.sessionId }, { expiresAt: new Date(clock) })
  const left = async () => {
    await cleanUpSignIns(app.dataSource.manager, new Date(clock))
    const rows = await app.dataSource.getRepository(SessionEntity).find()
    return [good, revoked, expired].map(({ sessionId }) => rows.some(({ id }) => id === sessionId))
  }
  clock += day
  expect(await left()).toEqual([true, true, true])
  clock += 1
  expect(await left()).toEqual([true, false, false])
  // How it ended is no longer known.
  const answer = await app.fetch('/trpc/auth.getProfile', { cookie: revoked.cookie })
  expect(await answer.json()).toMatchObject({ code: 'SESSION_EXPIRED' })
})
