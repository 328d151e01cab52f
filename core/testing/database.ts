import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { templateDatabase } from './config.ts'

export interface TestDatabase extends AsyncDisposable {
  url: string
}

let cluster: pg.Pool | undefined

/** Creates a migrated, empty database, which is dropped on disposal. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const clusterUrl = inject('postgresUrl')
  cluster ??= new pg.Pool({ connectionString: clusterUrl, max: 2, allowExitOnIdle: true })
  const name = `test_${randomBytes(6).toString('hex')}`
  await cluster.query(`CREATE DATABASE ${name} TEMPLATE ${templateDatabase} STRATEGY file_copy`)
  return {
    url: Object.assign(new URL(clusterUrl), { pathname: `/${name}` }).toString(),
    [Symbol.asyncDispose]: async () => void (await cluster?.query(`DROP DATABASE ${name} WITH (FORCE)`)),
  }
}
