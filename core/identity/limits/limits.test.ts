import { asAppError } from '../../base/errors.ts'
import { poolOf } from '../../base/pool.ts'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AppError } from '../../base/errors.ts'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { addressKey } from './limits.ts'
import type { RuleName } from './rules.ts'

let app: TestApp
beforeAll(async () => {
  app = await createTestApp()
})
afterAll(() => app[Symbol.asyncDispose]())

/** Returns the number of accepted attempts among parallel ones. */
async function passed(count: number, rule: RuleName, key: string, { services } = app): Promise<number> {
  const tries = await Promise.allSettled(Array.from({ length: count }, () => services.limits.attempt(rule, key)))
  return tries.filter(({ status }) => status === 'fulfilled').length
}

test('the limit holds for parallel attempts, and refused attempts take no points', async () => {
  expect(await passed(40, 'signInByAccountAndAddress', 'a')).toBe(10)
  expect(await passed(5, 'signInByAccountAndAddress', 'a')).toBe(0)
  await Promise.all([1, 2, 3].map(() => app.services.limits.refund('signInByAccountAndAddress', 'a')))
  expect(await passed(20, 'signInByAccountAndAddress', 'a')).toBe(3)
})

test('a refusal has retryAfter in whole seconds', async () => {
  await passed(5, 'mailByAccountAndAddress', 'b')
  const refusal = await app.services.limits.attempt('mailByAccountAndAddress', 'b').catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(AppError)
  if (!(refusal instanceof AppError)) return
  expect([refusal.status, refusal.code]).toEqual([429, 'RATE_LIMITED'])
  expect(refusal.retryAfter).toBeGreaterThan(3_590)
  expect(refusal.retryAfter).toBeLessThanOrEqual(3_600)
  expect(refusal.headers).toEqual({ 'Retry-After': String(refusal.retryAfter) })
})

test('rules and keys are independent', async () => {
  await passed(5, 'mailByAccountAndAddress', 'c')
  expect(await passed(6, 'mailByAccountAndAddress', 'd')).toBe(5)
  expect(await passed(1, 'mailByAddress', 'c')).toBe(1)
})

test('a new period starts with all points, and a refund of the previous one adds none', async () => {
  await passed(5, 'mailByAccountAndAddress', 'e')
  await app.dataSource.query('UPDATE rate_limits SET expire = 1')
  await Promise.all([1, 2, 3].map(() => app.services.limits.refund('mailByAccountAndAddress', 'e')))
  expect(await passed(10, 'mailByAccountAndAddress', 'e')).toBe(5)
})

test('two applications on one database share the counts and refunds', async () => {
  await using other = await createTestApp({ databaseUrl: app.config.databaseUrl })
  const both = await Promise.all([passed(20, 'signInByAccount', 'f'), passed(110, 'signInByAccount', 'f', other)])
  expect(both[0] + both[1]).toBe(100)
  await other.services.limits.refund('signInByAccount', 'f')
  expect(await passed(2, 'signInByAccount', 'f')).toBe(1)
})

test('the table contains no account names, and accepts keys of any length', async () => {
  await passed(1, 'signInByAccount', 'somebody@example.com')
  await passed(1, 'signInByAccount', 'x'.repeat(10_000))
  const rows = await app.dataSource.query<{ key: string }[]>('SELECT key FROM rate_limits')
  expect(rows.length).toBeGreaterThan(2)
  expect(rows.filter(({ key }) => key.includes('example'))).toEqual([])
})

test('addresses of one IPv6 /64 share a key, and calls without an address have a key too', () => {
  const key = (ipAddress: string | null) => addressKey({ client: { ipAddress, userAgent: null } })
  expect(key('2001:db8:1:2:3::4')).toBe(key('2001:db8:1:2:ffff::'))
  expect(key('2001:db8:1:3::4')).not.toBe(key('2001:db8:1:2::4'))
  expect(key('192.0.2.1')).not.toBe(key('192.0.2.2'))
  expect(key(null)).toBe('none')
})

test('without the table, each process counts in memory, logs it once, and uses the table again later', async () => {
  await using broken = await createTestApp()
  const outages = () => broken.logLines.filter((line) => line.includes('limits cannot be counted'))
  await broken.dataSource.query('ALTER TABLE rate_limits RENAME TO elsewhere')
  expect(await passed(40, 'signInByAccountAndAddress', 'g', broken)).toBe(10)
  expect(await passed(1, 'signInByAccountAndAddress', 'g', broken)).toBe(0)
  await broken.services.limits.refund('signInByAccountAndAddress', 'g')
  expect(await passed(5, 'signInByAccountAndAddress', 'g', broken)).toBe(1)
  expect(outages()).toHaveLength(1)
  expect(outages()[0]).toContain('does not exist')

  await broken.dataSource.query('ALTER TABLE elsewhere RENAME TO rate_limits')
  await expect
    .poll(
      async () => {
        await passed(1, 'signInByAddress', 'h', broken)
        return broken.dataSource.query('SELECT 1 FROM rate_limits')
      },
      { timeout: 5_000 },
    )
    .toHaveLength(1)
  expect(broken.logLines.filter((line) => line.includes('in the database again'))).toHaveLength(1)
  expect(outages()).toHaveLength(1)
})

test('a locked table delays calls only briefly', async () => {
  await using stalled = await createTestApp()
  const client = new pg.Client({ connectionString: stalled.config.databaseUrl })
  await client.connect()
  await client.query('BEGIN; LOCK TABLE rate_limits')
  const startedAt = performance.now()
  expect(await passed(20, 'signInByAccountAndAddress', 'i', stalled)).toBe(10)
  expect(performance.now() - startedAt).toBeLessThan(4_000)
  await client.end()
})

test('while every connection is busy, a guess is refused and not counted in memory', async () => {
  await using busy = await createTestApp()
  const pool = poolOf(busy.services.databases.access.dataSource)
  const clients = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()))
  pool.options.connectionTimeoutMillis = 50
  await expect(busy.services.limits.attempt('signInByAccount', 'k')).rejects.toSatisfy(
    (error) => asAppError(error)?.code === 'UNAVAILABLE',
  )
  for (const client of clients) client.release()
  expect(busy.logLines.filter((line) => line.includes('cannot be counted'))).toEqual([])
})
