import { judgeHealth } from '../../engines/health/judge.ts'
import type { Outcome } from '../../engines/health/outcome.ts'
import { findOutage, isExcused, usualFailures } from '../../engines/health/outages.ts'
import { dayMs, defaultPolicy } from '../../engines/health/policy.ts'
import type { History } from './history.ts'

/** What a rule said of a test during its history. */
export interface Said {
  flaky: boolean
  broken: boolean
  /** How often it changed between flaky and not flaky, after the first time. */
  flaps: number
}

export type Rule = (history: History) => Said[]

/** Assay's rule, as the product applies it to the rows of its database. */
export const assay: Rule = (history) => {
  const { tests, runs } = history
  const outcomes: Outcome[][] = tests.map(() => [])
  const notableOf = ({ results }: History['runs'][number]) => results.filter(({ failed, retried }) => failed || retried)
  const counts = runs.map((run) => notableOf(run).length)
  for (const [place, run] of runs.entries()) {
    const { id, at, commit, results } = run
    const notable = notableOf(run)
    const outage = findOutage(
      {
        totalTests: results.length,
        tests: notable.length,
        errors: countsOf(notable.map(({ fingerprint }) => fingerprint)),
      },
      usualFailures(counts, place),
      defaultPolicy,
    )
    if (outage?.kind === 'mass') continue
    for (const [index, { failed, retried, fingerprint }] of results.entries()) {
      const excused = (failed || retried) && isExcused(outage, fingerprint)
      outcomes[index]?.push({ runId: id, at, commit, isDefault: true, failed, retried, fingerprint, excused })
    }
  }
  const latestRunAt = runs.at(-1)?.at ?? 0
  return outcomes.map((each) => {
    const { changes } = judgeHealth(each, { policy: defaultPolicy, latestRunAt })
    const turns = changes.filter(({ from, to }) => from === 'flaky' || to === 'flaky').length
    return {
      flaky: changes.some(({ to }) => to === 'flaky'),
      broken: changes.some(({ to }) => to === 'broken'),
      flaps: Math.max(0, turns - 1),
    }
  })
}

/** Two changes between passed and failed, or one pass after a retry, within 20 runs. */
export const twoFlips: Rule = ({ tests, runs }) =>
  tests.map((_, index) => {
    const recent: { failed: boolean; retried: boolean }[] = []
    return follow(runs, (run) => {
      const result = run.results[index]
      if (result) recent.push(result)
      if (recent.length > 20) recent.shift()
      const flips = recent.filter(({ failed }, place) => place > 0 && failed !== recent[place - 1]?.failed).length
      return flips >= 2 || recent.some(({ retried }) => retried)
    })
  })

/** A pass after a retry; healthy again after seven days without one. Runs with 80 % failures do not count. */
export const passOnRetry: Rule = ({ tests, runs }) => {
  const counted = runs.filter(({ results }) => results.filter(({ failed }) => failed).length < 0.8 * results.length)
  return tests.map((_, index) => {
    let last = -Infinity
    return follow(counted, ({ at, results }) => {
      if (results[index]?.retried === true) last = at
      return at - last < 7 * dayMs
    })
  })
}

function follow<Run>(runs: readonly Run[], isFlaky: (run: Run) => boolean): Said {
  let before = false
  let turns = 0
  for (const run of runs) {
    const now = isFlaky(run)
    if (now !== before) turns++
    before = now
  }
  return { flaky: turns > 0, broken: false, flaps: Math.max(0, turns - 1) }
}

/** The limit of every rule that sees no cause: a test that flaked once looks like a regression of one run. */
export const flakedTwice: Rule = ({ tests, runs }) =>
  tests.map((_, index) => {
    const own = runs.flatMap(({ results }) => (results[index]?.own === true ? [results[index]] : []))
    return { flaky: own.length >= 2 || own.some(({ retried }) => retried), broken: false, flaps: 0 }
  })

function countsOf(fingerprints: readonly (string | null)[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const each of fingerprints) if (each !== null) counts.set(each, (counts.get(each) ?? 0) + 1)
  return counts
}
