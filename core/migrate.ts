import { type DataSource, MigrationExecutor } from 'typeorm'

/** The advisory lock that serializes migrations: "migr" in ASCII. */
const migrationLock = 0x6d696772

const timeouts = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']

/**
 * Brings the schema up to date. If several processes start at once, one migrates and the others wait. The timeouts of the
 * pool do not apply, because a migration takes as long as the tables are large.
 */
export async function migrate(dataSource: DataSource): Promise<void> {
  const runner = dataSource.createQueryRunner()
  try {
    await runner.query(timeouts.map((name) => `SET ${name} = 0`).join('; '))
    await runner.query('SELECT pg_advisory_lock($1)', [migrationLock])
    const executor = new MigrationExecutor(dataSource, runner)
    executor.transaction = 'each'
    await executor.executePendingMigrations()
  } finally {
    await runner.query('SELECT pg_advisory_unlock($1)', [migrationLock])
    await runner.query(timeouts.map((name) => `RESET ${name}`).join('; '))
    await runner.release()
  }
}
