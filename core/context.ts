import type { Logger } from 'pino'
import type { EntityManager } from 'typeorm'
import type { Config } from './config.ts'
import { unauthorized } from './errors.ts'
import type { Jobs } from './jobs/jobs.ts'
import type { Scope } from './tokens/schema.ts'

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

/** The program itself: jobs, clean-up, local set-up. */
export interface SystemActor {
  kind: 'system'
}

export type Actor = TokenActor | SystemActor

/** What is opened once and lives as long as the application. */
export interface Services {
  config: Config
  log: Logger
  jobs: Jobs
  now: () => Date
  /** Aborted when the program begins to stop: what only waits should answer now. */
  stopping: AbortSignal
}

/** What an operation gets to work with. The credential alone decided `actor`; null means that there was none. */
export interface Context extends Services {
  db: EntityManager
  actor: Actor | null
  requestId: string
  /** Aborts when the caller leaves or the program stops. */
  signal: AbortSignal
}

/** The user on whose behalf the call runs. */
export function requireUser(ctx: Context): TokenActor {
  if (ctx.actor?.kind !== 'token') {
    throw unauthorized('Not authenticated', { headers: { 'WWW-Authenticate': 'Bearer' } })
  }
  return ctx.actor
}

/** Runs `work` in one transaction; everything that it does through its context is kept or dropped together. */
export function inTransaction<T>(ctx: Context, work: (ctx: Context) => Promise<T>): Promise<T> {
  return ctx.db.transaction((db) => work({ ...ctx, db }))
}
