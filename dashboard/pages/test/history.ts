import type { Outputs } from '../../api.ts'

export type History = Extract<Outputs['testRuns']['history'], { kind: 'history' }>
export type PastResult = History['results'][number]

/** From this number of changes on, between passing and failing, a test counts as flaky. */
const manyChanges = 3

export interface Judgement {
  kind: 'flaky' | 'failing' | 'passing' | 'skipped'
  /** How often the test changed from passed to failed or back. */
  changes: number
}

/** Says what the latest results mean: a flaky test, a broken one, or one that passes. */
export function judge({ results, totals }: History): Judgement {
  const decided = results.filter(({ status }) => status !== 'skipped')
  const changes = changesOf(decided)
  const [latest] = decided
  if (!latest) return { kind: 'skipped', changes }
  if (totals.flaky > 0 || changes >= manyChanges) return { kind: 'flaky', changes }
  return { kind: latest.status === 'failed' ? 'failing' : 'passing', changes }
}

/** Counts changes within each branch: branches alternate while only one of them is broken. */
function changesOf(decided: readonly PastResult[]): number {
  let changes = 0
  const before = new Map<string | null, string>()
  for (const { branch, status } of decided) {
    if ((before.get(branch) ?? status) !== status) changes++
    before.set(branch, status)
  }
  return changes
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
