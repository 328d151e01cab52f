import { includesLine, parseRanges, type Ranges } from '../../../engines/coverage/ranges.ts'
import type { ExecutionOutcome } from '../../../engines/sandbox/executor.ts'
import { limitConcurrency } from '../../base/limit-concurrency.ts'
import { digest } from '../../workspaces/digest.ts'
import type { JudgedRun, MutantOutcome, MutationFacts } from '../../../engines/verdicts/facts.ts'
import { linesReached, newLinesOf } from '../../../engines/verdicts/coverage-gain.ts'
import { readExpectedErrors } from '../../../engines/verdicts/test-style.ts'
import { mutantOutcome } from '../../../engines/verdicts/run-facts.ts'
import { findMutants } from '../../../engines/mutation/find-mutants.ts'
import { applyMutant, changeNothing, presentMutant } from '../../../engines/mutation/mutant.ts'
import { sampleMutants } from '../../../engines/mutation/sample-mutants.ts'
import { type Known, withoutKnown } from './observe.ts'
import { allSettled } from '../../base/all-settled.ts'
import type { RunsAlone } from './run-alone.ts'
import type { Measured, TestFile } from '../../../engines/verdicts/outcome.ts'
import { ownCases } from '../../../engines/verdicts/own-tests.ts'
import { aloneStep } from '../../workspaces/runner/steps.ts'
import type { CoverageGain, VerificationTarget } from '../../../engines/verdicts/schema.ts'
import type { Task } from './task.ts'
import type { Execution } from './workspace.ts'

/** A mutant with the outcome of the test, and the layer that contains the mutant. */
export interface TriedMutant extends JudgedRun {
  layer: string
}

export interface Mutation extends Omit<MutationFacts, 'judged' | 'newlyKilled'> {
  tried: TriedMutant[]
}

const everything: Ranges = [[1, Number.MAX_SAFE_INTEGER]]
/** Generous, because a busy machine slows everything down. Endless mutants reach the limit of processor time first. */
const minWallMs = 20_000
const minCpuMs = 3_000

/**
 * Runs the test alone against mutants of its target, and for a test that changes a committed file, against mutants of
 * lines that only it covers, if there are such lines. Leaves out the mutants that the committed version detects. Returns
 * null without a readable target, and if mutants are off.
 */
export async function mutate(
  task: Task,
  target: VerificationTarget | null,
  alone: RunsAlone,
  gain: CoverageGain | null,
): Promise<Mutation | null> {
  const { runner, workspace, verification } = task
  const [measured] = alone.runs
  if (target === null || measured === undefined || verification.mutants === 0) return null
  const source = await workspace.read(target.path)
  if (source === null) return null
  const { coverage } = measured.outcome
  const { original } = workspace
  const newLines = original && gain ? newLinesOf(gain) : []
  const input = { path: target.path, source, lines: newLines.length > 0 ? newLines : linesOf(target) }
  const covered = coverage ? { covered: coveredOf(coverage, target) } : {}
  const mutants = await findMutants(runner, { ...input, ...covered })
  const passedBy = mutants.length + newLines.length > 0 ? 0 : (await findMutants(runner, input)).length
  const added = parseRanges(gain?.newTargetLines ?? '')
  const inNewLines = mutants.filter(({ line }) => includesLine(added, line)).length
  const seed = digest([verification.code, source]).slice(0, 16)
  const sample = sampleMutants(mutants, verification.mutants, seed)
  if (!coverage && sample.length > 0) {
    task.warn(
      'Assay could not measure which lines the test covers, so mutants in lines that it does not cover may have survived.',
    )
  }
  task.report('mutating', 0, sample.length)
  const { test } = workspace
  const expectedErrors = sample.length > 0 ? await readExpectedErrors(runner, test.path, test.code) : []
  const inSlot = limitConcurrency(alone.atOnce)
  let noticesText = false
  const tried: (TriedMutant | undefined)[] = []
  let done = 0
  const limits = limitsOf(alone)
  const how = { beside: alone.atOnce, expectedErrors, ...limits }
  const attempt = (layer: string) => tryMutant(task, test, alone.known, { layers: [layer], ...how })
  const isKnown = async (layer: string) =>
    original !== null && detected.has(await tryMutant(task, original, alone.known, { layers: [layer], ...how }))
  const tryUnchanged = async () => {
    const layer = await workspace.makeLayer(target.path, changeNothing(target.path, source, sample))
    const fails = async () => ['killed', 'crashed'].includes(await attempt(layer))
    noticesText = (await fails()) && (await fails()) && !(await isKnown(layer))
  }
  await allSettled([
    ...(sample.length > 0 ? [inSlot(tryUnchanged)] : []),
    ...sample.map((mutant, index) =>
      inSlot(async () => {
        const layer = await workspace.makeLayer(target.path, applyMutant(source, mutant))
        let outcome = await attempt(layer)
        // A second try, so that a flaky pass does not count as a survivor.
        if (outcome === 'survived') outcome = await attempt(layer)
        const counts = !detected.has(outcome) || !(await isKnown(layer))
        if (counts) tried[index] = { mutant: presentMutant(mutant), outcome, layer }
        task.report('mutating', ++done, sample.length)
      }),
    ),
  ])
  const judged = tried.filter((mutant) => mutant !== undefined)
  return { found: mutants.length, passedBy, inNewLines, noticesText, seed, tried: judged }
}

const detected: ReadonlySet<MutantOutcome> = new Set(['killed', 'crashed', 'timed_out'])

async function tryMutant(
  { workspace }: Task,
  test: TestFile,
  known: Known,
  { expectedErrors, ...how }: Pick<Execution, 'layers' | 'beside' | 'wallMs' | 'cpuMs'> & { expectedErrors: Ranges },
): Promise<MutantOutcome> {
  const { part } = workspace
  const confined = aloneStep(part, test, { coverage: false })
  if ('unsupported' in confined) return 'invalid'
  const outcome = await workspace.run({ step: confined.step, withTest: test === workspace.test, ...how })
  const own = withoutKnown(workspace, known.failures, ownCases(part, test, outcome, { alone: true }))
  return mutantOutcome(outcome, own, expectedErrors)
}

/** Returns the lines of the target's file that the test reaches, and those that it does not. */
const coveredOf = (coverage: Measured, { path }: VerificationTarget) => ({
  covered: linesReached(coverage, { path }),
  uncovered: parseRanges(coverage.files[path]?.uncovered ?? ''),
})

const linesOf = ({ startLine, endLine }: VerificationTarget): Ranges =>
  startLine === undefined ? everything : [[startLine, Math.max(startLine, endLine ?? startLine)]]

/** Returns many times the resources that the test needs without a mutant. */
function limitsOf({ runs }: RunsAlone): { wallMs: number; cpuMs: number } {
  const max = (of: (usage: ExecutionOutcome['usage']) => number | null) =>
    Math.max(...runs.map(({ outcome }) => of(outcome.execution.usage) ?? 0))
  return {
    wallMs: Math.max(minWallMs, 10 * max(({ wallMs }) => wallMs)),
    cpuMs: Math.max(minCpuMs, 5 * max(({ cpuMs }) => cpuMs)),
  }
}
