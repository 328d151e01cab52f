import { findBaseline } from './baseline.ts'
import { evidenceOf, type ProofEvidence } from './evidence.ts'
import { beyond, coverageGain } from '../../../engines/verdicts/coverage-gain.ts'
import type { Facts } from '../../../engines/verdicts/facts.ts'
import { inferTargetApart, locateTargetApart } from '../../../engines/verdicts/judge-apart.ts'
import { addedStyle, readTestStyle } from '../../../engines/verdicts/test-style.ts'
import { judgeRuns } from '../../../engines/verdicts/stability.ts'
import { judge } from '../../../engines/verdicts/verdict.ts'
import { mutate } from './mutate.ts'
import { countNewlyKilled } from './newly-killed.ts'
import { runAlone } from './run-alone.ts'
import { runWithSuite, type RunsWithSuite } from './run-with-suite.ts'
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

/**
 * Reaches a verdict on a test: runs it alone and with all others, then compares coverage and tries mutants. Stops as soon
 * as the verdict is clear.
 *
 * @param baselineKey - identifies the results of the project's own tests
 * @throws RunFailure if no verdict can be reached
 */
export async function proveTest(task: Task, baselineKey: string): Promise<Proof> {
  const { workspace, verification } = task
  const { part, test, original } = workspace
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
  const alone = await runAlone(task, baseline)
  const measured = alone.runs[0]?.outcome.coverage ?? null
  const target = given ?? (await infer(task, measured, baseline.coverage))
  const observed = {
    path: test.path,
    target,
    framework: part.framework,
    alone: alone.runs.map(({ facts }) => facts),
    extendsCommitted: original !== null,
    style: addedStyle(style, originalStyle),
    testFoldersHint: testFoldersHint(part, workspace.paths, test.path),
  }
  const conclude = (suite: RunsWithSuite, worth: Pick<Facts, 'coverage' | 'mutation'> | null): Proof | null => {
    const runs = { ...observed, suite: suite.runs.map(({ facts }) => facts), breakChecks: suite.breakChecks }
    const judgement = worth ? judge({ ...runs, ...worth }) : judgeRuns(runs)
    return (
      judgement && {
        verdict: judgement.verdict,
        evidence: evidenceOf({ ...runs, ...worth }, judgement, { part, baseline, alone, suite }),
      }
    )
  }
  const early = alone.runs.length === 0 ? null : conclude({ runs: [], breakChecks: [] }, null)
  if (early) return early
  const suite = await runWithSuite(task, baseline, alone.known)
  const unstable = conclude(suite, null)
  if (unstable) return unstable

  const together = suite.runs[0]?.outcome.coverage ?? null
  const coverage = gainOf(task, { before: baseline.coverage, after: together, alone: measured, target })
  const mutation = await mutate(task, target, alone, coverage)
  const newlyKilled =
    mutation && !hasGained(coverage)
      ? await countNewlyKilled(task, mutation, { known: suite.known, wallMs: slowest(suite), needsOriginal })
      : null
  task.report('judging')
  const facts = mutation && {
    found: mutation.found,
    passedBy: mutation.passedBy,
    inNewLines: mutation.inNewLines,
    noticesText: mutation.noticesText,
    seed: mutation.seed,
    judged: mutation.tried,
    newlyKilled,
  }
  const proof = conclude(suite, { coverage, mutation: facts })
  if (!proof) throw new Error('A measured test must have a verdict.')
  return proof
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
    warn(
      'Assay could not measure what the test covers, because this runner reports no coverage. testRuns.plan says why.',
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
