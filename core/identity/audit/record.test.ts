import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createApp } from '../../app.ts'
import { createLog } from '../../base/log.ts'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { createTokenFor, createUser } from '../../testing/factories.ts'
import { recordAudit } from './record.ts'
import { limitConcurrency } from '../../base/limit-concurrency.ts'
import { auditContext, emptyAuditLog, recordRows } from './testing.ts'
import { verifyAuditLog } from './verify.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp()))
beforeEach(async () => {
  await emptyAuditLog(app)
  app.logLines.length = 0
})
afterAll(() => app[Symbol.asyncDispose]())

const verify = () => verifyAuditLog(app.dataSource, app.config.secretKey)

interface LogLine {
  audit?: { sequence: string; action: string; hash: string }
}
/** On a busy machine, hundreds of calls at once wait longer for a connection than they may. */
const inTurn = limitConcurrency(20)

const loggedHeads = () => app.logLines.flatMap((line) => (JSON.parse(line) as LogLine).audit ?? [])

test('200 parallel appends from two applications make one chain without gaps', async () => {
  await using other = await createApp(app.config, { log: createLog('silent') })
  const append = (number: number) =>
    inTurn(() => recordAudit(auditContext(number % 2 ? app : other), 'login', `user ${number}`, { number }))
  await Promise.all(Array.from({ length: 200 }, (_, number) => append(number)))
  const verdict = await verify()
  expect(verdict).toMatchObject({ rows: 200, head: { sequence: '200' } })
  expect(verdict.broken).toBeUndefined()
})

test('appends do not deadlock with transactions that hold other locks', async () => {
  await using other = await createApp(app.config, { log: createLog('silent') })
  const user = await createUser(app)
  const clients = await Promise.all([1, 2, 3].map(async () => app.client(await createTokenFor(app, { user }))))
  const [client] = clients
  if (!client) throw new Error('there are three')
  const targets = await Promise.all(
    Array.from({ length: 10 }, () => client.tokens.create.mutate({ name: 'target', scopes: ['projects:read'] })),
  )
  const before = (await verify()).rows
  const background = Array.from({ length: 40 }, (_, number) =>
    inTurn(() => recordAudit(auditContext(other), 'login', null, { number })),
  )
  const revocations = targets.flatMap(({ id }) =>
    clients.map((one) => inTurn(() => one.tokens.revoke.mutate({ tokenId: id }))),
  )
  await Promise.all([...background, ...revocations])
  const verdict = await verify()
  expect(verdict.broken).toBeUndefined()
  // One row for each token, although each was revoked three times in parallel.
  expect(verdict.rows - before).toBe(40 + 10)
})

test('a rolled-back transaction leaves no row, no log line and no gap', async () => {
  await recordRows(app, 1)
  const failed = app.dataSource.transaction(async (db) => {
    await recordAudit({ ...auditContext(app), db }, 'login', 'somebody')
    throw new Error('afterwards')
  })
  await expect(failed).rejects.toThrow('afterwards')
  expect(loggedHeads().map(({ sequence }) => sequence)).toEqual(['1'])
  await recordRows(app, 1)
  expect(await verify()).toMatchObject({ rows: 2 })
})

test('the log lines contain the heads in the database, and follow the commit', async () => {
  await app.dataSource.transaction(async (db) => {
    const ctx = { ...auditContext(app), db }
    await recordAudit(ctx, 'login', 'somebody')
    await recordAudit(ctx, 'logout', 'somebody')
    expect(loggedHeads()).toEqual([])
  })
  expect(loggedHeads()).toEqual(
    await app.dataSource.query('SELECT sequence, action, hash FROM audit_logs ORDER BY sequence'),
  )
  expect(loggedHeads()).toHaveLength(2)
})

test('an append waits only for other appends', async () => {
  const user = await createUser(app)
  await app.dataSource.transaction(async (tx) => {
    await tx.query('SELECT FROM users WHERE id = $1 FOR UPDATE', [user.id])
    await recordAudit(auditContext(app), 'login', user.id)
  })
  expect((await verify()).rows).toBe(1)
})

test('any metadata is recorded and verifies', async () => {
  const metadata = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ stringUnit: 'binary' }))
  const record = (value: Record<string, unknown>) => recordAudit(auditContext(app), 'login', null, value)
  await fc.assert(fc.asyncProperty(metadata, record), { numRuns: 150 })
  const verdict = await verify()
  expect(verdict.broken).toBeUndefined()
  expect(verdict.rows).toBe(150)
})

test('text that Postgres rejects, and values that JSON changes, do not prevent a row', async () => {
  await recordAudit(auditContext(app), 'login', null, {
    nul: 'a\0b',
    backslash: 'a\\u0000b',
    half: 'a\ud800b',
    at: new Date(0),
    absent: undefined,
    list: [undefined, Number.NaN, -0],
  })
  const [row] = await app.dataSource.query<{ metadata: unknown }[]>('SELECT metadata FROM audit_logs')
  expect(row?.metadata).toEqual({
    nul: 'a\ufffdb',
    backslash: 'a\\u0000b',
    half: 'a\ufffdb',
    at: '1970-01-01T00:00:00.000Z',
    list: [null, null, 0],
  })
  expect(await verify()).toMatchObject({ rows: 1, head: { sequence: '1' } })
})
