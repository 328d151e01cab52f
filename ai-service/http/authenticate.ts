import { createHash, timingSafeEqual } from 'node:crypto'
import type { Middleware } from 'koa'
import { unauthorized } from '../errors.ts'
import type { State } from './announce.ts'

/** Routes for supervisors, which need no secret to check whether the service runs. */
const openPaths = ['/', '/health']

const digest = (text: string) => createHash('sha256').update(text).digest()

/** Requires the secret that is shared with core, if one is configured. */
export function authenticate(secret: string | undefined): Middleware<State> {
  if (secret === undefined) return (_ctx, next) => next()
  const expected = digest(secret)

  return async (ctx, next) => {
    if (!openPaths.includes(ctx.path)) {
      const presented = /^Bearer +(\S+)$/i.exec(ctx.get('Authorization'))?.[1]
      // Digests have equal lengths, so the comparison takes constant time.
      if (presented === undefined || !timingSafeEqual(digest(presented), expected)) {
        ctx.set('WWW-Authenticate', 'Bearer')
        throw unauthorized('Send the value of AI_SERVICE_SECRET as "Authorization: Bearer <secret>".')
      }
    }
    await next()
  }
}
