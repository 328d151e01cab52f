import type Koa from 'koa'
import type { RequestState } from '../../http/request-state.ts'
import { sessionCookie } from './cookie.ts'

/**
 * Removes a new session token from a response that took too long. The client keeps its token and receives the new one
 * with its next request.
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
