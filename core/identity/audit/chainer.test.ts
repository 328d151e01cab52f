import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createApp } from '../../app.ts'
import { createLog } from '../../base/log.ts'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { createTokenFor, createUser } from '../../testing/factories.ts'
import { createAuditChain } from './chainer.ts'
import { recordAudit } from './record.ts'
import { auditContext, emptyAuditLog, holdChain, idleChain, recordRows } from './testing.ts'
import { verifyAuditLog } from './verify.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp()))
beforeEach(async () => {
  await app.services.auditChain.chainAll()
  await emptyAuditLog(app)
  app.logLines.length = 0
})
afterAll(() => app[Symbol.asyncDispose]())

const verify = () => verifyAuditLog(app.dataSource, app.config.secretKey)

/** Commits rows without chaining them, as a process does that stops in between. */
const recordUnchained = (count: number) =>
  recordRows({ dataSource: app.dataSource, services: { ...app.services, auditChain: idleChain } }, count)

const numbers = () =>
  app.dataSource.query<{ number: number }[]>(
    `SELECT (metadata -> 'number')::integer AS number FROM audit_logs ORDER BY sequence`,
  )

/** Changes unchained rows as only the owner of the table can, who can bypass the triggers. */
async function tamper(statement: string) {
  await app.dataSource.transaction(async (tx) => {
    await tx.query('ALTER TABLE unchained_audit_logs DISABLE TRIGGER USER')
    await tx.query(statement)
    for (const name of ['rows', 'table', 'deletions']) {
      await tx.query(`ALTER TABLE unchained_audit_logs ENABLE ALWAYS TRIGGER unchained_audit_logs_${name}`)
    }
  })
}

test('the next start chains rows whose process stopped after their commit', async () => {
  await recordRows(app, 1)
  const held = await holdChain(app)
  await recordUnchained(2)
  expect(await verify()).toMatchObject({ rows: 1, unchained: { rows: 2, oldest: expect.any(Date) } })
  await held[Symbol.asyncDispose]()
  await using _other = await createApp({ ...app.config, role: 'web' }, { log: createLog('silent') })
  await expect.poll(verify).toEqual({ rows: 3, head: { sequence: '3', hash: expect.any(String) } })
})

test('a process chains every committed row before it stops', async () => {
  const other = createAuditChain({ config: app.config, log: createLog('silent') })
  await recordUnchained(2)
  await other[Symbol.asyncDispose]()
  expect(await verify()).toMatchObject({ rows: 2 })
})

test('several chainers at once make one chain of more rows than a batch has', async () => {
  const log = createLog('silent')
  await using first = createAuditChain({ config: app.config, log })
  await using second = createAuditChain({ config: app.config, log })
  await recordUnchained(1)
  await app.dataSource.query(
    `INSERT INTO unchained_audit_logs (id, action, created_at, signature) SELECT 'forged ' || n, 'login', now(), 'x' FROM generate_series(1, 1500) AS n`,
  )
  await recordUnchained(100)
  await Promise.all([first.chainAll(), second.chainAll(), app.services.auditChain.chainAll()])
  expect(await verify()).toMatchObject({ rows: 101, head: { sequence: '101' }, broken: { problem: 'forged' } })
})

test('transactions that record in parallel make one chain, with the rows of each in their order', async () => {
  await Promise.all(
    Array.from({ length: 30 }, (_, transaction) =>
      app.dataSource.transaction(async (db) => {
        const ctx = { ...auditContext(app), db }
        for (const step of [1, 2, 3]) await recordAudit(ctx, 'login', `user ${transaction}`, { step })
        if (transaction % 3 === 0) throw new Error('rolled back')
      }),
    ).map((done) => done.catch(() => {})),
  )
  const verdict = await verify()
  expect(verdict).toMatchObject({ rows: 60, head: { sequence: '60' } })
  expect([verdict.broken, verdict.unchained]).toEqual([undefined, undefined])
  const steps = await app.dataSource.query(
    `SELECT DISTINCT array_agg(metadata -> 'step' ORDER BY sequence) AS steps FROM audit_logs GROUP BY user_id`,
  )
  expect(steps).toEqual([{ steps: [1, 2, 3] }])
})

test.each([
  `action = 'logout'`,
  `user_id = NULL`,
  `ip_address = '192.0.2.8'`,
  `user_agent = NULL`,
  `metadata = '{"number": 4}'`,
  `created_at = created_at + interval '1 ms'`,
  `id = 'another'`,
  `signature = 'another'`,
])('a row in which %s was set before it is chained stays out of the chain', async (change) => {
  const held = await holdChain(app)
  await recordUnchained(3)
  await tamper(`UPDATE unchained_audit_logs SET ${change} WHERE metadata = '{"number": 2}'`)
  const broken = { sequence: null, problem: 'forged' }
  expect(await verify()).toMatchObject({ rows: 0, head: null, broken })
  await held[Symbol.asyncDispose]()
  await app.services.auditChain.chainAll()
  expect(await numbers()).toEqual([{ number: 1 }, { number: 3 }])
  expect(await verify()).toMatchObject({ rows: 2, broken })
  await app.services.auditChain.chainAll()
  expect(app.logLines.filter((line) => line.includes('was changed or forged'))).toHaveLength(1)
})

test('a copy of a chained row stays out of the chain', async () => {
  const held = await holdChain(app)
  await recordUnchained(1)
  await app.dataSource.query('CREATE TABLE kept AS SELECT * FROM unchained_audit_logs')
  await held[Symbol.asyncDispose]()
  await app.services.auditChain.chainAll()
  await app.dataSource.query(
    `INSERT INTO unchained_audit_logs (id, user_id, action, ip_address, user_agent, metadata, created_at, signature)
     SELECT id, user_id, action, ip_address, user_agent, metadata, created_at, signature FROM kept`,
  )
  await app.dataSource.query('DROP TABLE kept')
  await recordRows(app, 1)
  expect(await verify()).toMatchObject({ rows: 2, broken: { sequence: null, problem: 'forged' } })
})

test('the log reports a row that was deleted before it was chained', async () => {
  const held = await holdChain(app)
  const recorded = recordRows(app, 1)
  await expect.poll(verify).toMatchObject({ unchained: { rows: 1 } })
  await tamper('DELETE FROM unchained_audit_logs')
  await held[Symbol.asyncDispose]()
  await recorded
  await expect.poll(() => app.logLines.join()).toContain('an audit row was deleted before it was chained')
})

test('a row that another process chained, or that a savepoint rolled back, is not reported as deleted', async () => {
  await using other = await createApp({ ...app.config, role: 'web' }, { log: createLog('silent') })
  await Promise.all([recordRows(app, 40), recordRows(other, 40)])
  await app.dataSource.transaction(async (db) => {
    const inner = db.transaction(async (inside) => {
      await recordAudit({ ...auditContext(app), db: inside }, 'login', null)
      throw new Error('taken back')
    })
    await expect(inner).rejects.toThrow('taken back')
    await recordAudit({ ...auditContext(app), db }, 'logout', null)
  })
  await app.services.auditChain.chainAll()
  expect(await verify()).toMatchObject({ rows: 81 })
  expect(app.logLines.join()).not.toContain('deleted before')
})

test('changes go on while nothing can be chained, and their rows are listed', async () => {
  const user = await createUser(app)
  const client = app.client(await createTokenFor(app, { user }))
  const listed = async (input: object = {}) =>
    (await client.auth.getAuditLogs.query(input)).map(({ id, metadata }) => ({ id, number: metadata?.['number'] }))
  for (const number of [1, 2]) await recordAudit(auditContext(app), 'login', user.id, { number })
  const held = await holdChain(app)
  for (const number of [3, 4, 5]) await recordAudit(auditContext(app), 'login', user.id, { number })
  const before = await listed()
  expect(before.map(({ number }) => number)).toEqual([5, 4, 3, 2, 1])
  const pages = async () => [
    await listed({ limit: 2 }),
    await listed({ limit: 2, before: before[1]?.id }),
    await listed({ limit: 2, before: before[3]?.id }),
    await listed({ limit: 2, offset: 2 }),
  ]
  const unchainedPages = await pages()
  expect(unchainedPages).toEqual([before.slice(0, 2), before.slice(2, 4), before.slice(4), before.slice(2, 4)])
  await held[Symbol.asyncDispose]()
  await expect.poll(verify).toEqual({ rows: 5, head: expect.anything() })
  expect(await pages()).toEqual(unchainedPages)
})
