import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { PgBoss } from 'pg-boss'
import type { TestProject } from 'vitest/node'
import { startPostgres } from '../../local/postgres.ts'
import { createDataSource } from '../../ormconfig.ts'
import { migrate } from '../migrate.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The cluster's own database; `template` in the same cluster is what test databases are copied from. */
    postgresUrl: string
  }
}

export const templateDatabase = 'template_assay'

/** One throw-away cluster for the whole run, with a migrated database to copy from. */
export default async function setup(project: TestProject) {
  const directory = await mkdtemp(join(tmpdir(), 'assay-test-'))
  // Run by root, Postgres gets a user of its own, who must be able to go there.
  await chmod(directory, 0o755)
  const postgres = await startPostgres({
    directory: join(directory, 'postgres'),
    logFile: join(directory, 'postgres.log'),
    durable: false,
  })
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  await client.query(`CREATE DATABASE ${templateDatabase}`)
  await client.end()

  const url = Object.assign(new URL(postgres.url), { pathname: `/${templateDatabase}` }).toString()
  const dataSource = createDataSource({ url, poolSize: 2, onPoolError: () => {} })
  await dataSource.initialize()
  await migrate(dataSource)
  await dataSource.destroy()
  const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false })
  await boss.start()
  await boss.stop({ graceful: false })

  project.provide('postgresUrl', postgres.url)
  return async () => {
    await postgres.stop()
    await rm(directory, { recursive: true, force: true })
  }
}
