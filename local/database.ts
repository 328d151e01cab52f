import { join } from 'node:path'
import type { DataSource } from 'typeorm'
import { type Config, readConfig } from '../core/config.ts'
import { describeDatabaseFailure } from '../core/base/process.ts'
import { createDataSource } from '../ormconfig.ts'
import { exitWith } from './launch-error.ts'
import { findRunningPostgres, startPostgres } from './postgres.ts'
import { PostgresError } from './postgres-server.ts'

/** Runs `work` with the configuration of the environment. Starts the database of local mode for that time. */
export function withConfig(work: (config: Config) => Promise<void>): Promise<void> {
  return withDatabaseOf(readSettings(), work)
}

/** Runs `work` with a connection to the database. */
export function withDatabase(work: (dataSource: DataSource) => Promise<void>): Promise<void> {
  return withConfig((config) => connect(config, work))
}

/** Runs `work` with a connection, also while Assay runs in local mode, where it uses the running database. */
export async function withRunningDatabase(
  work: (dataSource: DataSource, config: Config) => Promise<void>,
): Promise<void> {
  const config = readSettings()
  const databaseUrl = config.embeddedDatabase
    ? await findRunningPostgres(join(config.dataDir, 'postgres'))
    : config.databaseUrl
  if (databaseUrl !== undefined) return connect({ ...config, databaseUrl }, work)
  return withDatabaseOf(config, (started) => connect(started, work))
}

function readSettings(): Config {
  const { config, problems } = readConfig({ EMBEDDED_DATABASE_URL: 'postgres://embedded', ...process.env })
  return config ?? exitWith(problems)
}

async function withDatabaseOf(config: Config, work: (config: Config) => Promise<void>): Promise<void> {
  try {
    await using postgres = config.embeddedDatabase
      ? await startPostgres({
          directory: join(config.dataDir, 'postgres'),
          logFile: join(config.dataDir, 'logs', 'postgres.log'),
        })
      : undefined
    await work(postgres ? { ...config, databaseUrl: postgres.url } : config)
  } catch (error) {
    if (error instanceof PostgresError) exitWith([error.message])
    const problem = describeDatabaseFailure(error, config)
    if (problem) exitWith([problem])
    throw error
  }
}

async function connect(config: Config, work: (dataSource: DataSource, config: Config) => Promise<void>): Promise<void> {
  let isDone = false
  const dataSource = createDataSource({
    url: config.databaseUrl,
    poolSize: 2,
    // A pool counts as closed before its connections are: the database of local mode, which stops then, still ends them.
    onPoolError: (error) => isDone || exitWith([`lost the connection to the database: ${String(error)}`]),
  })
  try {
    await dataSource.initialize()
  } catch (error) {
    exitWith([describeDatabaseFailure(error, config) ?? String(error)])
  }
  try {
    await work(dataSource, config)
  } finally {
    isDone = true
    await dataSource.destroy()
  }
}
