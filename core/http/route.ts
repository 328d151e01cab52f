import type Koa from 'koa'
import type { Context } from '../base/context.ts'
import type { Contract } from './contract.ts'
import type { RequestState } from './request-state.ts'
import type { PoolName } from '../work.ts'

/** The calls of a request. All calls of a batch have the same kind, because tRPC refuses mixed batches. */
export interface Calls {
  kind: CallKind
  count: number
}

/** Reads (GET requests and RPC queries), everything else, and deliveries of other services. */
export type CallKind = 'queries' | 'mutations' | 'webhooks'

/**
 * Authenticates a request and counts its calls against the limits of the caller.
 *
 * @param bodyLimit - the maximum body size in bytes, to read the body first; undefined leaves the body to the route
 * @param pool - the connections of the context; a request is refused while too many calls wait for one of them
 */
export type CreateContext = (
  koa: Koa.ParameterizedContext<RequestState>,
  calls: Calls,
  bodyLimit: number | undefined,
  pool: PoolName,
) => Promise<Context>

/** Creates a context without checking a credential or a limit. */
export type AnonymousContext = (koa: Koa.ParameterizedContext<RequestState>) => Context

export interface Answer {
  status: number
  body?: unknown
  headers?: Record<string, string>
}

/** Receives the context for the operation, and Koa's context for the input. */
export interface Route {
  (ctx: Context, koa: Koa.ParameterizedContext<RequestState> & { params: Record<string, string> }): Promise<Answer>
  /** Set by `restHandler` or `withContract` for every REST route. Pages have no contract. */
  contract?: Contract
}
