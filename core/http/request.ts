import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type Koa from 'koa'
import type { Config } from '../config.ts'
import { AppError, asAppError, defectMessage, internal, isFault } from '../base/errors.ts'
import type { Logger } from '../base/log.ts'
import { clientAddress } from './client-address.ts'
import { problemPage } from './page.ts'
import { readRest } from './read-rest.ts'
import { isSecure } from './secure.ts'
import type { ErrorBody } from './error-body.ts'
import type { RequestState } from './request-state.ts'

const requestIdPattern = /^[A-Za-z0-9._-]{1,128}$/

const securityHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  // With `no-referrer`, browsers would send the origin `null` with the forms of our own pages.
  'Referrer-Policy': 'same-origin',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cache-Control': 'no-store',
}

/**
 * The outermost middleware: assigns a request id, logs the request when it ends, and turns thrown errors into the error
 * body of the specification.
 */
export function request({ config, log }: { config: Config; log: Logger }): Koa.Middleware<RequestState> {
  const headers = Object.entries({
    ...securityHeaders,
    ...(config.production && isSecure(config) ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
  })
  // No member of this line has the name of a secret, and looking for them would take more than half of its time.
  const requestLog = log.child({}, { redact: [] })
  return async (ctx, next) => {
    const startedAt = performance.now()
    const given = ctx.req.headers['x-request-id']
    const requestId = typeof given === 'string' && requestIdPattern.test(given) ? given : randomUUID()
    const disconnected = new AbortController()
    // A closed socket no longer has an address.
    const address = clientAddress(ctx.req, config.trustProxy)
    ctx.state = { requestId, log, signal: disconnected.signal }
    const [path = ''] = (ctx.req.url ?? '').split('?', 1)
    ctx.res.once('close', () => {
      if (!ctx.res.writableFinished) disconnected.abort(new Error('The client disconnected.'))
      requestLog.info(
        {
          requestId,
          clientAddress: address,
          tokenId: ctx.state.tokenId,
          sessionId: ctx.state.sessionId,
          method: ctx.req.method,
          // A view link grants access to the file.
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
        if (!isForReader(ctx)) throw noSuchRoute(ctx)
        const { status, body, headers = {} } = noSuchPage()
        ctx.status = status
        ctx.body = body
        ctx.set(headers)
      }
    } catch (error) {
      answerError(ctx, error)
    }
    readRest(ctx.req)
  }
}

/** The error for a request that no route matches. */
export const noSuchRoute = ({ method, path }: { method: string; path: string }) =>
  new AppError('NOT_FOUND', `No such route: ${method} ${path}.`)

/** Whether a person opened an address that was mistyped or is out of date, rather than a program. */
const isForReader = (ctx: Koa.ParameterizedContext) =>
  ctx.method === 'GET' && /\btext\/html\b/.test(ctx.get('accept')) && !/^\/(?:api|trpc)\//.test(ctx.path)

const noSuchPage = () =>
  problemPage(404, 'Page not found', 'Assay has no page at this address. It may be mistyped, or the page has moved.')

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

/** Builds the REST error body of the specification. A 500 reveals only the request id. */
export function errorBody(error: AppError, requestId: string): ErrorBody {
  const { code, message, hint } = error
  const title = error.title ?? STATUS_CODES[error.status] ?? 'Error'
  const body = { error: title, message, code, ...(hint ? { hint } : {}) }
  if (error.retryAfter !== undefined) return { ...body, retryAfter: error.retryAfter }
  if (error.code !== 'INTERNAL_ERROR') return body
  return { ...body, message: defectMessage, requestId }
}
