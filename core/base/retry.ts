import { setTimeout as sleep } from 'node:timers/promises'
import { QueryFailedError, QueryRunnerAlreadyReleasedError, QueryRunnerProviderAlreadyReleasedError } from 'typeorm'

const giveUpAfterMs = 120_000
const pauseMs = 500

/** Retries `work` while the database is unavailable, so that a restart of Postgres does not fail a long run. */
export async function withRetry<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const startedAt = performance.now()
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isDatabaseUnavailable(error) || performance.now() - startedAt > giveUpAfterMs) throw error
      await sleep(pauseMs, undefined, signal ? { signal } : {})
    }
  }
}

const causeOf = (error: unknown): unknown => (error instanceof QueryFailedError ? error.driverError : error)

/** Returns the error code of Postgres, or of the system for a connection error. */
export function sqlStateOf(error: unknown): string | undefined {
  const cause = causeOf(error)
  return cause instanceof Error && 'code' in cause ? String(cause.code) : undefined
}

/**
 * Returns whether the database was unavailable: SQLSTATE classes 08, 53 and 57, which include the statement timeout, the
 * lock timeout, the end of a transaction that was idle for too long, and connection errors.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  const cause = causeOf(error)
  if (!(cause instanceof Error)) return false
  // The connection broke between two queries of a transaction.
  if (cause instanceof QueryRunnerAlreadyReleasedError) return true
  if (cause instanceof QueryRunnerProviderAlreadyReleasedError) return true
  const code = sqlStateOf(cause) ?? ''
  if (/^(?:08|53|57|55P03|25P03)/.test(code) || ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'].includes(code))
    return true
  // The socket file of a local Postgres is missing. File errors have this code too.
  if (code === 'ENOENT' && 'syscall' in cause && cause.syscall === 'connect') return true
  return /connection (?:terminated|ended|timeout)|timeout exceeded when trying to connect|not queryable/i.test(
    cause.message,
  )
}
