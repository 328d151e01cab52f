import cors from '@koa/cors'
import type Koa from 'koa'
import type { Config } from '../config.ts'
import { trustedOrigins } from './origin.ts'

/** The headers of Assay's clients, of tRPC and better-auth, and of clients that read event streams with `fetch`. */
const allowHeaders = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'Last-Event-ID',
  'X-Request-Id',
  'trpc-accept',
]

const exposeHeaders = ['X-Request-Id', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After']

/**
 * Allows pages of trusted origins to call with credentials and read the response, including errors. Responses to all
 * other origins have no CORS header. Answers preflights.
 */
export function crossOrigin(config: Config): Koa.Middleware {
  const allow = cors({
    // Compares exact text, because browsers normalize the origin.
    origin: (ctx) => {
      const origin = ctx.get('Origin')
      return origin !== '' && trustedOrigins(config).includes(origin) ? origin : ''
    },
    credentials: true,
    allowMethods: ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS'],
    allowHeaders,
    exposeHeaders,
    maxAge: 86_400,
    // The headers are already on the response, and this middleware must not change errors.
    keepHeadersOnError: false,
  })
  return (ctx, next) =>
    allow(ctx, async () => {
      if (isPreflight(ctx)) ctx.status = 204
      else await next()
    })
}

/** Browsers send preflights without credentials, so no authentication is needed. */
function isPreflight(ctx: Koa.Context): boolean {
  return ctx.method === 'OPTIONS' && ctx.get('Origin') !== '' && ctx.get('Access-Control-Request-Method') !== ''
}
