import cors from '@koa/cors'
import type Koa from 'koa'
import type { Config } from '../config.ts'
import { trustedOrigins } from './origin.ts'

/** What our own clients, tRPC's, better-auth's and those that read event streams with `fetch` send. */
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
 * Lets pages of trusted origins call with credentials and read the answer, failures included. Pages of all other
 * origins get no header that would let them, and no hint that there is one. Preflights end here.
 */
export function crossOrigin(config: Config): Koa.Middleware {
  const allow = cors({
    // Asked for each request: exact text, since that is how browsers spell an origin.
    origin: (ctx) => {
      const origin = ctx.get('Origin')
      return origin !== '' && trustedOrigins(config).includes(origin) ? origin : ''
    },
    credentials: true,
    allowMethods: ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS'],
    allowHeaders,
    exposeHeaders,
    maxAge: 86_400,
    // They are on the answer already, and errors are not ours to change.
    keepHeadersOnError: false,
  })
  return (ctx, next) =>
    allow(ctx, async () => {
      if (isPreflight(ctx)) ctx.status = 204
      else await next()
    })
}

/** Only browsers ask this way, and without credentials: there is nothing to look up for the answer. */
function isPreflight(ctx: Koa.Context): boolean {
  return ctx.method === 'OPTIONS' && ctx.get('Origin') !== '' && ctx.get('Access-Control-Request-Method') !== ''
}
