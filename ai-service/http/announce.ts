import type { Middleware } from 'koa'
import type { Logger } from 'pino'
import { ulid } from 'ulid'

export interface State {
  requestId: string
  /** Aborts when the client disconnects before the response is sent. */
  signal: AbortSignal
}

const acceptableRequestId = /^[A-Za-z0-9._-]{1,128}$/

/** The service answers programs, not pages: browsers must not render, frame or cache a response. */
const securityHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
}

/** Assigns a request id and headers to every request, and logs it when it ends. */
export function announce(logger: Logger): Middleware<State> {
  return async (ctx, next) => {
    const startedAt = performance.now()
    const given = ctx.get('X-Request-Id')
    const requestId = acceptableRequestId.test(given) ? given : ulid()
    const gone = new AbortController()
    ctx.state.requestId = requestId
    ctx.state.signal = gone.signal
    ctx.set({ ...securityHeaders, 'X-Request-Id': requestId })
    // Koa's getters throw on request targets that are not paths.
    const [path = ''] = (ctx.req.url ?? '').split('?', 1)

    ctx.res.once('close', () => {
      const complete = ctx.res.writableFinished
      if (!complete) gone.abort(new Error('the client disconnected'))
      logger.info(
        {
          requestId,
          method: ctx.req.method,
          path: path.slice(0, 200),
          status: complete ? ctx.res.statusCode : null,
          durationMs: Math.round(performance.now() - startedAt),
        },
        complete ? 'request answered' : 'request aborted',
      )
    })
    await next()
  }
}
