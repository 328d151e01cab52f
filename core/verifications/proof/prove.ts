import { findBaseline } from './baseline.ts'
import { evidenceOf, type ProofEvidence } from './evidence.ts'
import { beyond, coverageGain } from '../../../engines/verdicts/coverage-gain.ts'
import type { Facts } from '../../../engines/verdicts/facts.ts'
import { inferTargetApart, locateTargetApart } from '../../../engines/verdicts/judge-apart.ts'
import { addedStyle, readTestStyle } from '../../../engines/verdicts/test-style.ts'
import { judgeRuns } from '../../../engines/verdicts/stability.ts'
import { judge } from '../../../engines/verdicts/verdict.ts'
import { type Mutating, type Mutation, prepareMutants } from './mutate.ts'
import { countNewlyKilled } from './newly-killed.ts'
import { repeatAlone, runAloneOnce, type RunsAlone, titlesOf } from './run-alone.ts'
import { type RunsWithSuite, suiteWith } from './run-with-suite.ts'
import { readDependences } from '../../../engines/verdicts/dependences/read-dependences.ts'
import type { Dependence } from '../../../engines/verdicts/dependences/schema.ts'
import { shown } from '../../base/repository-path.ts'
import { RunFailure } from '../../workspaces/run-failure.ts'
import { testFoldersHint } from '../../workspaces/runner/test-folders.ts'
import type { Measured } from '../../../engines/verdicts/outcome.ts'
import type { CoverageGain, Verdict, VerificationTarget } from '../../../engines/verdicts/schema.ts'
import type { Task } from './task.ts'

export interface Proof {
  verdict: Verdict
  evidence: ProofEvidence
}

/** The phases that a provisional verdict leaves open. */
export type Open = NonNullable<ProofEvidence['notRun']>

/**
 * Reaches a verdict on a test in the order of what tells most: runs it once alone and once with all others, tries mutants,
 * and then repeats the runs in other orders. Stops as soon as the verdict is clear.
 *
 * @param baselineKey - identifies the results of the project's own tests
 * @param publish - receives the provisional verdict, before the repeats
 * @throws RunFailure if no verdict can be reached
 */
export async function proveTest(
  task: Task,
  baselineKey: string,
  publish: (proof: Proof) => Promise<void>,
): Promise<Proof> {
  const { workspace, verification } = task
  const { part, test, original } = workspace
  const dueAt = performance.now() + verification.budgetSeconds * 1_000
  const given = verification.target && (await exactTarget(task, verification.target))
  const [baseline, style, originalStyle] = await Promise.all([
    findBaseline(task, baselineKey),
    readTestStyle(task.runner, test.path, test.code),
    original && readTestStyle(task.runner, original.path, original.code),
  ])
  if (style === null) {
    task.warn(
      'Assay could not count the assertions of the test. Its syntax is invalid, or its language is not supported.',
    )
  }
  const { needsOriginal } = baseline
  if (needsOriginal) {
    task.warn(
      `Other tests of the project need the ${test.path} of the commit, so the comparison includes it: code that it covers does not count as gained, and every killed mutant counts as newly killed.`,
    )
  }
  const first = await runAloneOnce(task, baseline)
  const measured = first.runs[0]?.outcome.coverage ?? null
  const target = given ?? (await infer(task, measured, baseline.coverage))
  const dependsOn = await dependencesOf(task, first)
  const observed = {
    path: test.path,
    target,
    framework: part.framework,
    extendsCommitted: original !== null,
    style: addedStyle(style, originalStyle),
    testFoldersHint: testFoldersHint(part, workspace.paths, test.path),
  }
  const conclude = (
    alone: RunsAlone,
    suite: Pick<RunsWithSuite, 'runs' | 'breakChecks'>,
    worth: Pick<Facts, 'coverage' | 'mutation'> | null,
    notRun: Open = [],
  ): Proof | null => {
    const runs = {
      ...observed,
      alone: alone.runs.map(({ facts }) => facts),
      suite: suite.runs.map(({ facts }) => facts),
      breakChecks: suite.breakChecks,
    }
    const judgement = worth ? judge({ ...runs, ...worth }) : judgeRuns(runs)
    if (!judgement) return null
    const seen = { part, baseline, alone, suite, dependsOn, notRun }
    return { verdict: judgement.verdict, evidence: evidenceOf({ ...runs, ...worth }, judgement, seen) }
  }

  const suite = suiteWith(task, baseline)
  let mutating: Mutating | null | undefined
  let coverage: CoverageGain | null = null
  let newlyKilled: number | null = null
  /** Measures what the test is worth, after a run with the suite. */
  const measureWorth = async (alone: RunsAlone, together: RunsWithSuite, deadline: number) => {
    const after = together.runs[0]?.outcome.coverage ?? null
    if (mutating === undefined) {
      coverage = gainOf(task, { before: baseline.coverage, after, alone: measured, target })
      mutating = await prepareMutants(task, target && { ...target, isGiven: given !== null }, alone, coverage)
    }
    await mutating?.tryUntil(deadline)
    const mutation = mutating?.result() ?? null
    if (mutation && !newlyKilled && !hasGained(coverage)) {
      const how = { known: together.known, wallMs: slowest(together), needsOriginal }
      newlyKilled = await countNewlyKilled(task, mutation, how)
    }
    return { coverage, mutation: mutation && factsOf(mutation, newlyKilled) }
  }

  const repeats = dependsOn?.length === 0 ? Math.min(repeatsWithoutDoubt, verification.repeats) : verification.repeats
  if (first.runs[0]?.facts.run.outcome === 'passed') {
    const once = await suite.runTo(1, { ...first.known, own: titlesOf(first.runs[0]) })
    if (once.runs.length > 0 && !conclude(first, once, null)) {
      const openNow = (): Open => ((mutating?.left ?? 0) > 0 ? ['repeats', 'mutants'] : ['repeats'])
      let worth = await measureWorth(first, once, dueAt)
      let provisional = conclude(first, once, worth, openNow())
      // One more mutant can turn a test that notices nothing into one that does. The repeats cannot.
      if (provisional?.verdict !== 'accepted' && (mutating?.left ?? 0) > 0) {
        worth = await measureWorth(first, once, Infinity)
        provisional = conclude(first, once, worth, openNow())
      }
      if (provisional) await publish(provisional)
    }
  }
  const alone = await repeatAlone(task, first, repeats)
  const early = alone.runs.length === 0 ? null : conclude(alone, { runs: [], breakChecks: [] }, null)
  if (early) return early
  const together = await suite.runTo(repeats, alone.known)
  const unstable = conclude(alone, together, null)
  if (unstable) return unstable
  const worth = await measureWorth(alone, together, Infinity)
  task.report('judging')
  const proof = conclude(alone, together, worth)
  if (!proof) throw new Error('A measured test must have a verdict.')
  return proof
}

/** The repeats of a test that depends on nothing but the code. */
const repeatsWithoutDoubt = 2

const factsOf = (mutation: Mutation, newlyKilled: number | null): Facts['mutation'] => ({
  found: mutation.found,
  passedBy: mutation.passedBy,
  inNewLines: mutation.inNewLines,
  noticesText: mutation.noticesText,
  seed: mutation.seed,
  judged: mutation.tried,
  newlyKilled,
})

/** Returns what the test depends on beside the code; null if Assay could not measure what it reaches. */
async function dependencesOf({ runner, workspace }: Task, { runs: [first] }: RunsAlone): Promise<Dependence[] | null> {
  const alone = first?.outcome.coverage
  if (!alone || first?.facts.run.outcome !== 'passed') return null
  const { test, paths } = workspace
  return readDependences(runner, { test, alone, paths, read: (path) => workspace.read(path) })
}

/** Prefers code that only the test covers, because a file can contain older tests of other code. */
async function infer(
  { runner, workspace: { test, paths, original } }: Task,
  alone: Measured | null,
  before: Measured | null,
): Promise<VerificationTarget | null> {
  if (original && alone && before) {
    const added = beyond(alone, before)
    const target = await inferTargetApart(runner, test, paths, added)
    if (target && added.files[target.path]?.covered) return target
  }
  return inferTargetApart(runner, test, paths, alone)
}

/** Gives the symbol of the target its lines at the commit: verdict and advice are about these. */
async function exactTarget({ runner, workspace }: Task, target: VerificationTarget): Promise<VerificationTarget> {
  const source = target.symbol === undefined ? null : await workspace.read(target.path)
  if (source === null) return target
  const located = await locateTargetApart(runner, target, source)
  if ('target' in located) return located.target
  const names = located.known.map((name) => shown(name)).join(', ')
  const instead =
    names === '' ? 'The file has no functions or classes.' : `The nearest names in the file are: ${names}.`
  const what = `${shown(target.path)} has no function or class named ${shown(target.symbol ?? '')} at this commit.`
  throw new RunFailure(
    'unknown_symbol',
    `${what} ${instead} Omit the symbol to verify the test against the whole file.`,
  )
}

function gainOf(
  { workspace, warn }: Task,
  {
    before,
    after,
    alone,
    target,
  }: Record<'before' | 'after' | 'alone', Measured | null> & {
    target: VerificationTarget | null
  },
): CoverageGain | null {
  if (!before || !after) {
    // Agents, users of the command line and of the API read it, so that it names no procedure.
    warn(
      'Assay could not measure what the test covers, because this runner reports no coverage. The warnings of a test run say why.',
    )
    return null
  }
  return coverageGain({ before, after, alone, target, testPath: workspace.test.path })
}

const hasGained = (coverage: CoverageGain | null) =>
  coverage !== null && coverage.newProjectLines + coverage.newProjectBranches + coverage.newTargetBranches > 0

const minWallMs = 60_000

/** A few times the duration of all tests. */
const slowest = ({ runs }: RunsWithSuite) =>
  minWallMs + 4 * Math.max(...runs.map(({ outcome }) => outcome.execution.usage.wallMs))
