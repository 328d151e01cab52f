import type { Share } from '../coverage/coverage.ts'
import { countRanges } from '../coverage/ranges.ts'
import type { GateFacts } from './facts.ts'
import { type PatchCoverage, percentOf } from './patch-coverage.ts'
import type { GatePolicy, Target } from './policy.ts'
import { type GateReason, gateRules, type GateState } from './schema.ts'
import { trendOf } from './trend.ts'
import * as words from './words.ts'

type GateRule = GateReason['rule']

export interface GateDecision {
  state: GateState
  /** Those that fail come first, then those that wait; in each group the most important first. */
  reasons: GateReason[]
}

/** Judges a change by all rules of a policy. `error` and `failure` win over `pending`, because nothing can mend them but a change. */
export function decideGate(facts: GateFacts, policy: GatePolicy): GateDecision {
  const reasons = judgements(facts, policy)
  const ranked = reasons.toSorted((a, b) => rank(a) - rank(b) || gateRules.indexOf(a.rule) - gateRules.indexOf(b.rule))
  const has = (outcome: GateReason['outcome']) => reasons.some((reason) => reason.outcome === outcome)
  if (has('failed')) return { state: 'failure', reasons: ranked }
  if (has('error')) return { state: 'error', reasons: ranked }
  if (has('waiting')) return { state: facts.isDeadlineOver ? 'error' : 'pending', reasons: ranked }
  return { state: 'success', reasons: ranked }
}

const order = ['failed', 'error', 'waiting', 'passed', 'nothing'] as const
const rank = ({ outcome }: GateReason) => order.indexOf(outcome)

type Judged = Omit<GateReason, 'rule' | 'component'>

const passed = (text: string): Judged => ({ outcome: 'passed', text, fix: null })
const nothing = (text: string): Judged => ({ outcome: 'nothing', text, fix: null })
const failed = (text: string, fix: string): Judged => ({ outcome: 'failed', text, fix })
const waiting = (text: string, fix: string): Judged => ({ outcome: 'waiting', text, fix })
const inError = (text: string, fix: string): Judged => ({ outcome: 'error', text, fix })

function judgements(facts: GateFacts, policy: GatePolicy): GateReason[] {
  const { rules } = policy
  const isComplete = awaited(facts, policy) === null && facts.runs.open === 0 && facts.runs.ended > 0
  const reasons: GateReason[] = []
  const add = (rule: GateRule, judged: Judged | null, component: string | null = null) => {
    if (judged) reasons.push({ rule, component, ...judged })
  }
  add('runs', judgeRuns(facts))
  add('uploads', judgeUploads(facts, policy))
  if (rules.noNewFailures) add('new_failures', judgeFailures(facts))
  if (rules.noNewFlaky) add('new_flaky', judgeFlaky(facts))
  const covering = (judge: (patch: PatchCoverage) => Judged | null, patch: PatchCoverage | null) =>
    patch ? (isComplete ? judge(patch) : null) : null
  add(
    'patch',
    covering((patch) => judgePatch(patch, rules.patchTarget, facts, policy), facts.patch),
  )
  add(
    'uncovered_lines',
    covering((patch) => judgeUncovered(patch, rules.maxUncovered, policy), facts.patch),
  )
  for (const [index, { name, patchTarget, maxUncovered }] of policy.components.entries()) {
    const patch = facts.components[index] ?? null
    add(
      'component',
      covering((patch) => judgePatch(patch, patchTarget, facts, policy), patch),
      name,
    )
    add(
      'component',
      covering((patch) => judgeUncovered(patch, maxUncovered, policy), patch),
      name,
    )
  }
  add(
    'unmeasured',
    covering((patch) => judgeUnmeasured(patch, facts, policy), facts.patch),
  )
  if (rules.requireProof) add('proof', judgeProof(facts))
  if (rules.killedMutants !== null) add('mutants', judgeMutants(facts, rules.killedMutants))
  if (isComplete) add('project', judgeProject(facts, policy))
  return reasons
}

/** What the coverage of a commit still waits for; null if it is complete. */
function awaited({ uploads }: GateFacts, { uploads: expected }: GatePolicy): { text: string; fix: string } | null {
  return uploads === null || uploads.isDone ? null : missingOf(uploads, expected)
}

function missingOf(
  uploads: NonNullable<GateFacts['uploads']>,
  expected: GatePolicy['uploads'],
): { text: string; fix: string } | null {
  const missing = expected.names.filter((name) => !uploads.names.includes(name))
  if (missing.length > 0) return words.missingUploads(missing)
  if (expected.count !== null && uploads.count < expected.count) return words.fewUploads(uploads.count, expected.count)
  return expected.untilDone ? words.notDone(uploads.count) : null
}

function judgeRuns({ runs, incomparable }: GateFacts): Judged | null {
  const [error] = runs.errors
  if (incomparable !== null) return inError(...words.incomparable(incomparable))
  if (error) return inError(...words.runWithoutResult(error.message, runs.errors.length))
  if (runs.open > 0) return waiting(...words.openRuns(runs.open))
  if (runs.ended === 0) return waiting(...words.noRun())
  return passed(words.endedRuns(runs.ended))
}

function judgeUploads(facts: GateFacts, policy: GatePolicy): Judged | null {
  const { uploads } = facts
  const { names, count, untilDone } = policy.uploads
  if (uploads === null || !(names.length > 0 || count !== null || untilDone)) return null
  const missing = awaited(facts, policy)
  if (missing) return waiting(missing.text, missing.fix)
  const lacking = missingOf(uploads, { ...policy.uploads, untilDone: false })
  return lacking ? nothing(words.endedEarly(lacking.text)) : passed(words.allUploads(uploads.count))
}

function judgeFailures({ failures, runs }: GateFacts): Judged | null {
  if (failures.freshCount > 0) return failed(...words.newFailures(failures))
  if (runs.withTests === 0) return runs.ended > 0 ? nothing('No run of the commit reports tests.') : null
  return passed(words.noNewFailures(failures))
}

function judgeFlaky({ flaky, runs }: GateFacts): Judged | null {
  if (flaky.freshCount > 0) return failed(...words.newFlaky(flaky))
  return runs.withTests > 0 ? passed('No test became flaky with the change.') : null
}

/** Of the changed lines; with `partialIsUncovered`, lines with a missing branch do not count as covered. */
export function coveredOf({ lines, files }: PatchCoverage, partialIsUncovered: boolean): Share {
  const partial = partialIsUncovered ? files.reduce((sum, file) => sum + file.partial.length, 0) : 0
  return { covered: lines.covered - partial, total: lines.total }
}

function judgePatch(patch: PatchCoverage, target: Target, facts: GateFacts, { rules }: GatePolicy): Judged | null {
  if (target === null) return null
  const share = coveredOf(patch, rules.partialIsUncovered)
  const percent = percentOf(share)
  const unknown = patch.files.filter(({ state }) => state === 'unknown')
  if (unknown.length > 0) return inError(...words.unknownLines(unknown.map(({ path }) => path)))
  if (percent === null) return nothing(words.nothingToCover(facts.runs.withCoverage, patch))
  const wanted = target === 'auto' ? facts.project?.base && percentOf(facts.project.base) : target
  if (wanted === null || wanted === undefined) return nothing(words.noBaseCoverage(percent))
  if (reaches(percent, wanted, rules.tolerance)) return passed(words.patchPassed(share, percent, wanted, target))
  return failed(...words.patchFailed(share, percent, wanted, { target, tolerance: rules.tolerance, patch }))
}

/** Compares unrounded. The tiny amount is for sums of decimals, such as 79.9 + 0.1. */
const reaches = (percent: number, wanted: number, tolerance: number) => percent >= wanted - tolerance - 1e-9

export const uncoveredOf = ({ files }: PatchCoverage, partialIsUncovered: boolean): number =>
  files.reduce(
    (sum, { uncovered, partial }) => sum + countRanges(uncovered) + (partialIsUncovered ? partial.length : 0),
    0,
  )

function judgeUncovered(patch: PatchCoverage, maximum: number | null, { rules }: GatePolicy): Judged | null {
  if (maximum === null) return null
  const count = uncoveredOf(patch, rules.partialIsUncovered)
  if (count <= maximum) return passed(words.fewUncovered(count, maximum))
  return failed(...words.manyUncovered(count, maximum, patch))
}

function judgeUnmeasured(patch: PatchCoverage, facts: GateFacts, { rules }: GatePolicy): Judged | null {
  const paths = patch.files.flatMap(({ path, state }) => (state === 'unmeasured' ? path : []))
  if (paths.length === 0) return null
  const said = words.unmeasured(paths, facts)
  return rules.requireMeasured ? failed(said.text, said.fix) : { outcome: 'nothing', ...said }
}

function judgeProof({ proof }: GateFacts): Judged {
  if (proof === null) return waiting(...words.noProof())
  if (proof.verdict === 'proved') return passed('`assay verify` proved the change.')
  if (proof.verdict === 'no_code_changed') return nothing('The change contains no code that could be proved.')
  return failed(...words.notProved(proof.verdict))
}

function judgeMutants({ mutants }: GateFacts, wanted: number): Judged {
  if (mutants === null) return waiting(...words.noMutants())
  const percent = percentOf({ covered: mutants.killed, total: mutants.total })
  if (percent === null) return nothing('The changed lines contain nothing that could be changed to try the tests.')
  if (reaches(percent, wanted, 0)) return passed(words.mutantsPassed(mutants, percent, wanted))
  return failed(...words.mutantsFailed(mutants, percent, wanted))
}

/** What the removal of code takes away does not count against the change. */
function judgeProject({ project }: GateFacts, { rules }: GatePolicy): Judged | null {
  const { projectTarget: target, projectTolerance: tolerance } = rules
  const head = project && percentOf(project.head)
  if (target === null || head === null) return null
  const trend = trendOf(project)
  if (target === 'auto' && !trend) return nothing(words.noBaseCoverage(head))
  const wanted = target === 'auto' ? (trend ? trend.base + Math.min(0, trend.fromRemoved) : 0) : target
  if (reaches(head, wanted, tolerance)) return passed(words.projectPassed(head, trend))
  return failed(...words.projectFailed(head, wanted, { tolerance, trend }))
}
