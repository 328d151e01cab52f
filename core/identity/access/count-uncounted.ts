import type Koa from 'koa'
import { asAppError } from '../../base/errors.ts'
import type { RequestState } from '../../http/request-state.ts'

/** Counts the request against the limit of the caller's address. */
export type CountRequest = (koa: Koa.ParameterizedContext<RequestState>) => Promise<void>

/**
 * Counts the requests that no route counts: unknown paths, refused targets, hosts and methods, and the documentation.
 * Routes that count themselves, or are exempt from the limits, set `koa.state.isCounted`. A request that the server
 * failed to serve costs its caller nothing.
 *
 * @throws AppError 429
 */
export function countUncounted(count: CountRequest): Koa.Middleware<RequestState> {
  return async (koa, next) => {
    try {
      await next()
    } catch (error) {
      const status = asAppError(error)?.status ?? 500
      if (!koa.state.isCounted && status < 500) await count(koa)
      throw error
    }
    if (!koa.state.isCounted) await count(koa)
  }
}
