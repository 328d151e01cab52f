import { createHash, timingSafeEqual } from 'node:crypto'
import type { Middleware } from 'koa'
import { unauthorized } from '../errors.ts'
import type { State } from './announce.ts'

/** What a supervisor asks stays open, so that it needs no secret to see whether the service lives. */
const openPaths = ['/', '/health']

const digest = (text: string) => createHash('sha256').update(text).digest()

/** Asks for the secret shared with core, where one is configured. */
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
