import { parseRanges, type Ranges, withoutRanges } from '../../../engines/coverage/ranges.ts'
import type { ExecutionOutcome } from '../../../engines/sandbox/executor.ts'
import { limitConcurrency } from '../../base/limit-concurrency.ts'
import { digest } from './digest.ts'
import type { JudgedRun, MutantOutcome, MutationFacts } from '../../../engines/verdicts/facts.ts'
import { linesReached } from '../../../engines/verdicts/coverage-gain.ts'
import { mutantOutcome } from '../../../engines/verdicts/run-facts.ts'
import { findMutants } from '../../../engines/mutation/find-mutants.ts'
import { applyMutant, changeNothing, presentMutant } from '../../../engines/mutation/mutant.ts'
import { reachedLines } from '../../../engines/mutation/reached-lines.ts'
import { sampleMutants } from '../../../engines/mutation/sample-mutants.ts'
import { allSettled, type RunsAlone } from './run-alone.ts'
import type { Measured } from '../../../engines/verdicts/outcome.ts'
import { ownCases } from '../../../engines/verdicts/own-tests.ts'
import { aloneStep } from '../runner/steps.ts'
import type { VerificationTarget } from '../../../engines/verdicts/schema.ts'
import type { Task } from './task.ts'
import type { Execution } from './workspace.ts'

/** A mutant with what the test made of it, and the layer that it is in. */
export interface TriedMutant extends JudgedRun {
  layer: string
}

export interface Mutation extends Omit<MutationFacts, 'judged' | 'newlyKilled'> {
  tried: TriedMutant[]
}

const everything: Ranges = [[1, Number.MAX_SAFE_INTEGER]]
/** Wide, since a machine that has much to do makes everything slow; what does not end burns its processor time first. */
const minWallMs = 20_000
const minCpuMs = 3_000

/**
 * Has the test run alone against small changes of what it is about; null where that cannot be done: nobody knows what
 * it is about, or the language.
 */
export async function mutate(
  task: Task,
  target: VerificationTarget | null,
  alone: RunsAlone,
): Promise<Mutation | null> {
  const { workspace, verification } = task
  const [measured] = alone.runs
  if (target === null || measured === undefined || verification.mutants === 0) return null
  const source = await workspace.read(target.path)
  if (source === null) return null
  const { coverage } = measured.outcome
  const lines = coverage ? linesToChange(source, coverage, target) : linesOf(target)
  const mutants = await findMutants(target.path, source, lines)
  const passedBy = mutants.length > 0 ? 0 : (await findMutants(target.path, source, linesOf(target))).length
  const seed = digest([verification.code, source]).slice(0, 16)
  const sample = sampleMutants(mutants, verification.mutants, seed)
  if (!coverage && sample.length > 0) {
    task.warn(
      'Which lines the test reaches is not known, as nothing was measured: mutants of lines that it does not reach survive.',
    )
  }
  task.report('mutating', 0, sample.length)
  const inTurn = limitConcurrency(alone.atOnce)
  let noticesText = false
  const tried: (TriedMutant | undefined)[] = []
  let done = 0
  const limits = limitsOf(alone)
  const attempt = (layer: string) => tryMutant(task, { layers: [layer], beside: alone.atOnce, ...limits })
  const tryUnchanged = async () => {
    const layer = await workspace.makeLayer(target.path, changeNothing(target.path, source, sample))
    const fails = async () => ['killed', 'crashed'].includes(await attempt(layer))
    noticesText = (await fails()) && (await fails())
  }
  await allSettled([
    ...(sample.length > 0 ? [inTurn(tryUnchanged)] : []),
    ...sample.map((mutant, index) =>
      inTurn(async () => {
        const layer = await workspace.makeLayer(target.path, applyMutant(source, mutant))
        let outcome = await attempt(layer)
        // Once more before anybody is told that a test notices nothing.
        if (outcome === 'survived') outcome = await attempt(layer)
        tried[index] = { mutant: presentMutant(mutant), outcome, layer }
        task.report('mutating', ++done, sample.length)
      }),
    ),
  ])
  return { found: mutants.length, passedBy, noticesText, seed, tried: tried.filter((mutant) => mutant !== undefined) }
}

async function tryMutant(
  { workspace }: Task,
  how: Pick<Execution, 'layers' | 'beside' | 'wallMs' | 'cpuMs'>,
): Promise<MutantOutcome> {
  const { part, test } = workspace
  const confined = aloneStep(part, test, { coverage: false })
  if ('unsupported' in confined) return 'invalid'
  const outcome = await workspace.run({ step: confined.step, withTest: true, ...how })
  return mutantOutcome(outcome, ownCases(part, test, outcome, { alone: true }))
}

/** Of the target's lines those that the test reaches, and what goes on from there. */
function linesToChange(source: string, coverage: Measured, target: VerificationTarget): Ranges {
  const uncovered = parseRanges(coverage.files[target.path]?.uncovered ?? '')
  const reached = reachedLines(source, linesReached(coverage, { path: target.path }), uncovered)
  return withoutRanges(reached, withoutRanges(reached, linesOf(target)))
}

const linesOf = ({ startLine, endLine }: VerificationTarget): Ranges =>
  startLine === undefined ? everything : [[startLine, Math.max(startLine, endLine ?? startLine)]]

/** Many times what the test takes by itself. */
function limitsOf({ runs }: RunsAlone): { wallMs: number; cpuMs: number } {
  const most = (of: (usage: ExecutionOutcome['usage']) => number | null) =>
    Math.max(...runs.map(({ outcome }) => of(outcome.execution.usage) ?? 0))
  return {
    wallMs: Math.max(minWallMs, 10 * most(({ wallMs }) => wallMs)),
    cpuMs: Math.max(minCpuMs, 5 * most(({ cpuMs }) => cpuMs)),
  }
}
