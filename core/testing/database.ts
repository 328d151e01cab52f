import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { templateDatabase } from './global-setup.ts'

export interface TestDatabase extends AsyncDisposable {
  url: string
}

/** A migrated, empty database of one's own; it is dropped when the test is over. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const clusterUrl = inject('postgresUrl')
  const name = `test_${randomBytes(6).toString('hex')}`
  await execute(clusterUrl, `CREATE DATABASE ${name} TEMPLATE ${templateDatabase} STRATEGY file_copy`)
  return {
    url: Object.assign(new URL(clusterUrl), { pathname: `/${name}` }).toString(),
    [Symbol.asyncDispose]: () => execute(clusterUrl, `DROP DATABASE ${name} WITH (FORCE)`),
  }
}

async function execute(connectionString: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
