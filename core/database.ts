import type { DataSource } from 'typeorm'
import { createDataSource } from '../ormconfig.ts'
import type { Logger } from './base/log.ts'
import type { Config } from './config.ts'
import { migrate } from './migrate.ts'

/** The connections of one process in two pools, so that a flood of requests cannot stop background work. */
export interface Database {
  requests: DataSource
  /** For jobs, deliveries in both directions, and system checks. */
  background: DataSource
}

/** Opens both pools and brings the schema up to date. */
export async function openDatabase(config: Config, log: Logger, opened: AsyncDisposableStack): Promise<Database> {
  const sizes = poolSizes(config)
  const open = async (poolSize: number) => {
    const dataSource = createDataSource({
      url: config.databaseUrl,
      poolSize,
      onPoolError: (error) => log.warn({ err: error }, 'a database connection broke'),
    })
    await dataSource.initialize()
    opened.defer(() => dataSource.destroy())
    return dataSource
  }
  const requests = await open(sizes.requests)
  await migrate(requests)
  return { requests, background: await open(sizes.background) }
}

/** Divides `DATABASE_POOL_SIZE`; each pool gets at least one connection. */
export function poolSizes({ databasePoolSize, role }: Pick<Config, 'databasePoolSize' | 'role'>) {
  const shareOfBackground = { web: 0.2, all: 0.4, worker: 0.8 }[role]
  const background = Math.max(1, Math.round(databasePoolSize * shareOfBackground))
  return { background, requests: Math.max(1, databasePoolSize - background) }
}
