import type { DataSource } from 'typeorm'

/** The triggers that reject changes, with their tables. */
export const auditTriggers = [
  { table: 'audit_logs', trigger: 'audit_logs_rows' },
  { table: 'audit_logs', trigger: 'audit_logs_table' },
  { table: 'unchained_audit_logs', trigger: 'unchained_audit_logs_rows' },
  { table: 'unchained_audit_logs', trigger: 'unchained_audit_logs_table' },
  { table: 'unchained_audit_logs', trigger: 'unchained_audit_logs_deletions' },
]

/** Returns whether the triggers that reject changes exist and are enabled. The owner of the tables can disable them. */
export async function isAppendOnly(dataSource: DataSource): Promise<boolean> {
  const [row] = await dataSource.query<{ on: boolean }[]>(
    `SELECT count(*) = $1 AS on
       FROM pg_trigger JOIN json_to_recordset($2) AS wanted ("table" regclass, "trigger" name)
            ON tgrelid = wanted."table" AND tgname = wanted."trigger"
      WHERE tgenabled = 'A'`,
    [auditTriggers.length, JSON.stringify(auditTriggers)],
  )
  return row?.on === true
}
