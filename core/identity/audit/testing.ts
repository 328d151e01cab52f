import pg from 'pg'
import type { App } from '../../app.ts'
import type { TestApp } from '../../testing/app.ts'
import { auditTriggers } from './append-only.ts'
import { chainLock } from './chain-batch.ts'
import type { AuditChain } from './chainer.ts'
import { type AuditContext, recordAudit } from './record.ts'

/** Returns the context that an operation of this application records with. */
export function auditContext({ services, dataSource }: Pick<App, 'services' | 'dataSource'>): AuditContext {
  return { ...services, db: dataSource.manager, client: { ipAddress: '192.0.2.7', userAgent: 'A browser' } }
}

/** Chains nothing, like a process that stopped after the commit. */
export const idleChain: AuditChain = {
  include: async () => {},
  chainAll: async () => {},
  [Symbol.asyncDispose]: async () => {},
}

/** Records `count` rows, numbered in their metadata. */
export async function recordRows(app: Pick<App, 'services' | 'dataSource'>, count: number): Promise<void> {
  for (let number = 1; number <= count; number++) await recordAudit(auditContext(app), 'login', 'somebody', { number })
}

/** Empties the log and makes it append-only again. */
export async function emptyAuditLog({ dataSource }: Pick<App, 'dataSource'>): Promise<void> {
  for (const table of ['audit_logs', 'unchained_audit_logs']) {
    await dataSource.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`)
    await dataSource.query(`TRUNCATE ${table}`)
  }
  for (const { table, trigger } of auditTriggers) {
    await dataSource.query(`ALTER TABLE ${table} ENABLE ALWAYS TRIGGER ${trigger}`)
  }
}

/** Keeps every process from chaining until it is disposed. */
export async function holdChain({ config }: Pick<TestApp, 'config'>): Promise<AsyncDisposable> {
  const holder = new pg.Client({ connectionString: config.databaseUrl })
  await holder.connect()
  await holder.query('SELECT pg_advisory_lock($1)', [chainLock])
  return { [Symbol.asyncDispose]: () => holder.end() }
}
