import type { Outputs } from '../../api.ts'

export type History = Extract<Outputs['testRuns']['history'], { kind: 'history' }>
export type PastResult = History['results'][number]

/**
 * The status under which a result is shown: a failure that does not decide or is part of an outage, and a pass on retry,
 * have their own.
 */
export function statusOfResult({
  status,
  flaky,
  muted,
  outage,
}: Pick<PastResult, 'status' | 'flaky' | 'muted' | 'outage'>): string {
  if (status === 'failed' && !muted) return outage === null ? 'failed' : 'excused'
  if (status === 'failed') return 'muted'
  return flaky ? 'retried' : status
}

/** The latest result on each branch, newest first. */
export function latestByBranch(results: readonly PastResult[]): PastResult[] {
  const latest = new Map<string, PastResult>()
  for (const result of results) {
    if (result.branch !== null && result.status !== 'skipped' && !latest.has(result.branch)) {
      latest.set(result.branch, result)
    }
  }
  return [...latest.values()]
}

export interface ErrorGroup {
  key: string
  /** That of the latest result that has one; empty if none has. */
  message: string
  /** Newest first. */
  results: PastResult[]
}

/** Groups failures by their cause. Frequent ones come first. */
export function errorsOf(results: readonly PastResult[]): ErrorGroup[] {
  const groups = new Map<string, ErrorGroup>()
  for (const result of results) {
    if (result.status !== 'failed' && !result.flaky) continue
    const message = result.message ?? ''
    const key = result.fingerprint ?? message
    const group = groups.get(key) ?? { key, message: '', results: [] }
    group.message ||= message
    group.results.push(result)
    groups.set(key, group)
  }
  return [...groups.values()].toSorted((one, other) => other.results.length - one.results.length)
}
