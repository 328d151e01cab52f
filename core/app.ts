import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import type { DataSource } from 'typeorm'
import { createDataSource } from '../ormconfig.ts'
import { analysisJob } from './analysis/job.ts'
import type { Config } from './config.ts'
import type { Context, Services } from './context.ts'
import { authenticate } from './http/authenticate.ts'
import { canonicalAddress } from './http/client-address.ts'
import { request, type RequestState } from './http/request.ts'
import { rpc } from './http/rpc.ts'
import { startJobs } from './jobs/jobs.ts'
import { createLog, type Logger } from './log.ts'
import { migrate } from './migrate.ts'
import { createRouter, methodNotAllowed } from './routes.ts'
import { cleanUpJob, cleanUpQueue, cleanUpSchedule } from './sessions/clean-up.ts'

/** What tests replace; everything else is real. */
export interface Overrides {
  log?: Logger
  now?: () => Date
}

export interface App extends AsyncDisposable {
  services: Services
  dataSource: DataSource
  server: Server
  /** Binds the address of the configuration; port 0 takes a free one. */
  listen(): Promise<AddressInfo>
}

const drainMs = 10_000

/** Opens the database, takes up background work as the role says, and builds the HTTP server. */
export async function createApp(config: Config, overrides: Overrides = {}): Promise<App> {
  const log = overrides.log ?? createLog(config.logLevel)
  await using opened = new AsyncDisposableStack()

  const dataSource = createDataSource({
    url: config.databaseUrl,
    poolSize: config.databasePoolSize,
    onPoolError: (error) => log.warn({ err: error }, 'a database connection broke'),
  })
  await dataSource.initialize()
  opened.defer(() => dataSource.destroy())
  await migrate(dataSource)

  const jobs = opened.use(await startJobs({ databaseUrl: config.databaseUrl, log }))
  const stopping = new AbortController()
  const services: Services = {
    config,
    log,
    jobs,
    now: overrides.now ?? (() => new Date()),
    stopping: stopping.signal,
  }
  for (const kind of [analysisJob(services, dataSource), cleanUpJob(services, dataSource)]) {
    await (config.role === 'web' ? jobs.declare(kind) : jobs.work(kind))
  }
  await jobs.schedule(cleanUpQueue, cleanUpSchedule)

  const server = createHttpServer(services, dataSource)
  opened.defer(() => closeServer(server))
  opened.defer(() => stopping.abort())

  const stack = opened.move()
  return {
    services,
    dataSource,
    server,
    listen: () => listen(server, config),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

function createHttpServer(services: Services, dataSource: DataSource): Server {
  const createContext = async (koa: Koa.ParameterizedContext<RequestState>): Promise<Context> => {
    const client = {
      ipAddress: canonicalAddress(koa.ip) ?? canonicalAddress(koa.req.socket.remoteAddress ?? '') ?? null,
      userAgent: koa.req.headers['user-agent']?.slice(0, 500) ?? null,
    }
    const open = { ...services, db: dataSource.manager, client }
    const { actor, sessionProblem } = await authenticate(open, koa)
    if (actor?.kind === 'token') koa.state.tokenId = actor.tokenId
    if (actor?.kind === 'user') koa.state.sessionId = actor.sessionId
    return {
      ...open,
      actor,
      sessionProblem,
      requestId: koa.state.requestId,
      signal: koa.state.signal,
    }
  }
  const router = createRouter(createContext)
  const koa = new Koa<RequestState>({ proxy: services.config.trustProxy > 0, maxIpsCount: services.config.trustProxy })
  koa.use(request(services.log))
  koa.use(rpc(createContext))
  koa.use(methodNotAllowed(router))
  koa.use(router.routes())
  koa.on('error', (error: unknown) => services.log.warn({ err: error }, 'an answer could not be sent'))

  const handle = koa.callback()
  const server = createServer(
    // Slow clients: 10 s for the headers, 30 s for the whole request, looked at every 5 s.
    { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 5_000 },
    (req, res) => void handle(req, res),
  )
  return server
}

function listen(server: Server, { port, host }: Config): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve(server.address() as AddressInfo)
    })
  })
}

/** Lets requests under way finish, and cuts off what is still there after ten seconds. */
async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  const cutOff = setTimeout(() => server.closeAllConnections(), drainMs)
  await closed
  clearTimeout(cutOff)
}
