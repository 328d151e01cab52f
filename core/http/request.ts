import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type Koa from 'koa'
import type { Config } from '../config.ts'
import { AppError, asAppError, internal, isFault } from '../base/errors.ts'
import type { Logger } from '../base/log.ts'
import { clientAddress } from './client-address.ts'
import { isSecure } from './secure.ts'
import type { ErrorBody } from './error-body.ts'

/** The session token that follows the one a call came with. */
export interface Successor {
  token: string
  /**
   * Milliseconds since 1970. An answer that leaves later must leave without it: when it arrives, the browser may have a
   * newer token, which this one would replace.
   */
  goodUntil: number
}

export interface RequestState {
  requestId: string
  log: Logger
  /** Aborts when the caller leaves before the answer is complete. */
  signal: AbortSignal
  /** Who called, once that is known. */
  tokenId?: string
  sessionId?: string
  /** Whether the request has been counted against the limits, or is exempt from them. */
  isCounted?: boolean
  /** The session token that this answer hands out. */
  successor?: Successor
}

const requestIdPattern = /^[A-Za-z0-9._-]{1,128}$/

/** Fit for an interface that serves data and hardly any pages. */
const securityHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  // With `no-referrer` browsers would call the origin of our own pages' forms `null`.
  'Referrer-Policy': 'same-origin',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cache-Control': 'no-store',
}

/**
 * The outermost layer of every request: gives it an id, logs it once it is over, and turns whatever was thrown into the
 * body that the specification fixes.
 */
export function request({ config, log }: { config: Config; log: Logger }): Koa.Middleware<RequestState> {
  const headers = Object.entries({
    ...securityHeaders,
    ...(config.production && isSecure(config) ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
  })
  return async (ctx, next) => {
    const startedAt = performance.now()
    const given = ctx.req.headers['x-request-id']
    const requestId = typeof given === 'string' && requestIdPattern.test(given) ? given : randomUUID()
    const leaving = new AbortController()
    // Before the socket closes, when it forgets its address.
    const address = clientAddress(ctx.req, config.trustProxy)
    ctx.state = { requestId, log, signal: leaving.signal }
    const [path = ''] = (ctx.req.url ?? '').split('?', 1)
    ctx.res.once('close', () => {
      if (!ctx.res.writableFinished) leaving.abort(new Error('The caller left.'))
      log.info(
        {
          requestId,
          clientAddress: address,
          tokenId: ctx.state.tokenId,
          sessionId: ctx.state.sessionId,
          method: ctx.req.method,
          // A view link is as good as what it shows.
          path: path.replace(/^\/view\/[^/]*/, '/view/[redacted]').slice(0, 500),
          status: ctx.res.statusCode,
          durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
        },
        'request',
      )
    })
    for (const [name, value] of headers) ctx.res.setHeader(name, value)
    ctx.res.setHeader('X-Request-Id', requestId)
    try {
      await next()
      if (ctx.status === 404 && ctx.body == null) {
        throw new AppError('NOT_FOUND', `There is nothing at ${ctx.method} ${ctx.path}.`)
      }
    } catch (error) {
      answerError(ctx, error)
    }
  }
}

function answerError(ctx: Koa.ParameterizedContext<RequestState>, thrown: unknown): void {
  const { requestId, log } = ctx.state
  const error = asAppError(thrown) ?? internal('', { cause: thrown })
  if (isFault(error)) log.error({ err: error.cause ?? error, requestId }, 'request failed')
  if (ctx.res.headersSent) {
    ctx.res.destroy()
    return
  }
  ctx.status = error.status
  ctx.set(error.headers)
  ctx.body = errorBody(error, requestId)
}

/** The specification's REST error body. A 500 names the request and says nothing else. */
export function errorBody(error: AppError, requestId: string): ErrorBody {
  const { code, message, hint } = error
  const title = error.title ?? STATUS_CODES[error.status] ?? 'Error'
  const body = { error: title, message, code, ...(hint ? { hint } : {}) }
  if (error.retryAfter !== undefined) return { ...body, retryAfter: error.retryAfter }
  if (error.code !== 'INTERNAL_ERROR') return body
  return { ...body, message: 'Something went wrong on our side. The log has the details.', requestId }
}
