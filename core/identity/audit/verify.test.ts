import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { auditHash } from './chain.ts'
import { emptyAuditLog, recordRows } from './testing.ts'
import { verifyAuditLog } from './verify.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp()))
beforeEach(() => emptyAuditLog(app))
afterAll(() => app[Symbol.asyncDispose]())

const verify = (secretKey = app.config.secretKey) => verifyAuditLog(app.dataSource, secretKey)

/** Changes rows as only the owner of the table can, who can bypass the triggers. */
async function tamper(...statements: string[]) {
  await app.dataSource.transaction(async (tx) => {
    await tx.query('ALTER TABLE audit_logs DISABLE TRIGGER USER')
    for (const statement of statements) await tx.query(statement)
  })
}

const forgedRow = (sequence: number) => `
  INSERT INTO audit_logs (sequence, id, user_id, action, ip_address, user_agent, metadata, created_at, hash)
  SELECT ${sequence}, 'forged', user_id, 'logout', ip_address, user_agent, metadata, created_at, hash
    FROM audit_logs WHERE id <> 'forged' ORDER BY sequence LIMIT 1`

test('an empty log and an unchanged log are intact', async () => {
  expect(await verify()).toEqual({ rows: 0, head: null })
  await recordRows(app, 3)
  expect(await verify()).toEqual({ rows: 3, head: { sequence: '3', hash: expect.stringMatching(/^[\w-]{43}$/) } })
})

test('a log longer than one batch is verified completely', async () => {
  await recordRows(app, 1)
  const [last] = await app.dataSource.query<{ hash: string }[]>('SELECT hash FROM audit_logs')
  let hash = last?.hash ?? ''
  const rows = Array.from({ length: 2_500 }, (_, index) => {
    const row = { id: `row ${index}`, userId: null, ipAddress: null, userAgent: null, metadata: null }
    const made = { ...row, sequence: String(index + 2), action: 'login' as const, createdAt: new Date(index) }
    hash = auditHash(app.config.secretKey, hash, made)
    return { sequence: made.sequence, id: made.id, created_at: made.createdAt, hash }
  })
  await app.dataSource.query(
    `INSERT INTO audit_logs (sequence, id, action, created_at, hash)
     SELECT sequence, id, 'login', created_at, hash
       FROM json_to_recordset($1) AS row (sequence bigint, id text, created_at timestamptz, hash text)`,
    [JSON.stringify(rows)],
  )
  expect(await verify()).toEqual({ rows: 2_501, head: { sequence: '2501', hash } })
  await tamper(`UPDATE audit_logs SET user_id = 'me' WHERE sequence = 2000`)
  expect(await verify()).toMatchObject({ rows: 1_999, broken: { sequence: '2000', problem: 'changed' } })
})

test.each([
  `action = 'logout'`,
  `user_id = NULL`,
  `user_id = 'somebody else'`,
  `ip_address = '192.0.2.8'`,
  `user_agent = NULL`,
  `metadata = '{"number": 4}'`,
  `metadata = '{"number": "3"}'`,
  `metadata = NULL`,
  `created_at = created_at + interval '1 ms'`,
  `id = 'another'`,
])('detects a row in which %s was set', async (change) => {
  await recordRows(app, 5)
  await tamper(`UPDATE audit_logs SET ${change} WHERE sequence = 3`)
  expect(await verify()).toMatchObject({
    rows: 2,
    head: { sequence: '2' },
    broken: { sequence: '3', problem: 'changed' },
  })
})

test('swapped metadata of two rows is detected at the first row', async () => {
  await recordRows(app, 5)
  await tamper(
    `UPDATE audit_logs a SET metadata = b.metadata FROM audit_logs b
      WHERE (a.sequence, b.sequence) IN ((2, 4), (4, 2))`,
  )
  expect(await verify()).toMatchObject({ rows: 1, broken: { sequence: '2', problem: 'changed' } })
})

test('two swapped rows are detected at the first row', async () => {
  await recordRows(app, 5)
  await tamper(
    'UPDATE audit_logs SET sequence = -sequence WHERE sequence IN (2, 3)',
    'UPDATE audit_logs SET sequence = 5 + sequence WHERE sequence < 0',
  )
  expect(await verify()).toMatchObject({ rows: 1, broken: { sequence: '2', problem: 'inserted' } })
})

test('a row deleted in the middle or at the beginning is reported as missing', async () => {
  await recordRows(app, 5)
  await tamper('DELETE FROM audit_logs WHERE sequence = 3')
  expect(await verify()).toMatchObject({ rows: 2, broken: { sequence: '3', id: null, problem: 'missing' } })
  await tamper('DELETE FROM audit_logs WHERE sequence = 1')
  expect(await verify()).toEqual({ rows: 0, head: null, broken: { sequence: '1', id: null, problem: 'missing' } })
})

test('a row from an earlier log is detected in another log', async () => {
  await recordRows(app, 3)
  await tamper(
    'CREATE TABLE kept AS SELECT * FROM audit_logs WHERE sequence = 3',
    'DELETE FROM audit_logs WHERE sequence > 1',
  )
  await recordRows(app, 1)
  await tamper('INSERT INTO audit_logs SELECT * FROM kept', 'DROP TABLE kept')
  expect(await verify()).toMatchObject({ rows: 2, broken: { sequence: '3', problem: 'unproven' } })
})

test('renumbering the rows after a deleted one does not hide it', async () => {
  await recordRows(app, 5)
  await tamper(
    'DELETE FROM audit_logs WHERE sequence = 3',
    'UPDATE audit_logs SET sequence = sequence - 1 WHERE sequence = 4',
    'UPDATE audit_logs SET sequence = sequence - 1 WHERE sequence = 5',
  )
  expect(await verify()).toMatchObject({ rows: 2, broken: { sequence: '3', problem: 'unproven' } })
})

test('a forged row in the middle, with the others renumbered, is reported as inserted', async () => {
  await recordRows(app, 4)
  await tamper(
    'UPDATE audit_logs SET sequence = -sequence WHERE sequence >= 3',
    'UPDATE audit_logs SET sequence = 1 - sequence WHERE sequence < 0',
    forgedRow(3),
  )
  expect(await verify()).toMatchObject({ rows: 2, broken: { sequence: '3', id: 'forged', problem: 'inserted' } })
})

test('a forged row at the end, before the first row, or with a used number is detected', async () => {
  await recordRows(app, 4)
  await app.dataSource.query(forgedRow(5))
  expect(await verify()).toMatchObject({ rows: 4, broken: { sequence: '5', id: 'forged', problem: 'unproven' } })
  await tamper('DELETE FROM audit_logs WHERE sequence = 5', forgedRow(0))
  expect(await verify()).toMatchObject({ rows: 0, broken: { sequence: '0', id: 'forged', problem: 'inserted' } })
  await tamper(
    'DELETE FROM audit_logs WHERE sequence = 0',
    'ALTER TABLE audit_logs DROP CONSTRAINT audit_logs_pkey',
    forgedRow(2),
  )
  expect(await verify()).toMatchObject({ broken: { sequence: '2' } })
  await tamper(
    "DELETE FROM audit_logs WHERE id = 'forged'",
    'ALTER TABLE audit_logs ADD CONSTRAINT audit_logs_pkey PRIMARY KEY (sequence)',
  )
  expect(await verify()).toMatchObject({ rows: 4, head: { sequence: '4' } })
})

test('verification fails with another key', async () => {
  await recordRows(app, 3)
  expect(await verify('another key that is long enough to be one')).toMatchObject({
    rows: 0,
    broken: { sequence: '1', problem: 'unproven' },
  })
})

test('rows deleted at the end, which leave an intact chain, are detected with a known head', async () => {
  await recordRows(app, 5)
  const { head } = await verify()
  if (!head) throw new Error('there are rows')
  await tamper('DELETE FROM audit_logs WHERE sequence > 3')
  expect(await verify()).toMatchObject({ rows: 3, head: { sequence: '3' } })
  expect((await verify()).broken).toBeUndefined()
  const known = () => verifyAuditLog(app.dataSource, app.config.secretKey, head)
  expect(await known()).toMatchObject({ rows: 3, broken: { sequence: '4', id: null, problem: 'cut off' } })

  // More rows were written after the deletion: the chain is intact, but differs from the known one.
  await recordRows(app, 4)
  expect((await verify()).rows).toBe(7)
  expect(await known()).toMatchObject({ rows: 4, broken: { sequence: '5', problem: 'rewritten' } })
})

test('a known head that is in the log passes, also with later rows', async () => {
  await recordRows(app, 2)
  const { head } = await verify()
  await recordRows(app, 2)
  expect(await verifyAuditLog(app.dataSource, app.config.secretKey, head ?? undefined)).toMatchObject({ rows: 4 })
  await tamper('TRUNCATE audit_logs')
  expect(await verifyAuditLog(app.dataSource, app.config.secretKey, head ?? undefined)).toMatchObject({
    rows: 0,
    broken: { sequence: '1', problem: 'cut off' },
  })
})
