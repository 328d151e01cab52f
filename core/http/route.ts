import type Koa from 'koa'
import type { Context } from '../base/context.ts'
import type { Contract } from './contract.ts'
import type { RequestState } from './request.ts'

/** What a request asks for. All calls of a batch are of one kind, since tRPC refuses others. */
export interface Calls {
  kind: CallKind
  count: number
}

/** What only reads (GET, and RPC queries by whatever method), what other services deliver, and the rest. */
export type CallKind = 'queries' | 'mutations' | 'webhooks'

/**
 * Authenticates a request that makes these calls, within the limits of its caller.
 *
 * @param bodyLimit - bytes; the body is read before; undefined leaves it to the route
 */
export type CreateContext = (
  koa: Koa.ParameterizedContext<RequestState>,
  calls: Calls,
  bodyLimit: number | undefined,
) => Promise<Context>

/** The context of a request of which nobody asks who makes it: no credential is looked at, and no limit. */
export type AnonymousContext = (koa: Koa.ParameterizedContext<RequestState>) => Context

export interface Answer {
  status: number
  body?: unknown
  headers?: Record<string, string>
}

/** What a route gets: the operation's context and Koa's, to read the input from. */
export interface Route {
  (ctx: Context, koa: Koa.ParameterizedContext<RequestState> & { params: Record<string, string> }): Promise<Answer>
  /** Every REST route has one, made by `restHandler` or `withContract`; pages have none. */
  contract?: Contract
}
