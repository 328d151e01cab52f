import { join } from 'node:path'
import type { DataSource } from 'typeorm'
import { type Config, readConfig } from '../core/config.ts'
import { createDataSource } from '../ormconfig.ts'
import { exitWith } from './launch-error.ts'
import { PostgresError, startPostgres } from './postgres.ts'

/** Runs `work` with the configuration of the environment; local mode's database is started for as long as it takes. */
export async function withConfig(work: (config: Config) => Promise<void>): Promise<void> {
  const { config, problems } = readConfig({ EMBEDDED_DATABASE_URL: 'postgres://embedded', ...process.env })
  if (!config) exitWith(problems)
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
    throw error
  }
}

/** As `withConfig`, with a connection and nothing else. */
export function withDatabase(work: (dataSource: DataSource) => Promise<void>): Promise<void> {
  return withConfig(async ({ databaseUrl }) => {
    const dataSource = createDataSource({
      url: databaseUrl,
      poolSize: 2,
      onPoolError: (error) => exitWith([`the connection to the database broke: ${String(error)}`]),
    })
    await dataSource.initialize()
    try {
      await work(dataSource)
    } finally {
      await dataSource.destroy()
    }
  })
}
