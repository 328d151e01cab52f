import type { DataSource, EntityManager } from 'typeorm'
import { createDataSource, type DatabaseTimeouts } from '../ormconfig.ts'
import type { Logger } from './base/log.ts'
import type { Config } from './config.ts'
import { migrate } from './migrate.ts'
import type { PoolName } from './work.ts'

declare module './base/context.ts' {
  interface Services {
    /** One for each pool. The `db` of a call is one of them. */
    databases: Readonly<Record<PoolName, EntityManager>>
  }
}

/** The connections of one process, in pools that cannot use up each other's connections. */
export type Database = Readonly<Record<PoolName, DataSource>>

const second = 1_000
const minute = 60 * second

/** Decision 15 gives the reasons. */
export const databaseTimeouts: Readonly<Record<PoolName, DatabaseTimeouts>> = {
  access: { statement: 3 * second, lock: 2 * second, idleInTransaction: 10 * second },
  requests: { statement: 5 * second, lock: 4 * second, idleInTransaction: 30 * second },
  scans: { statement: 10 * second, lock: 4 * second, idleInTransaction: 30 * second },
  deliveries: { statement: 30 * second, lock: 10 * second, idleInTransaction: 30 * second },
  jobs: { statement: 10 * minute, lock: minute, idleInTransaction: 10 * minute },
}

/** Opens the pools and brings the schema up to date. */
export async function openDatabase(config: Config, log: Logger, opened: AsyncDisposableStack): Promise<Database> {
  const sizes = poolSizes(config)
  const open = async (name: PoolName) => {
    const dataSource = createDataSource({
      url: config.databaseUrl,
      poolSize: sizes[name],
      timeouts: databaseTimeouts[name],
      onPoolError: (error) => log.warn({ err: error }, 'a database connection broke'),
    })
    await dataSource.initialize()
    opened.defer(() => dataSource.destroy())
    return dataSource
  }
  const requests = await open('requests')
  await migrate(requests)
  const names = ['access', 'scans', 'jobs', 'deliveries'] as const
  const [access, scans, jobs, deliveries] = await Promise.all(names.map(open))
  if (!access || !scans || !jobs || !deliveries) throw new Error('A pool is missing.')
  return { requests, access, scans, jobs, deliveries }
}

/** Connections outside the pools: the job queue and the dispatcher each listen for notifications on one. */
const listeners = 2
/** Outside the pools: chains the rows of the audit log. */
const auditChains = 1
const maxQueueConnections = 4

type Role = Config['role']

/** The weight of each pool. Requests get what the others leave. */
const weights: Record<Exclude<PoolName, 'requests'>, Record<Role, number>> = {
  access: { all: 2, web: 3, worker: 1 },
  scans: { all: 2, web: 3, worker: 1 },
  deliveries: { all: 3, web: 1, worker: 4 },
  jobs: { all: 3, web: 3, worker: 8 },
}
const totalWeight = 16

/**
 * Divides `DATABASE_POOL_SIZE` among the pools, the job queue (`queue`), two listeners and the audit chain. Each pool has at least one
 * connection, and `jobs` two, because uploads may hold one of them for long.
 */
export function poolSizes({
  databasePoolSize,
  role,
}: Pick<Config, 'databasePoolSize' | 'role'>): Record<PoolName | 'queue', number> {
  const queue = Math.min(maxQueueConnections, Math.max(1, Math.floor(databasePoolSize / 10)))
  const rest = databasePoolSize - listeners - queue
  const share = (name: keyof typeof weights) => Math.max(1, Math.floor((rest * weights[name][role]) / totalWeight))
  const shares = { access: share('access'), scans: share('scans'), deliveries: share('deliveries') }
  const left = rest - auditChains - shares.access - shares.scans - shares.deliveries
  const jobs = Math.max(2, Math.min(share('jobs'), left - 1))
  return { ...shares, jobs, requests: Math.max(1, left - jobs), queue }
}
