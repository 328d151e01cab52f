import { pino } from 'pino'
import type { EntityManager } from 'typeorm'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createRunFor } from '../testing/factories.ts'
import { watchChanges } from './changes.ts'
import { endingRecords } from './wait-for-end.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp({ role: 'web' })))
afterAll(() => app[Symbol.asyncDispose]())

const runs = endingRecords('test_runs', ['PENDING', 'RUNNING'])
const log = pino({ level: 'silent' })
const wait = { known: 'unfinished', milliseconds: 60_000, signals: [], caller: 'someone' }

/** Counts the queries of a watch. */
function counted(db: EntityManager) {
  let queries = 0
  const query = (...args: Parameters<EntityManager['query']>) => {
    queries++
    return db.query(...args)
  }
  return { db: Object.assign(Object.create(db) as EntityManager, { query }), queries: () => queries }
}

test('many calls wait with one query per interval, and each returns when its own record ends', async () => {
  const { db, queries } = counted(app.dataSource.manager)
  await using changes = watchChanges(db, log)
  const records = await Promise.all(Array.from({ length: 4 }, () => createRunFor(app, { status: 'RUNNING' })))
  const ended: string[] = []
  const waits = records.flatMap(({ id }, index) =>
    Array.from({ length: 250 }, async () => {
      await changes.until(runs, id, { ...wait, caller: `caller ${index}` })
      ended.push(id)
    }),
  )
  const [first, second] = records.map(({ id }) => id)
  await app.dataSource.query(`UPDATE test_runs SET status = 'COMPLETED' WHERE id = $1`, [first])
  await expect.poll(() => ended.length).toBe(250)
  expect(new Set(ended)).toEqual(new Set([first]))
  await app.dataSource.query('DELETE FROM test_runs WHERE id = $1', [second])
  await expect.poll(() => ended.length).toBe(500)
  const before = queries()
  await expect.poll(queries).toBeGreaterThan(before + 2)
  await app.dataSource.query(`UPDATE test_runs SET status = 'CANCELLED'`)
  await Promise.all(waits)
  const last = queries()
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(queries()).toBeLessThanOrEqual(last + 1)
})

test('a wait ends at once when this process has made the change, also while a poll that missed it is under way', async () => {
  const { id } = await createRunFor(app, { status: 'RUNNING' })
  const other = await createRunFor(app, { status: 'RUNNING' })
  let answer: { resolve: (rows: object[]) => void } | undefined
  let queries = 0
  const slow = Object.assign(Object.create(app.dataSource.manager) as EntityManager, {
    query: (...args: Parameters<EntityManager['query']>) => {
      if (queries++ > 0) return app.dataSource.query(...args)
      const missing = Promise.withResolvers<object[]>()
      answer = missing
      return missing.promise
    },
  })
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  try {
    const changes = watchChanges(slow, log)
    const wait1 = changes.until(runs, id, wait)
    changes.lookSoon()
    vi.advanceTimersByTime(10)
    expect(queries).toBe(1)
    await app.dataSource.query(`UPDATE test_runs SET status = 'COMPLETED' WHERE id = $1`, [id])
    // Nothing is known yet of a wait that begins now.
    const late = changes.until(runs, other.id, wait)
    changes.lookSoon()
    answer?.resolve([{ id, state: 'unfinished' }])
    await new Promise((resolve) => setImmediate(resolve))
    vi.advanceTimersByTime(10)
    await expect(wait1).resolves.toBeUndefined()
    expect(queries).toBe(2)
    await changes[Symbol.asyncDispose]()
    await expect(late).resolves.toBe('unfinished')
  } finally {
    vi.useRealTimers()
  }
})

test('a wait ends with its time, its signal, or the program, also while the database is unavailable', async () => {
  const broken = Object.assign(Object.create(app.dataSource.manager) as EntityManager, {
    query: () => Promise.reject(new Error('unavailable')),
  })
  const changes = watchChanges(broken, log)
  await changes.until(runs, 'a', { ...wait, milliseconds: 20 })
  const leaving = new AbortController()
  const left = changes.until(runs, 'a', { ...wait, signals: [leaving.signal] })
  leaving.abort()
  await left
  const last = changes.until(runs, 'a', wait)
  await changes[Symbol.asyncDispose]()
  await last
})

test('a caller with too many waiting calls gets 429, and other callers can wait', async () => {
  const changes = watchChanges(app.dataSource.manager, log)
  const { id } = await createRunFor(app, { status: 'RUNNING' })
  const waits = Array.from({ length: 1_000 }, () => changes.until(runs, id, wait))
  await expect(changes.until(runs, id, wait)).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfter: 10 })
  waits.push(changes.until(runs, id, { ...wait, caller: 'another' }))
  await changes[Symbol.asyncDispose]()
  await Promise.all(waits)
})
