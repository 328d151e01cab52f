import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { DataSource } from 'typeorm'
import { startBackgroundWork } from './background-work.ts'
import type { Services } from './base/context.ts'
import { openEngines } from './base/engines.ts'
import { createLog, type Logger } from './base/log.ts'
import { createTurns } from './base/turns.ts'
import { createCodeCaches } from './code/caches.ts'
import type { Config } from './config.ts'
import { openDatabase, poolSizes } from './database.ts'
import { openStorage } from './files/storage/open-storage.ts'
import { createAuditChain } from './identity/audit/chainer.ts'
import { createLimits } from './identity/limits/limits.ts'
import { createCounterStore } from './identity/limits/store.ts'
import { createCredentials } from './identity/access/credentials.ts'
import { createGuessedTokens } from './identity/tokens/guessed-tokens.ts'
import { createIntake } from './inbound/intake.ts'
import { watchChanges } from './jobs/changes.ts'
import { startJobs } from './jobs/jobs.ts'
import { createRequestHandler } from './request-handler.ts'
import { createServers } from './servers.ts'
import { createSystemChecks } from './system/checks.ts'
import { lanesOf } from './work.ts'

/** What tests replace; everything else is real. */
export interface Overrides {
  log?: Logger
  now?: () => Date
}

export interface App extends AsyncDisposable {
  services: Services
  /** The connections for ordinary requests. */
  dataSource: DataSource
  server: Server
  /** Binds the address of the configuration; port 0 chooses a free port. */
  listen(): Promise<AddressInfo>
}

/** Opens the database, starts the background work of the role, and builds the HTTP server. */
export async function createApp(config: Config, overrides: Overrides = {}): Promise<App> {
  const log = overrides.log ?? createLog(config.logLevel)
  await using opened = new AsyncDisposableStack()

  const sizes = poolSizes(config)
  const startingJobs = startJobs({ databaseUrl: config.databaseUrl, poolSize: sizes.queue, log })
  const database = await openDatabase(config, log, opened).catch(async (error: unknown) => {
    await startingJobs.then((started) => started.stop()).catch(() => undefined)
    throw error
  })
  const auditChain = opened.use(createAuditChain({ config, log }))
  const jobs = opened.use(await startingJobs)
  const counters = createCounterStore(database.access, log)
  const storage = opened.use(await openStorage(config.storage))
  const stopping = new AbortController()
  const now = overrides.now ?? (() => new Date())
  const services: Services = {
    config,
    log,
    databases: {
      access: database.access.manager,
      requests: database.requests.manager,
      scans: database.scans.manager,
      deliveries: database.deliveries.manager,
      jobs: database.jobs.manager,
    },
    turns: createTurns(lanesOf(sizes)),
    changes: opened.use(watchChanges(database.access.manager, log)),
    jobs,
    limits: createLimits(counters),
    storage,
    engines: opened.use(openEngines(config)),
    code: createCodeCaches(now),
    checks: createSystemChecks({ config, log, db: database.deliveries.manager, storage }),
    credentials: createCredentials(database.access.manager),
    intake: createIntake(
      { access: database.access.manager, deliveries: database.deliveries.manager },
      { config, jobs, now },
    ),
    auditChain,
    guessedTokens: opened.use(createGuessedTokens(database.deliveries, { config, log, now, auditChain })),
    now,
    stopping: stopping.signal,
  }
  await startBackgroundWork(services, database, opened)
  const handler = createRequestHandler(services, database, counters)
  const servers = createServers(handler, { config, log }, opened)
  opened.defer(() => stopping.abort())

  const stack = opened.move()
  return { services, dataSource: database.requests, ...servers, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}
