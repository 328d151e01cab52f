import type { DataSource } from 'typeorm'

/** The advisory lock that serializes migrations: "migr" in ASCII. */
const migrationLock = 0x6d696772

/** Brings the schema up to date. If several processes start at once, one migrates and the others wait. */
export async function migrate(dataSource: DataSource): Promise<void> {
  const lock = dataSource.createQueryRunner()
  try {
    await lock.query('SELECT pg_advisory_lock($1)', [migrationLock])
    await dataSource.runMigrations()
  } finally {
    await lock.query('SELECT pg_advisory_unlock($1)', [migrationLock])
    await lock.release()
  }
}
