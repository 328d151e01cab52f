import type { RequestListener, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import type { DataSource } from 'typeorm'
import { analysisJob } from './analysis/job.ts'
import { applyBillingEvent } from './billing/apply-event.ts'
import { BillingFacts } from './billing/schema.ts'
import { commitStatusJob } from './projects/commit-status.ts'
import type { Config } from './config.ts'
import type { Services } from './base/context.ts'
import { deleteFilesJob, deleteFilesQueue, deleteFilesSchedule } from './files/clean-up.ts'
import { openStorage } from './files/storage/open-storage.ts'
import { authenticate } from './identity/access/authenticate.ts'
import { createAdmission } from './http/admission.ts'
import { readAhead } from './http/body.ts'
import { clientAddress } from './http/client-address.ts'
import { crossOrigin } from './http/cors.ts'
import { ownHostOnly } from './http/host.ts'
import { countUncounted } from './identity/access/count-uncounted.ts'
import { createRequestLimit } from './identity/access/rate-limit.ts'
import { request, type RequestState } from './http/request.ts'
import { rpc } from './http/rpc.ts'
import { createLimitedServer, serverLimits } from './http/server.ts'
import { plainTargetOnly } from './http/target.ts'
import { createIntake } from './inbound/intake.ts'
import { inboundJob } from './inbound/process.ts'
import { type JobKind, startJobs } from './jobs/jobs.ts'
import { createLimits } from './identity/limits/limits.ts'
import { type CounterStore, createCounterStore } from './identity/limits/store.ts'
import { createLog, type Logger } from './base/log.ts'
import { measureQueue, poolOf } from './base/pool.ts'
import { mailJob } from './identity/mail/job.ts'
import { isInvited } from './identity/organizations/accept-invitations.ts'
import { openDatabase, poolSizes } from './database.ts'
import { appRouter } from './router.ts'
import { createRouter, methodNotAllowed } from './routes.ts'
import type { AnonymousContext, CreateContext } from './http/route.ts'
import { cleanUpJob, cleanUpQueue, cleanUpSchedule } from './system/clean-up.ts'
import { clearSessionCookie } from './identity/sessions/cookie.ts'
import { createGuessedTokens } from './identity/tokens/guessed-tokens.ts'
import { withoutLateToken } from './identity/sessions/late-token.ts'
import { createSystemChecks } from './system/checks.ts'
import { executorFinder } from './workspaces/find-executor.ts'
import { runJob } from './test-runs/job.ts'
import { sweepRuns } from './test-runs/run/sweep.ts'
import { sweepVerifications } from './verifications/work/directories.ts'
import { verificationJob } from './verifications/work/job.ts'
import { startDispatcher } from './webhooks/dispatch/dispatcher.ts'

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

/** A burst of connections waits for an answer, such as 503. With Node's own 511 the kernel would reset some of them. */
const backlog = 3_500

/** Opens the database, takes up background work as the role says, and builds the HTTP server. */
export async function createApp(config: Config, overrides: Overrides = {}): Promise<App> {
  const log = overrides.log ?? createLog(config.logLevel)
  await using opened = new AsyncDisposableStack()

  const { requests: dataSource, background } = await openDatabase(config, log, opened)
  const jobs = opened.use(await startJobs({ databaseUrl: config.databaseUrl, log }))
  const counters = createCounterStore(dataSource, log)
  const storage = opened.use(await openStorage(config.storage))
  const stopping = new AbortController()
  const now = overrides.now ?? (() => new Date())
  const services: Services = {
    config,
    log,
    jobs,
    limits: createLimits(counters),
    storage,
    checks: createSystemChecks({ config, log, db: background.manager, storage }),
    intake: createIntake(background, { config, jobs, now }),
    guessedTokens: opened.use(createGuessedTokens(background, { config, log, now })),
    now,
    stopping: stopping.signal,
  }
  const takeUp = <Payload extends object>(kind: JobKind<Payload>) =>
    config.role === 'web' ? jobs.declare(kind) : jobs.work(kind)
  await takeUp(analysisJob(services, background))
  await takeUp(cleanUpJob(services, background))
  await takeUp(mailJob(services, background, isInvited))
  await takeUp(inboundJob(services, background, (tx, facts) => applyBillingEvent(tx, BillingFacts.parse(facts))))
  await takeUp(commitStatusJob(services, background))
  await takeUp(deleteFilesJob(services, background))
  if (config.role !== 'web') await sweepRuns({ config, log, db: background.manager })
  const findExecutor = executorFinder(config, log)
  await takeUp(runJob(services, background, findExecutor))
  if (config.role !== 'web') await sweepVerifications({ config, log, db: background.manager })
  await takeUp(verificationJob(services, background, findExecutor))
  await jobs.schedule(cleanUpQueue, cleanUpSchedule)
  await jobs.schedule(deleteFilesQueue, deleteFilesSchedule)
  if (config.role !== 'web') opened.use(startDispatcher(services, background))

  const handle = createHandler(services, dataSource, counters)
  const server = createLimitedServer(handle, serverLimits(config), log)
  opened.defer(() => closeServer(server))
  const twin = createLimitedServer(handle, serverLimits(config), log)
  opened.defer(() => closeServer(twin))
  opened.defer(() => stopping.abort())

  const stack = opened.move()
  return {
    services,
    dataSource,
    server,
    listen: async () => {
      const address = await listen(server, config)
      if (isOnLoopback(config)) await listenAsTwin(twin, config)
      return address
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** Waiting calls are served in turn: 20 for each connection are about a second's work on a small machine. */
const admissionLimits = (config: Config) => ({ maxWaiting: 20 * poolSizes(config).requests, maxWaitMs: 2_500 })

function createHandler(services: Services, dataSource: DataSource, counters: CounterStore): RequestListener {
  const { withinLimit, countAddress } = createRequestLimit(services.config, counters)
  const admit = createAdmission(measureQueue(poolOf(dataSource)), admissionLimits(services.config), services.log)
  const clientOf = (koa: Koa.ParameterizedContext<RequestState>) => ({
    ipAddress: clientAddress(koa.req, services.config.trustProxy) ?? null,
    userAgent: koa.req.headers['user-agent']?.slice(0, 500) ?? null,
  })
  const anonymousContext: AnonymousContext = (koa) => ({
    ...services,
    db: dataSource.manager,
    actor: null,
    client: clientOf(koa),
    requestId: koa.state.requestId,
    forgetSession: () => {
      if (!koa.headerSent) clearSessionCookie(koa, services.config)
    },
    signal: koa.state.signal,
  })
  const createContext: CreateContext = async (koa, calls, bodyLimit) => {
    admit()
    const open = anonymousContext(koa)
    const { actor, sessionProblem } = await withinLimit(koa, open.client, calls, async () => {
      if (bodyLimit !== undefined) {
        await readAhead(koa.req, bodyLimit)
        admit()
      }
      return authenticate(open, koa)
    })
    if (actor?.kind === 'token') koa.state.tokenId = actor.tokenId
    if (actor?.kind === 'user') koa.state.sessionId = actor.sessionId
    return { ...open, actor, sessionProblem }
  }
  const router = createRouter(createContext, anonymousContext, admit)
  // Koa's own trust in proxies stays off: it would also believe X-Forwarded-Host and X-Forwarded-Proto.
  const koa = new Koa<RequestState>()
  koa.use(request(services))
  koa.use(crossOrigin(services.config))
  koa.use(countUncounted((koa) => countAddress(koa, clientOf(koa))))
  koa.use(ownHostOnly(services.config))
  koa.use(plainTargetOnly)
  koa.use(withoutLateToken(services.now))
  koa.use(rpc(appRouter, createContext))
  koa.use(methodNotAllowed(router))
  koa.use(router.routes())
  koa.on('error', (error: unknown, ctx?: Koa.ParameterizedContext<RequestState>) => {
    // Callers leave downloads, films and much else whenever they like; that is no news.
    const left = ctx?.req.socket.destroyed === true
    const requestId = ctx?.state.requestId
    services.log[left ? 'debug' : 'warn']({ err: error, requestId }, 'an answer could not be sent')
  })

  const handle = koa.callback()
  return (req, res) => void handle(req, res)
}

/** A port of one's own choice on 127.0.0.1, which people and programs call by the name localhost. */
const isOnLoopback = ({ local, host, port }: Config) => local && host === '127.0.0.1' && port !== 0

/**
 * Listens on [::1] too. Browsers and Node look for localhost there first, so that another user of the machine who
 * listened there would be sent our owner's links and tokens. Without IPv6 nobody can.
 */
async function listenAsTwin(server: Server, config: Config): Promise<void> {
  try {
    await listen(server, { port: config.port, host: '::1' })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code !== 'EADDRNOTAVAIL' && code !== 'EAFNOSUPPORT' && code !== 'EINVAL') throw error
  }
}

function listen(server: Server, { port, host }: Pick<Config, 'port' | 'host'>): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host, backlog }, () => {
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
