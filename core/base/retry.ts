import { setTimeout as sleep } from 'node:timers/promises'
import { QueryFailedError } from 'typeorm'

const patienceMs = 120_000
const pauseMs = 500

/** Does it again while the database is away: a run that took an hour is not lost over a restart of a minute. */
export async function withRetry<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const startedAt = performance.now()
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isAway(error) || performance.now() - startedAt > patienceMs) throw error
      await sleep(pauseMs, undefined, signal ? { signal } : {})
    }
  }
}

/** Whether the database could not be asked, as against having refused. Classes 08, 53 and 57 of SQLSTATE say so. */
export function isAway(error: unknown): boolean {
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error
  if (!(cause instanceof Error)) return false
  const code = 'code' in cause ? String(cause.code) : ''
  if (/^(?:08|53|57)/.test(code) || ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'].includes(code)) return true
  // The socket file of a local Postgres is missing. Files have this code too.
  if (code === 'ENOENT' && 'syscall' in cause && cause.syscall === 'connect') return true
  return /connection (?:terminated|ended|timeout)|timeout exceeded when trying to connect|not queryable/i.test(
    cause.message,
  )
}
