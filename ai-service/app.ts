import { once } from 'node:events'
import http from 'node:http'
import Koa from 'koa'
import { type Logger, pino } from 'pino'
import type { AiConfig } from './config.ts'
import { type State, announce } from './http/announce.ts'
import { answerErrors } from './http/answer-errors.ts'
import { authenticate } from './http/authenticate.ts'
import { ownHostOnly } from './http/own-host.ts'
import type { Provider } from './providers/provider.ts'
import { type ProviderOverrides, createProvider } from './providers/create-provider.ts'
import { createRouter } from './routes.ts'

/** Shorter than Node's defaults, so that slow clients do not pile up. In milliseconds. */
const defaultTimeouts = {
  headers: 10_000,
  request: 30_000,
  checkedEvery: 5_000,
  /** The time that requests in progress have to complete when the service stops. */
  stop: 10_000,
}

export interface AiServiceOverrides extends ProviderOverrides {
  logger?: Logger
  provider?: Provider
  timeouts?: Partial<typeof defaultTimeouts>
}

export interface AiService extends AsyncDisposable {
  /** Resolves to the port once it accepts connections; rejects when the port is taken. */
  listen(): Promise<number>
  /** Stops accepting requests, waits for requests in progress, and resolves when all connections are closed. */
  close(): Promise<void>
}

export function createAiService(config: AiConfig, overrides: AiServiceOverrides = {}): AiService {
  const timeouts = { ...defaultTimeouts, ...overrides.timeouts }
  const logger = overrides.logger ?? createLogger(config.logLevel)
  const provider = overrides.provider ?? createProvider(config, logger, overrides)
  const router = createRouter(provider)

  let starting: Promise<number> | undefined
  let closing: Promise<void> | undefined

  const app = new Koa<State>()
  app.on('error', (err: unknown) => logger.warn({ err }, 'answer not delivered'))
  app.use(async (ctx, next) => {
    await next()
    // An open keep-alive connection would delay the stop until its idle timeout.
    if (closing) ctx.set('Connection', 'close')
  })
  app.use(announce(logger))
  app.use(answerErrors(logger))
  app.use(ownHostOnly)
  app.use(authenticate(config.secret))
  app.use(router.routes())
  app.use(router.allowedMethods())

  const answer = app.callback()
  const server = http.createServer(
    {
      headersTimeout: timeouts.headers,
      requestTimeout: timeouts.request,
      connectionsCheckingInterval: timeouts.checkedEvery,
    },
    (request, response) => void answer(request, response),
  )
  async function start() {
    server.listen(config.port, config.host)
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : config.port
    logger.info({ host: config.host, port, provider: provider.name }, 'AI service is listening')
    return port
  }

  async function stop() {
    await Promise.allSettled([starting])
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    const forceClose = setTimeout(() => {
      logger.warn('requests in progress were aborted')
      server.closeAllConnections()
    }, timeouts.stop)
    await closed
    clearTimeout(forceClose)
    logger.info('AI service has stopped')
  }

  const listen = () => (starting ??= start())
  const close = () => (closing ??= stop())
  return { listen, close, [Symbol.asyncDispose]: close }
}

function createLogger(level: string): Logger {
  return pino({
    level,
    base: { service: 'ai-service' },
    redact: {
      paths: ['authorization', 'cookie', 'secret', 'apiKey'].flatMap((key) => [key, `*.${key}`, `*.*.${key}`]),
      censor: '[redacted]',
    },
  })
}
