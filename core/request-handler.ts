import type { RequestListener } from 'node:http'
import Koa from 'koa'
import type { DataSource } from 'typeorm'
import type { Services } from './base/context.ts'
import { measureQueue, poolOf } from './base/pool.ts'
import type { Config } from './config.ts'
import { poolSizes } from './database.ts'
import { createAdmission } from './http/admission.ts'
import { readAhead } from './http/body.ts'
import { clientAddress } from './http/client-address.ts'
import { crossOrigin } from './http/cors.ts'
import { boundedHeaders } from './http/header-limits.ts'
import { ownHostOnly } from './http/host.ts'
import { request, type RequestState } from './http/request.ts'
import type { AnonymousContext, CreateContext } from './http/route.ts'
import { rpc } from './http/rpc.ts'
import { plainTargetOnly } from './http/target.ts'
import { authenticate } from './identity/access/authenticate.ts'
import { countUncounted } from './identity/access/count-uncounted.ts'
import { createRequestLimit } from './identity/access/rate-limit.ts'
import type { CounterStore } from './identity/limits/store.ts'
import { clearSessionCookie } from './identity/sessions/cookie.ts'
import { withoutLateToken } from './identity/sessions/late-token.ts'
import { appRouter } from './router.ts'
import { createRouter, methodNotAllowed } from './routes.ts'

/** 20 waiting calls per connection are about one second of work on a small machine. */
const admissionLimits = (config: Config) => ({ maxWaiting: 20 * poolSizes(config).requests, maxWaitMs: 2_500 })

/** Builds the handler of every HTTP request: middleware, RPC procedures and routes. */
export function createRequestHandler(
  services: Services,
  dataSource: DataSource,
  counters: CounterStore,
): RequestListener {
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
    const anonymous = anonymousContext(koa)
    const { actor, sessionProblem } = await withinLimit(koa, anonymous.client, calls, async () => {
      if (bodyLimit !== undefined) {
        await readAhead(koa.req, bodyLimit)
        admit()
      }
      return authenticate(anonymous, koa)
    })
    if (actor?.kind === 'token') koa.state.tokenId = actor.tokenId
    if (actor?.kind === 'user') koa.state.sessionId = actor.sessionId
    return { ...anonymous, actor, sessionProblem }
  }
  const router = createRouter(createContext, anonymousContext, admit)
  // Koa's `proxy` option stays off, because it also trusts X-Forwarded-Host and X-Forwarded-Proto.
  const koa = new Koa<RequestState>()
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
