import type Koa from 'koa'
import type { RequestState } from '../../http/request.ts'
import { sessionCookie } from './cookie.ts'

/**
 * Takes a session token that is no longer to be handed out from an answer that took its time. The client keeps what it
 * has, and is given the token again with its next request.
 */
export function withoutLateToken(now: () => Date): Koa.Middleware<RequestState> {
  return async (koa, next) => {
    try {
      await next()
    } finally {
      const { successor } = koa.state
      if (successor && !koa.headerSent && now().getTime() >= successor.goodUntil) {
        const cookies = [koa.res.getHeader('Set-Cookie') ?? []].flat().map(String)
        const late = `${sessionCookie}=${successor.token};`
        koa.res.setHeader(
          'Set-Cookie',
          cookies.filter((cookie) => !cookie.startsWith(late)),
        )
      }
    }
  }
}
