import { poolOfWork, type WorkKind, workOf } from '../work.ts'
import type { Context } from '../base/context.ts'
import { forbidden } from '../base/errors.ts'
import type { Turns } from '../base/turns.ts'
import { addressBlock } from './client-address.ts'

declare module '../base/context.ts' {
  interface Services {
    turns: Turns<Exclude<WorkKind, 'stream'>>
  }
}

/**
 * Does the work of a procedure or route when it is the caller's turn, with the connections for this kind of work.
 *
 * @param entryPoint - a procedure's path or a route's method and path, as in `work.ts`
 */
export function takeTurnFor<T>(ctx: Context, entryPoint: string, work: (ctx: Context) => Promise<T>): Promise<T> {
  const kind = workOf[entryPoint]
  if (kind === undefined) throw forbidden(`${entryPoint} is not available.`)
  return takeTurn(ctx, kind, work)
}

/** Does work of one kind when it is the caller's turn, with the connections for this kind of work. */
export function takeTurn<T>(ctx: Context, kind: WorkKind, work: (ctx: Context) => Promise<T>): Promise<T> {
  const db = ctx.databases[poolOfWork[kind]]
  if (kind === 'stream') return work({ ...ctx, db })
  return ctx.turns.run(kind, callerOf(ctx), ctx.signal, (turn) => work({ ...ctx, db, turn }))
}

/** Returns who counts as one caller: the user, with all tokens and sessions, or the network of an unknown caller. */
export function callerOf({ actor, client }: Pick<Context, 'actor' | 'client'>): string {
  if (actor !== null && 'userId' in actor) return actor.userId
  return client.ipAddress === null ? 'none' : addressBlock(client.ipAddress)
}

/** Waits for something that needs no connection. Meanwhile the turn of the call is free for other calls. */
export function whileIdle<T>({ turn }: Pick<Context, 'turn'>, wait: () => Promise<T>): Promise<T> {
  return turn ? turn.pause(wait) : wait()
}
