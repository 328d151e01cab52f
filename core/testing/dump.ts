import type { App } from '../app.ts'

/** Returns every row of every table, including the queue's, as text, for tests that search for leaks. */
export async function dumpDatabase({ dataSource }: Pick<App, 'dataSource'>): Promise<string> {
  const tables = await dataSource.query<{ name: string }[]>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname IN ('public', 'pgboss')`,
  )
  const rows = await Promise.all(
    tables.map(({ name }) => dataSource.query<{ row: string }[]>(`SELECT t::text AS row FROM ${name} t`)),
  )
  return rows
    .flat()
    .map(({ row }) => row)
    .join('\n')
}
