import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { pino } from 'pino'
import type { TestProject } from 'vitest/node'
import { startPostgres } from '../../local/postgres.ts'
import { createApp } from '../app.ts'
import { templateDatabase, testConfig } from './config.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The cluster's own database; `templateDatabase` in the same cluster is what test databases are copied from. */
    postgresUrl: string
  }
}

/** One throw-away cluster for the whole run, with a migrated database and its queues to copy from. */
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

  const databaseUrl = Object.assign(new URL(postgres.url), { pathname: `/${templateDatabase}` }).toString()
  const config = testConfig({ databaseUrl, dataDir: join(directory, 'data') })
  const app = await createApp({ ...config, role: 'web' }, { log: pino({ level: 'silent' }) })
  await app[Symbol.asyncDispose]()

  project.provide('postgresUrl', postgres.url)
  return async () => {
    await postgres.stop()
    await rm(directory, { recursive: true, force: true })
  }
}
