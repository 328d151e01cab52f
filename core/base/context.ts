import type { Logger } from 'pino'
import { type EntityManager, QueryFailedError } from 'typeorm'
import type { Config } from '../config.ts'
import { type AppError, forbidden, unauthorized } from './errors.ts'
import type { Scope } from './schema.ts'
import type { Turn } from './turns.ts'

/** A caller with an API token. */
export interface TokenActor {
  kind: 'token'
  userId: string
  email: string
  name: string
  tokenId: string
  scopes: readonly Scope[]
  expiresAt: Date
  /** Set on tokens that are restricted to one organization or project. */
  organizationId: string | null
  projectId: string | null
}

/** The record of the signed-in user. */
export interface SignedInUser {
  id: string
  email: string
  name: string
  avatar: string | null
  emailVerified: boolean
  createdAt: Date
  updatedAt: Date
}

/** A caller with a browser session. A session has all rights of its user. */
export interface UserActor {
  kind: 'user'
  userId: string
  email: string
  name: string
  sessionId: string
  organizationId: null
  projectId: null
  session: { expiresAt: Date; createdAt: Date }
  user: SignedInUser
}

/** The server itself: jobs, clean-up and local setup. */
export interface SystemActor {
  kind: 'system'
}

/** The user or token on whose behalf a call runs. */
export type Caller = TokenActor | UserActor

export type Actor = Caller | SystemActor

/** The client of a call, for the log and the audit log. */
export interface Client {
  /** In canonical form; null for work that the server starts itself. */
  ipAddress: string | null
  userAgent: string | null
}

/**
 * The services of the application, opened once at the start. A domain adds its service with `declare module`, so that
 * this file depends on no domain: search for `interface Services`.
 */
export interface Services {
  config: Config
  log: Logger
  now: () => Date
  /** Aborts when the server begins to stop. Calls that only wait should answer then. */
  stopping: AbortSignal
}

/** What an operation receives. `actor` comes only from the credential; null means a call without a valid credential. */
export interface Context extends Services {
  db: EntityManager
  actor: Actor | null
  /** Why the session cookie is not valid, if that is why `actor` is null. */
  sessionProblem?: AppError | undefined
  client: Client
  requestId: string
  /** Clears the session cookie of the browser, unless the response has already started. */
  forgetSession: () => void
  /** Aborts when the client disconnects or the server stops. */
  signal: AbortSignal
  /** Set while the call has a turn: see `take-turn.ts`. */
  turn?: Turn
}

/** Returns the caller. @throws AppError 401 without a valid credential */
export function requireUser(ctx: Context): Caller {
  if (ctx.actor?.kind === 'token' || ctx.actor?.kind === 'user') return ctx.actor
  throw (
    ctx.sessionProblem ??
    unauthorized('Not authenticated. Send an API token: `Authorization: Bearer svc_...`.', {
      headers: { 'WWW-Authenticate': 'Bearer' },
    })
  )
}

/** Returns the id of the token of the call, for the records that it makes; null without one. */
export const tokenIdOf = ({ actor }: Pick<Context, 'actor'>): string | null =>
  actor?.kind === 'token' ? actor.tokenId : null

/** Returns the id of the calling user; null for work that the server starts itself. */
export const userIdOf = ({ actor }: Pick<Context, 'actor'>): string | null =>
  actor?.kind === 'token' || actor?.kind === 'user' ? actor.userId : null

/** Returns the caller of a session. @throws AppError 403 for a token */
export function requireSession(ctx: Context): UserActor {
  const caller = requireUser(ctx)
  if (caller.kind === 'user') return caller
  throw forbidden('This call requires a browser session, but it came with an API token.')
}

/**
 * Returns a caller who is not restricted to one organization or project, for operations on the whole account.
 *
 * @param what - completes the sentence "so you cannot …"
 */
export function requireUnconfined(ctx: Context, what: string): Caller {
  const caller = requireUser(ctx)
  if (caller.organizationId === null && caller.projectId === null) return caller
  const bounds = caller.projectId === null ? 'organization' : 'project'
  throw forbidden(
    `Your token is restricted to one ${bounds}, so you cannot ${what}. Use a token that is not restricted to a project or organization, and no X-Svc-Project header.`,
    { hint: { kind: 'confined', to: bounds } },
  )
}

/** Returns the context of work that the server starts itself. */
export function contextOfSystem(
  services: Services,
  db: EntityManager,
  { requestId, signal }: { requestId: string; signal: AbortSignal },
): Context {
  return {
    ...services,
    db,
    actor: { kind: 'system' },
    client: { ipAddress: null, userAgent: null },
    requestId,
    forgetSession: () => {},
    signal,
  }
}

/** Runs `work` in one transaction. Pass on the context that it receives. */
export function inTransaction<T>(ctx: Context, work: (ctx: Context) => Promise<T>): Promise<T> {
  return ctx.db.transaction((db) => work({ ...ctx, db }))
}

const deadlock = '40P01'

/** Does the same as `inTransaction`, and retries after a deadlock. `work` must change only the database. */
export async function inRepeatedTransaction<T>(ctx: Context, work: (ctx: Context) => Promise<T>): Promise<T> {
  for (let left = 3; ; left--) {
    try {
      return await inTransaction(ctx, work)
    } catch (error) {
      const cause: unknown = error instanceof QueryFailedError ? error.driverError : error
      const isDeadlock = cause instanceof Error && 'code' in cause && cause.code === deadlock
      if (!isDeadlock || left === 0) throw error
    }
  }
}
