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

/** Returns whether the database was unavailable: SQLSTATE classes 08, 53 and 57, and connection errors. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error
  if (!(cause instanceof Error)) return false
  // The connection broke between two queries of a transaction.
  if (cause instanceof QueryRunnerAlreadyReleasedError) return true
  if (cause instanceof QueryRunnerProviderAlreadyReleasedError) return true
  const code = 'code' in cause ? String(cause.code) : ''
  if (/^(?:08|53|57)/.test(code) || ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'].includes(code)) return true
  // The socket file of a local Postgres is missing. File errors have this code too.
  if (code === 'ENOENT' && 'syscall' in cause && cause.syscall === 'connect') return true
  return /connection (?:terminated|ended|timeout)|timeout exceeded when trying to connect|not queryable/i.test(
    cause.message,
  )
}
