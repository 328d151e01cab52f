import type { Outcome } from '../../../engines/health/outcome.ts'
import { dayMs } from '../../../engines/health/policy.ts'
import type { JudgedRun } from './load-runs.ts'

/** What a test cost in the last 30 days. */
export interface Impact {
  /** Runs in which it failed, or passed only after a failed attempt. */
  failures: number
  /** Failed runs in which it failed. */
  blockedRuns: number
  /** The people who started these runs. */
  blockedPeople: number
  /** `failures` times the sum of the other two. */
  impact: number
}

const days = 30
/** The maximum of a Postgres `integer`. */
const max = 2 ** 31 - 1

/** @param until - the time of the project's latest run */
export function impactOf(outcomes: readonly Outcome[], runs: ReadonlyMap<string, JudgedRun>, until: number): Impact {
  const notable = outcomes.filter(({ at, failed, retried }) => (failed || retried) && at > until - days * dayMs)
  const blocked = notable.flatMap(({ failed, runId }) => {
    const run = failed ? runs.get(runId) : undefined
    return run?.failed === true ? [run] : []
  })
  const failures = notable.length
  const blockedRuns = blocked.length
  const blockedPeople = new Set(blocked.map(({ userId }) => userId)).size
  return { failures, blockedRuns, blockedPeople, impact: Math.min(max, failures * (blockedRuns + blockedPeople)) }
}
