import { type FoundBaseline, loadBaseline, runBaseline } from './baseline.ts'
import { evidenceOf, type ProofEvidence } from './evidence.ts'
import type { Facts } from '../../../engines/verdicts/facts.ts'
import { addedStyle, readTestStyle } from '../../../engines/verdicts/test-style.ts'
import { judgeRuns } from '../../../engines/verdicts/stability.ts'
import { judge } from '../../../engines/verdicts/verdict.ts'
import { aloneWallMs, knownFrom, repeatAlone, runAloneOnce, type RunsAlone, titlesOf } from './run-alone.ts'
import { type RunsWithSuite, suiteWith } from './run-with-suite.ts'
import { readDependences } from '../../../engines/verdicts/dependences/read-dependences.ts'
import type { Dependence } from '../../../engines/verdicts/dependences/schema.ts'
import type { Measured } from '../../../engines/verdicts/outcome.ts'
import type { Verdict, VerificationTarget } from '../../../engines/verdicts/schema.ts'
import { coverageOfCalls } from '../../../engines/verdicts/uncalled-lines.ts'
import { testFoldersHint } from '../../workspaces/runner/test-folders.ts'
import { exactTarget, inferTarget, reachOf } from './target.ts'
import type { Task } from './task.ts'
import { worthOf } from './worth.ts'

export interface Proof {
  verdict: Verdict
  evidence: ProofEvidence
}

/** The phases that a provisional verdict leaves open. */
type Open = NonNullable<ProofEvidence['notRun']>

/**
 * Reaches a verdict on a test in the order of what tells most: runs it once alone, tries mutants, runs the project's own
 * tests without it and with it, and then repeats the runs in other orders. Stops as soon as the verdict is clear.
 *
 * @param baselineKey - identifies the results of the project's own tests
 * @param publish - receives provisional verdicts, each with more evidence than the one before
 * @throws RunFailure if no verdict can be reached
 */
export async function proveTest(
  task: Task,
  baselineKey: string,
  publish: (proof: Proof) => Promise<void>,
): Promise<Proof> {
  const { workspace, verification } = task
  const { part, test, original } = workspace
  const budgetMs = verification.budgetSeconds * 1_000
  const begunAt = performance.now()
  const dueAt = begunAt + budgetMs
  const given = verification.target && (await exactTarget(task, verification.target))
  const compareWithCommit = async () => {
    const found = await runBaseline(task, baselineKey)
    warnOf(task, found)
    return found
  }
  const [loaded, style, originalStyle] = await Promise.all([
    loadBaseline(task, baselineKey),
    readTestStyle(task.runner, test.path, test.code),
    original && readTestStyle(task.runner, original.path, original.code),
  ])
  if (loaded) warnOf(task, loaded)
  if (style === null) {
    task.warn(
      'Assay could not count the assertions of the test. Its syntax is invalid, or its language is not supported.',
    )
  }
  // Only the change of a committed file counts, so what the commit covers must be known first.
  let baseline = loaded ?? (original ? await compareWithCommit() : null)
  let first = await runAloneOnce(task, baseline)
  if (!baseline && first.runs[0]?.facts.run.outcome === 'timeout') {
    baseline = await compareWithCommit()
    // Slow tests may run longer.
    if (aloneWallMs(task, baseline) > first.wallMs) first = await runAloneOnce(task, baseline)
  }
  const measured = first.runs[0]?.outcome.coverage ?? null
  const correct = coverageOfCalls(task.runner, reachedBy(measured, given, test.path), (path) => workspace.read(path))
  const target =
    given ??
    (await inferTarget(
      task,
      measured && (await correct(measured)),
      baseline?.coverage ? await correct(baseline.coverage) : null,
    ))
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

  const worth = worthOf(task, target && { ...target, reach: reachOf(verification) }, measured, correct)
  const leftMutants = (): Open => (worth.left > 0 ? ['mutants'] : [])
  /** Publishes a verdict that the run alone and the mutants decide by themselves. */
  const publishAhead = async (...open: Open) => {
    const proof = conclude(first, withoutSuite, await worth.soFar(baseline), [...open, ...leftMutants()])
    if (proof && !undecided.has(proof.evidence.reason)) await publish(proof)
  }
  const repeats = dependsOn?.length === 0 ? Math.min(repeatsWithoutDoubt, verification.repeats) : verification.repeats
  const isSound = first.runs[0]?.facts.run.outcome === 'passed' && !conclude(first, withoutSuite, null)
  let alone: RunsAlone | undefined
  if (!baseline) {
    if (isSound) {
      // The other half is for the comparison, without which no test is accepted.
      await worth.tryMutants(first, begunAt + budgetMs / 2)
      await publishAhead('comparison', 'suite', 'repeats')
    } else {
      alone = await repeatAlone(task, first, repeats)
      const failing = conclude(alone, withoutSuite, null, ['comparison'])
      if (failing) await publish(failing)
    }
    baseline = await compareWithCommit()
    const { failures } = knownFrom(baseline)
    first = { ...first, known: { ...first.known, failures } }
    alone &&= { ...alone, known: { ...alone.known, failures } }
  }
  const suite = suiteWith(task, baseline)
  if (isSound) {
    if (!original) {
      await worth.tryMutants(first, dueAt)
      await publishAhead('suite', 'repeats')
    }
    const once = await suite.runTo(1, { ...first.known, own: titlesOf(first.runs[0]) })
    const isStable = once.runs.length > 0 && !conclude(first, once, null)
    for (const deadline of isStable ? [dueAt, Infinity] : []) {
      const { isOpen, ...known } = await worth.measure({ alone: first, baseline, together: once, dueAt: deadline })
      const proof = conclude(first, once, known, [...(isOpen ? openComparison : []), 'repeats', ...leftMutants()])
      // Until the comparison has ended, it is unknown whether the project's own tests detect all of these mutants.
      if (proof && !(isOpen && undecided.has(proof.evidence.reason))) await publish(proof)
      // One more mutant can turn a test that notices nothing into one that does. The repeats cannot.
      if (proof?.verdict === 'accepted' || (worth.left === 0 && !isOpen)) break
    }
  }
  alone ??= await repeatAlone(task, first, repeats)
  const early = alone.runs.length === 0 ? null : conclude(alone, withoutSuite, null)
  if (early) return early
  const together = await suite.runTo(repeats, alone.known)
  const unstable = conclude(alone, together, null)
  if (unstable) return unstable
  const { coverage, mutation } = await worth.measure({ alone, baseline, together, dueAt: Infinity })
  task.report('judging')
  const proof = conclude(alone, together, { coverage, mutation })
  if (!proof) throw new Error('A measured test must have a verdict.')
  return proof
}

/** The repeats of a test that depends on nothing but the code. */
const repeatsWithoutDoubt = 2

const withoutSuite = { runs: [], breakChecks: [] }
const openComparison: Open = ['comparison']

/** Reasons that the comparison or the runs with the other tests can overturn. */
const undecided: ReadonlySet<string> = new Set(['nothing_new', 'nothing_measured'])

function warnOf({ workspace, warn }: Task, { needsOriginal }: FoundBaseline): void {
  if (!needsOriginal) return
  warn(
    `Other tests of the project need the ${workspace.test.path} of the commit, so the comparison includes it: code that it covers does not count as gained, and every killed mutant counts as newly killed.`,
  )
}

/** Returns the files that a test reaches, its target first. */
function reachedBy(alone: Measured | null, target: VerificationTarget | null, testPath: string): string[] {
  const reached = Object.entries(alone?.files ?? {}).flatMap(([path, { covered }]) =>
    covered === '' || path === testPath ? [] : path,
  )
  return [...new Set([...reached.filter((path) => path === target?.path), ...reached.toSorted()])]
}

/** Returns what the test depends on beside the code; null if Assay could not measure what it reaches. */
async function dependencesOf({ runner, workspace }: Task, { runs: [first] }: RunsAlone): Promise<Dependence[] | null> {
  const alone = first?.outcome.coverage
  if (!alone || first?.facts.run.outcome !== 'passed') return null
  const { test, paths } = workspace
  return readDependences(runner, { test, alone, paths, read: (path) => workspace.read(path) })
}
