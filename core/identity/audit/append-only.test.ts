import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { isAppendOnly } from './append-only.ts'
import { recordAudit } from './record.ts'
import { auditContext, idleChain, recordRows } from './testing.ts'
import { verifyAuditLog } from './verify.ts'

let app: TestApp
beforeAll(async () => {
  app = await createTestApp()
  await recordRows(app, 2)
})
afterAll(() => app[Symbol.asyncDispose]())

test.each([
  `UPDATE audit_logs SET action = 'login'`,
  `UPDATE audit_logs SET user_id = NULL WHERE sequence = 1`,
  'DELETE FROM audit_logs WHERE sequence = 2',
  'TRUNCATE audit_logs',
  'TRUNCATE audit_logs CASCADE',
  `MERGE INTO audit_logs a USING (SELECT 1 AS sequence) b ON a.sequence = b.sequence WHEN MATCHED THEN DELETE`,
  `INSERT INTO audit_logs SELECT * FROM audit_logs ON CONFLICT (sequence) DO UPDATE SET action = 'logout'`,
])('the log accepts only new rows at its end: %s', async (statement) => {
  await expect(app.dataSource.query(statement)).rejects.toThrow('audit_logs is append-only')
  const asReplica = app.dataSource.transaction(async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica')
    await tx.query(statement)
  })
  await expect(asReplica).rejects.toThrow('audit_logs is append-only')
  expect(await verifyAuditLog(app.dataSource, app.config.secretKey)).toMatchObject({ rows: 2, head: { sequence: '2' } })
})

test.each([
  `UPDATE unchained_audit_logs SET action = 'login'`,
  'DELETE FROM unchained_audit_logs',
  'TRUNCATE unchained_audit_logs',
])('rows that are not chained yet reject changes: %s', async (statement) => {
  const services = { ...app.services, auditChain: idleChain }
  await app.dataSource.transaction(async (db) => {
    await recordAudit({ ...auditContext({ services, dataSource: app.dataSource }), db }, 'login', null)
    await db.query('SAVEPOINT before')
    for (const role of ['origin', 'replica']) {
      await db.query(`SET LOCAL session_replication_role = ${role}`)
      await expect(db.query(statement)).rejects.toThrow('accepts only new rows, and deletes only chained rows')
      await db.query('ROLLBACK TO SAVEPOINT before')
    }
  })
  await app.services.auditChain.chainAll()
  expect((await verifyAuditLog(app.dataSource, app.config.secretKey)).broken).toBeUndefined()
})

test('detects disabled, replaced and dropped triggers', async () => {
  expect(await isAppendOnly(app.dataSource)).toBe(true)
  for (const change of ['DISABLE TRIGGER USER', 'ENABLE TRIGGER USER', 'ENABLE REPLICA TRIGGER audit_logs_rows']) {
    await app.dataSource.query(`ALTER TABLE audit_logs ${change}`)
    expect(await isAppendOnly(app.dataSource)).toBe(false)
  }
  await app.dataSource.query('ALTER TABLE audit_logs ENABLE ALWAYS TRIGGER audit_logs_rows')
  await app.dataSource.query('ALTER TABLE audit_logs ENABLE ALWAYS TRIGGER audit_logs_table')
  expect(await isAppendOnly(app.dataSource)).toBe(true)
  await app.dataSource.query('ALTER TABLE unchained_audit_logs DISABLE TRIGGER unchained_audit_logs_deletions')
  expect(await isAppendOnly(app.dataSource)).toBe(false)
  await app.dataSource.query('ALTER TABLE unchained_audit_logs ENABLE ALWAYS TRIGGER unchained_audit_logs_deletions')
  expect(await isAppendOnly(app.dataSource)).toBe(true)
  await app.dataSource.query('DROP TRIGGER audit_logs_table ON audit_logs')
  expect(await isAppendOnly(app.dataSource)).toBe(false)
})
