import type { DataSource } from 'typeorm'

/** Says "assay is migrating" to every process on the same database; the number means nothing else. */
const migrationLock = 0x6d696772

/** Brings the schema up to date. Of several processes that start at once, one does it and the others wait. */
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
