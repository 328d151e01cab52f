import type { DataSource } from 'typeorm'

/** Returns whether the triggers that reject changes exist and are enabled. The owner of the table can disable them. */
export async function isAppendOnly(dataSource: DataSource): Promise<boolean> {
  const [row] = await dataSource.query<{ on: boolean }[]>(
    `SELECT count(*) = 2 AS on FROM pg_trigger
      WHERE tgrelid = 'audit_logs'::regclass AND tgname IN ('audit_logs_rows', 'audit_logs_table') AND tgenabled = 'A'`,
  )
  return row?.on === true
}
