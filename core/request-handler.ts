import type { RequestListener } from 'node:http'
import Koa from 'koa'
import type { Services } from './base/context.ts'
import { measureQueue, poolOf } from './base/pool.ts'
import { type Database, poolSizes } from './database.ts'
import { createAdmission } from './http/admission.ts'
import { readAhead } from './http/body.ts'
import { clientAddress } from './http/client-address.ts'
import { crossOrigin } from './http/cors.ts'
import { boundedHeaders } from './http/header-limits.ts'
import { ownHostOnly } from './http/host.ts'
import type { RequestState } from './http/request-state.ts'
import { request } from './http/request.ts'
import type { AnonymousContext, CreateContext } from './http/route.ts'
import { rpc } from './http/rpc.ts'
import { slowRefusals } from './http/slow-refusals.ts'
import { callerOf } from './http/take-turn.ts'
import { plainTargetOnly } from './http/target.ts'
import { authenticate } from './identity/access/authenticate.ts'
import { countUncounted } from './identity/access/count-uncounted.ts'
import { createRequestLimit } from './identity/access/rate-limit.ts'
import type { CounterStore } from './identity/limits/store.ts'
import { clearSessionCookie } from './identity/sessions/cookie.ts'
import { withoutLateToken } from './identity/sessions/late-token.ts'
import { appRouter } from './router.ts'
import { createRouter, methodNotAllowed } from './routes.ts'
import type { PoolName } from './work.ts'

/**
 * 20 waiting calls per connection are about one second of work on a small machine. Looking up a credential takes less
 * than a tenth of such a call.
 */
const maxWaitingPerConnection = { requests: 20, access: 300 }

/** Builds the handler of every HTTP request: middleware, RPC procedures and routes. */
export function createRequestHandler(
  services: Services,
  database: Pick<Database, 'requests' | 'access'>,
  counters: CounterStore,
): RequestListener {
  const { withinLimit, countAddress } = createRequestLimit(services.config, counters)
  const sizes = poolSizes(services.config)
  const admissionTo = (pool: 'requests' | 'access') => {
    const limits = { maxWaiting: maxWaitingPerConnection[pool] * sizes[pool], maxWaitMs: 2_500 }
    return createAdmission(measureQueue(poolOf(database[pool])), limits, services.log)
  }
  const admitRequest = admissionTo('requests')
  const admitAccess = admissionTo('access')
  const admit = (pool: PoolName) => {
    admitAccess()
    if (pool !== 'access') admitRequest()
  }
  const clientOf = (koa: Koa.ParameterizedContext<RequestState>) => ({
    ipAddress: clientAddress(koa.req, services.config.trustProxy) ?? null,
    userAgent: koa.req.headers['user-agent']?.slice(0, 500) ?? null,
  })
  const anonymousContext: AnonymousContext = (koa) => ({
    ...services,
    db: database.requests.manager,
    actor: null,
    client: clientOf(koa),
    requestId: koa.state.requestId,
    forgetSession: () => {
      if (!koa.headerSent) clearSessionCookie(koa, services.config)
    },
    signal: koa.state.signal,
  })
  const createContext: CreateContext = async (koa, calls, bodyLimit, pool) => {
    admit(pool)
    const anonymous = { ...anonymousContext(koa), db: services.databases.access }
    const { client, signal } = anonymous
    const { actor, sessionProblem } = await services.turns.run('authentication', callerOf(anonymous), signal, (turn) =>
      withinLimit(koa, client, calls, async () => {
        if (bodyLimit !== undefined) {
          await turn.pause(() => readAhead(koa.req, bodyLimit))
          admit(pool)
        }
        return authenticate(anonymous, koa)
      }),
    )
    if (actor?.kind === 'token') koa.state.tokenId = actor.tokenId
    if (actor?.kind === 'user') koa.state.sessionId = actor.sessionId
    return { ...anonymous, db: services.databases[pool], actor, sessionProblem }
  }
  const router = createRouter(createContext, anonymousContext, admitRequest)
  // Koa's `proxy` option stays off, because it also trusts X-Forwarded-Host and X-Forwarded-Proto.
  const koa = new Koa<RequestState>()
  koa.use(slowRefusals((koa) => callerOf({ actor: null, client: clientOf(koa) })))
  koa.use(request(services))
  koa.use(crossOrigin(services.config))
  koa.use(boundedHeaders)
  koa.use(countUncounted((koa) => countAddress(koa, clientOf(koa))))
  koa.use(ownHostOnly(services.config))
  koa.use(plainTargetOnly)
  koa.use(withoutLateToken(services.now))
  koa.use(rpc(appRouter, createContext))
  koa.use(methodNotAllowed(router))
  koa.use(router.routes())
  koa.on('error', (error: unknown, ctx?: Koa.ParameterizedContext<RequestState>) => {
    // Clients often disconnect during downloads, so that is no warning.
    const disconnected = ctx?.req.socket.destroyed === true
    const requestId = ctx?.state.requestId
    services.log[disconnected ? 'debug' : 'warn']({ err: error, requestId }, 'a response could not be sent')
  })

  const handle = koa.callback()
  return (req, res) => void handle(req, res)
}
