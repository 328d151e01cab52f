import type { App } from '../../app.ts'
import { type AuditContext, recordAudit } from './record.ts'

/** Returns the context that an operation of this application records with. */
export function auditContext({ services, dataSource }: Pick<App, 'services' | 'dataSource'>): AuditContext {
  return { ...services, db: dataSource.manager, client: { ipAddress: '192.0.2.7', userAgent: 'A browser' } }
}

/** Records `count` rows, numbered in their metadata. */
export async function recordRows(app: Pick<App, 'services' | 'dataSource'>, count: number): Promise<void> {
  for (let number = 1; number <= count; number++) await recordAudit(auditContext(app), 'login', 'somebody', { number })
}

/** Empties the log and makes it append-only again. */
export async function emptyAuditLog({ dataSource }: Pick<App, 'dataSource'>): Promise<void> {
  await dataSource.query('ALTER TABLE audit_logs DISABLE TRIGGER USER')
  await dataSource.query('TRUNCATE audit_logs')
  for (const trigger of ['audit_logs_rows', 'audit_logs_table']) {
    await dataSource.query(`ALTER TABLE audit_logs ENABLE ALWAYS TRIGGER ${trigger}`)
  }
}
