import type { Logger } from 'pino'
import { type EntityManager, QueryFailedError } from 'typeorm'
import type { Config } from '../config.ts'
import { type AppError, forbidden, unauthorized } from './errors.ts'
import type { Scope } from './schema.ts'

/** Somebody who calls with an API token. */
export interface TokenActor {
  kind: 'token'
  userId: string
  email: string
  name: string
  tokenId: string
  scopes: readonly Scope[]
  expiresAt: Date
  /** Set on tokens that are confined to one organization or project. */
  organizationId: string | null
  projectId: string | null
}

/** A user's own record. */
export interface SignedInUser {
  id: string
  email: string
  name: string
  avatar: string | null
  emailVerified: boolean
  createdAt: Date
  updatedAt: Date
}

/** Somebody who is signed in with a browser. A session may do whatever its user may. */
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

/** The program itself: jobs, clean-up, local set-up. */
export interface SystemActor {
  kind: 'system'
}

/** Somebody on whose behalf a call runs. */
export type Caller = TokenActor | UserActor

export type Actor = Caller | SystemActor

/** Where a call comes from, for the records. */
export interface Client {
  /** In canonical form; null for what the program does by itself. */
  ipAddress: string | null
  userAgent: string | null
}

/**
 * What is opened once and lives as long as the application. A domain that provides a service adds it here by
 * `declare module`, so that this file depends on no domain: search for `interface Services`.
 */
export interface Services {
  config: Config
  log: Logger
  now: () => Date
  /** Aborted when the program begins to stop: what only waits should answer now. */
  stopping: AbortSignal
}

/** What an operation gets to work with. The credential alone decided `actor`; null means that there was none. */
export interface Context extends Services {
  db: EntityManager
  actor: Actor | null
  /** Why the session cookie that came along was not good, where that is why `actor` is null. */
  sessionProblem?: AppError | undefined
  client: Client
  requestId: string
  /** Has the caller's browser drop its session cookie, unless the answer is on its way already. */
  forgetSession: () => void
  /** Aborts when the caller leaves or the program stops. */
  signal: AbortSignal
}

/** The user on whose behalf the call runs. */
export function requireUser(ctx: Context): Caller {
  if (ctx.actor?.kind === 'token' || ctx.actor?.kind === 'user') return ctx.actor
  throw ctx.sessionProblem ?? unauthorized('Not authenticated', { headers: { 'WWW-Authenticate': 'Bearer' } })
}

/** The signed-in user, where a token will not do. */
export function requireSession(ctx: Context): UserActor {
  const caller = requireUser(ctx)
  if (caller.kind === 'user') return caller
  throw forbidden('This call requires a browser session, but it came with an API token.')
}

/**
 * The caller, where what is asked for is the user's own or the whole account's.
 *
 * @param what - finishes the sentence "so you cannot …"
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

/** Runs `work` in one transaction; everything that it does through its context is kept or dropped together. */
export function inTransaction<T>(ctx: Context, work: (ctx: Context) => Promise<T>): Promise<T> {
  return ctx.db.transaction((db) => work({ ...ctx, db }))
}

const deadlock = '40P01'

/** As `inTransaction`, and again where Postgres ended it to end a deadlock: `work` changes nothing but the database. */
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
