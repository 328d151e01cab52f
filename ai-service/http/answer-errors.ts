import type { Middleware, ParameterizedContext } from 'koa'
import type { Logger } from 'pino'
import { AppError, errorBody, internal, invalid, methodNotAllowed, notFound } from '../errors.ts'
import type { State } from './announce.ts'

/** Answers all errors of the routes, and unknown routes and methods, with the error body. */
export function answerErrors(logger: Logger): Middleware<State> {
  return async (ctx, next) => {
    try {
      if (!ctx.req.url?.startsWith('/')) throw invalid('The request target must be a path.')
      await next()
      refuseUnrouted(ctx)
    } catch (thrown) {
      const error = thrown instanceof AppError ? thrown : internal(thrown)
      const { requestId } = ctx.state
      // An error with a cause comes from us or the provider, unless the client has disconnected.
      if (error.cause !== undefined && !ctx.state.signal.aborted) {
        logger.error({ requestId, code: error.code, err: error.cause }, 'request failed')
      }
      ctx.status = error.status
      ctx.body = errorBody(error, requestId)
      // The connection closes after this answer, so that the rest of the body is not read.
      if (!ctx.req.complete) ctx.set('Connection', 'close')
    }
  }
}

function refuseUnrouted(ctx: ParameterizedContext<State>) {
  const allowed = ctx.response.get('Allow')
  if ([405, 501].includes(ctx.status) && allowed) {
    throw methodNotAllowed(`${ctx.path} allows only ${allowed}.`)
  }
  if ([404, 501].includes(ctx.status)) {
    throw notFound(
      'No such route. The routes are GET /, GET /health, GET /provider, POST /suggest-tests, POST /analyze and ' +
        'POST /generate-tests.',
    )
  }
}
