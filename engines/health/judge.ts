import type { EvidenceRun, Health, HealthChange, HealthRule, JudgedHealth, Outcome } from './outcome.ts'
import { dayMs, type HealthPolicy } from './policy.ts'

/** A confirmation that passed on a commit which the default branch contains since `at`. */
export interface ConfirmedFix {
  at: number
  /** The run of the branch that shows it; empty if none has counted yet. */
  runId: string
  commit: string
}

export interface JudgeOptions {
  policy: HealthPolicy
  /** The time of the project's latest run that could have contained the test. */
  latestRunAt: number
  /** Oldest first. */
  fixes?: readonly ConfirmedFix[] | undefined
}

const maxEvidence = 10
const opening = 3
/** Branches that do not contain a confirmed fix yet may show the old failures for this long. */
const graceMs = 14 * dayMs
/** A test that fails often by chance is broken only after a row of failures that is less likely than this. */
const unlikely = 0.001
const maxRow = 20
/** So many times longer than the policy asks, quiet is enough for tests that rarely fail. */
const longQuiet = 3

/**
 * Judges a test by its outcomes: a pure function, so that the same outcomes give the same health in whatever order they
 * became known.
 *
 * @param outcomes - in the order of their runs, oldest first, without those of runs in which everything failed
 */
export function judgeHealth(
  outcomes: readonly Outcome[],
  { policy, latestRunAt, fixes = [] }: JudgeOptions,
): JudgedHealth {
  const state = new HealthState(policy)
  let confirmed = 0
  const confirmUntil = (at: number) => {
    for (let fix = fixes[confirmed]; fix && fix.at <= at; fix = fixes[++confirmed]) state.confirm(fix)
  }
  for (const outcome of outcomes) {
    confirmUntil(outcome.at)
    state.add(outcome)
  }
  confirmUntil(Infinity)
  return state.end(latestRunAt)
}

/** Consecutive equal results on the default branch. */
interface Row {
  failed: boolean
  first: Outcome
  length: number
  before: Row | null
  /** Whether one of them belongs to an outage. */
  excused: boolean
  outcomes: Outcome[]
}

interface Flakiness {
  rule: HealthRule
  first: Outcome
  /** The latest evidence. */
  last: Outcome
  evidence: EvidenceRun[]
  /** Passes since the latest evidence, and how many are needed. */
  passes: number
  needed: number
}

class HealthState {
  readonly #policy: HealthPolicy
  readonly #changes: HealthChange[] = []
  readonly #counts = { results: 0, passed: 0, failed: 0, retried: 0, excused: 0 }
  #health: Health | null = null
  #rule: HealthRule = 'few_results'
  #since: EvidenceRun | null = null
  #evidence: EvidenceRun[] = []
  #last: Outcome | null = null
  #row: Row | null = null
  #defaultResults = 0
  #isolated: { outcome: Outcome; place: number }[] = []
  /** Evidence of flakiness since the test was last healthy. */
  #flaky: Flakiness | null = null
  readonly #commits = new Map<string, { passed: Outcome | null; failed: Outcome | null }>()
  #graceUntil = -Infinity
  /** Failures and results on the default branch outside of rows that made the test broken. */
  #chance = { failed: 0, results: 0 }

  constructor(policy: HealthPolicy) {
    this.#policy = policy
  }

  add(outcome: Outcome): void {
    this.#last = outcome
    this.#counts.results++
    if (outcome.failed) this.#counts.failed++
    else this.#counts.passed++
    if (outcome.retried) this.#counts.retried++
    const speaks = !(outcome.excused && (outcome.failed || outcome.retried))
    if (!speaks) this.#counts.excused++
    if (!speaks && !outcome.failed) return
    if (speaks) this.#collect(outcome)
    // A test can also be broken together with others.
    if (outcome.isDefault) this.#addToRow(outcome, speaks)
    const flaky = this.#flaky
    // The failure rate until the latest evidence: a long quiet time must not make the test look like one that fails rarely.
    if (flaky?.last === outcome) flaky.needed = this.#passesNeeded()
    else if (flaky && !outcome.failed && !outcome.retried) flaky.passes++
    this.#decide(outcome)
  }

  /** Evidence on one commit counts on every branch. */
  #collect(outcome: Outcome): void {
    if (!outcome.isDefault && outcome.at < this.#graceUntil) return
    if (outcome.retried) this.#open('retried', outcome, [outcome])
    if (outcome.commit === null) return
    const known = this.#commits.get(outcome.commit) ?? { passed: null, failed: null }
    this.#commits.set(outcome.commit, known)
    const opposite = outcome.failed ? known.passed : known.failed
    // Later passes on a commit where the test once failed are no further evidence.
    if (opposite && (outcome.failed || known.passed === null)) this.#open('same_commit', outcome, [opposite, outcome])
    known[outcome.failed ? 'failed' : 'passed'] ??= outcome
  }

  #addToRow(outcome: Outcome, speaks: boolean): void {
    const row = this.#row
    if (row?.failed === outcome.failed) {
      row.length++
      row.excused ||= outcome.excused
      if (row.outcomes.length < maxRow) row.outcomes.push(outcome)
    } else {
      if (row?.length === 1 && row.before && !row.excused && !row.before.excused && speaks) {
        this.#addIsolated(row.first, outcome)
      }
      const excused = outcome.failed && outcome.excused
      this.#row = { failed: outcome.failed, first: outcome, length: 1, before: row, excused, outcomes: [outcome] }
      if (row) row.before = null
    }
    if (!speaks) return
    this.#defaultResults++
    this.#chance.results++
    if (outcome.failed || outcome.retried) this.#chance.failed++
    if (!outcome.failed) return
    // Every failure of a flaky test on the default branch is evidence that it still is.
    if (this.#flaky) this.#open(this.#flaky.rule, outcome, [outcome])
  }

  #addIsolated(isolated: Outcome, confirmedBy: Outcome): void {
    const { isolatedDays, isolatedWindow, isolatedResults } = this.#policy
    this.#isolated = this.#isolated.filter(
      ({ outcome, place }) =>
        isolated.at - outcome.at <= isolatedDays * dayMs || this.#defaultResults - place <= isolatedWindow,
    )
    this.#isolated.push({ outcome: isolated, place: this.#defaultResults })
    if (this.#isolated.length < isolatedResults) return
    this.#open(
      'isolated',
      confirmedBy,
      this.#isolated.map(({ outcome }) => outcome),
    )
  }

  #open(rule: HealthRule, at: Outcome, about: readonly Outcome[]): void {
    const evidence = about.map(shown)
    if (this.#flaky) {
      this.#flaky.last = at
      this.#flaky.passes = 0
      this.#flaky.evidence = joined(this.#flaky.evidence, evidence)
    } else this.#flaky = { rule, first: about[0] ?? at, last: at, evidence, passes: 0, needed: 0 }
  }

  #decide(outcome: Outcome): void {
    const { newResults } = this.#policy
    const row = this.#row
    if (row?.failed === true && row.length >= this.#brokenAfter(row.length) && this.#isNoOutage(row, outcome)) {
      return this.#become('broken', 'failures_in_a_row', outcome, row.first, row.outcomes.map(shown))
    }
    if (this.#health === 'broken' && row?.failed === true) return
    const flaky = this.#flaky
    if (flaky && !outcome.failed && this.#isQuiet(flaky, outcome.at)) {
      this.#flaky = null
      this.#isolated = []
      return this.#become('healthy', 'quiet', outcome, outcome, [shown(outcome)])
    }
    if (flaky) return this.#become('flaky', flaky.rule, outcome, flaky.first, flaky.evidence)
    if (this.#health === 'broken') return this.#become('healthy', 'passed_again', outcome, outcome, [shown(outcome)])
    // Once it was judged, a test does not become new again.
    if (this.#health === 'healthy') return
    if (this.#counts.results < newResults) return this.#become('new', 'few_results', outcome, outcome, [])
    this.#become('healthy', 'no_evidence', outcome, outcome, [])
  }

  /** The passes must be so many that the test would hardly have reached them with its failure rate, or last very long. */
  #isQuiet({ passes, needed, last }: Flakiness, at: number): boolean {
    const { quietDays, quietPasses } = this.#policy
    const days = (at - last.at) / dayMs
    if (days < quietDays || passes < quietPasses) return false
    return passes >= needed || days >= longQuiet * quietDays
  }

  #passesNeeded(): number {
    const { failed, results } = this.#chance
    const expected = failed === 0 ? 0 : Math.ceil((-Math.log(0.05) * results) / failed)
    return Math.max(this.#policy.quietPasses, expected)
  }

  /** A test that fails in a third of its runs fails three times in a row every few days. */
  #brokenAfter(length: number): number {
    const { brokenFailures } = this.#policy
    if (!this.#flaky) return brokenFailures
    // A rate from few results says little: one more result of each kind is assumed.
    const failed = Math.max(0, this.#chance.failed - length) + 1
    const rate = failed / (Math.max(0, this.#chance.results - length) + 2)
    return Math.max(brokenFailures, Math.min(maxRow, Math.ceil(Math.log(unlikely) / Math.log(rate))))
  }

  /** An outage also fails a test many times in a row, but rarely for a whole day. */
  #isNoOutage({ first, excused }: Row, latest: Outcome): boolean {
    return !excused || latest.at - first.at >= dayMs
  }

  #become(to: Health, rule: HealthRule, at: Outcome, since: Outcome, evidence: EvidenceRun[]): void {
    this.#evidence = withoutMiddle(evidence)
    if (to === this.#health) return
    const { runId, commit } = at
    this.#changes.push({ from: this.#health, to, rule, at: at.at, runId, commit, evidence: this.#evidence })
    this.#health = to
    this.#rule = rule
    // A test that nothing speaks against is so from its first result on.
    this.#since = rule === 'few_results' || rule === 'no_evidence' ? null : shown(since)
  }

  /** Drops all evidence from before the fix. */
  confirm({ at, runId, commit }: ConfirmedFix): void {
    this.#flaky = null
    this.#isolated = []
    this.#row = null
    this.#commits.clear()
    this.#chance = { failed: 0, results: 0 }
    this.#graceUntil = at + graceMs
    const fix: Outcome = {
      runId,
      at,
      commit,
      isDefault: true,
      failed: false,
      retried: false,
      fingerprint: null,
      excused: false,
    }
    if (this.#health !== 'healthy') this.#become('healthy', 'confirmed_fix', fix, fix, [shown(fix)])
  }

  end(latestRunAt: number): JudgedHealth {
    const { staleDays, quietDays } = this.#policy
    const last = this.#last
    if (last && latestRunAt - last.at >= staleDays * dayMs) {
      this.#become('stale', 'unseen', { ...last, at: last.at + staleDays * dayMs }, last, [shown(last)])
    }
    const flaky = this.#health === 'flaky' ? this.#flaky : null
    const { failed, results } = this.#chance
    return {
      health: this.#health ?? 'new',
      rule: this.#rule,
      since: this.#since,
      evidence: this.#evidence,
      changes: this.#changes,
      counts: this.#counts,
      unsettled: this.#row?.failed === true,
      failureRate: results === 0 ? 0 : failed / results,
      missing: flaky && {
        passes: Math.max(0, flaky.needed - flaky.passes),
        days: Math.max(0, quietDays - ((last?.at ?? flaky.last.at) - flaky.last.at) / dayMs),
      },
    }
  }
}

const shown = ({ runId, at, commit, failed, fingerprint }: Outcome): EvidenceRun => ({
  runId,
  at,
  commit,
  failed,
  fingerprint,
})

/** Joins evidence without repeating a run. */
function joined(known: readonly EvidenceRun[], added: readonly EvidenceRun[]): EvidenceRun[] {
  const runs = new Set(added.map(({ runId }) => runId))
  return withoutMiddle([...known.filter(({ runId }) => !runs.has(runId)), ...added])
}

/** The evidence that opened the state stays. */
const withoutMiddle = (all: EvidenceRun[]): EvidenceRun[] =>
  all.length <= maxEvidence ? all : [...all.slice(0, opening), ...all.slice(opening - maxEvidence)]
