import type { Facts } from '../../../engines/verdicts/facts.ts'
import { coverageGain } from '../../../engines/verdicts/coverage-gain.ts'
import type { Measured } from '../../../engines/verdicts/outcome.ts'
import { sentence } from '../../../engines/verdicts/sentences.ts'
import { whyUnmeasured } from '../../../engines/test-plan/why-unmeasured.ts'
import type { CoverageGain } from '../../../engines/verdicts/schema.ts'
import type { CorrectCoverage } from '../../../engines/verdicts/uncalled-lines.ts'
import type { FoundBaseline } from './baseline.ts'
import { type Mutating, prepareMutants } from './mutate.ts'
import { compareKills, type NewlyKilled } from './newly-killed.ts'
import type { Observed } from './observe.ts'
import type { RunsAlone } from './run-alone.ts'
import type { RunsWithSuite } from './run-with-suite.ts'
import type { WantedTarget } from './target.ts'
import type { Task } from './task.ts'

type Known = Pick<Facts, 'coverage' | 'mutation'>

/** What a test is worth. It is measured in portions, because callers want to know soon. */
export interface Worth {
  /** Tries mutants until all were tried, or the time is over, but a few at least. */
  tryMutants(alone: RunsAlone, deadline: number): Promise<void>
  /** The number of mutants that are still to be tried. */
  readonly left: number
  /** Returns what the run alone says, before all tests ran with the test. Without a baseline nothing counts as new. */
  soFar(baseline: FoundBaseline | null): Promise<Known>
  /** Returns what the run of all tests says. `isOpen`: the project's own tests were not compared with all mutants. */
  measure(how: Measuring): Promise<Known & { isOpen: boolean }>
}

interface Measuring {
  alone: RunsAlone
  baseline: FoundBaseline
  together: RunsWithSuite
  /** From then on, no more mutants are tried or compared, but a few at least. */
  dueAt: number
}

/** @param alone - the coverage of the test alone, as its runner reports it */
export function worthOf(
  task: Task,
  target: WantedTarget | null,
  alone: Measured | null,
  correct: CorrectCoverage,
): Worth {
  const compare = compareKills(task)
  let mutating: Mutating | null | undefined
  let coverage: CoverageGain | null | undefined
  const gain = async (before: Measured | null, after: Measured | null) => {
    if (!before || !after) return null
    const { path: testPath } = task.workspace.test
    const corrected = {
      before: await correct(before),
      after: await correct(after),
      alone: alone && (await correct(alone)),
    }
    return coverageGain({ ...corrected, reported: { before, after, alone }, target, testPath })
  }
  const tryMutants = async (runs: RunsAlone, deadline: number) => {
    if (mutating === undefined) mutating = await prepareMutants(task, target, runs, coverage ?? null)
    await mutating?.tryUntil(deadline)
  }
  const facts = (newlyKilled: number | null, compared?: number): Facts['mutation'] => {
    if (!mutating) return null
    const { tried, ...mutation } = mutating.result()
    return { ...mutation, judged: tried, newlyKilled, ...(compared !== undefined && { compared }) }
  }
  return {
    tryMutants,
    get left() {
      return mutating?.left ?? 0
    },
    soFar: async (baseline) => ({
      coverage: await gain(baseline ? baseline.coverage : alone, alone),
      mutation: facts(null),
    }),
    async measure({ alone: runs, baseline, together, dueAt }) {
      if (coverage === undefined) {
        coverage = await gain(baseline.coverage, together.runs[0]?.outcome.coverage ?? null)
        // Agents, users of the command line and of the API read it, so that it names no procedure.
        if (!coverage) task.warn(whyNotCovered(task, [...runs.runs, ...together.runs]))
      }
      await tryMutants(runs, dueAt)
      const how = { known: together.known, wallMs: slowest(together), needsOriginal: baseline.needsOriginal, dueAt }
      const none: NewlyKilled = { count: null, isOpen: false }
      const { count, isOpen, compared } =
        mutating && !hasGained(coverage) ? await compare(mutating.result(), how) : none
      return { coverage, mutation: facts(count, compared), isOpen }
    },
  }
}

function whyNotCovered({ workspace }: Task, runs: readonly Observed[]): string {
  const output = runs.map((run) => run.outcome.output).join('\n')
  const reason = whyUnmeasured(output, workspace.part.notes)
  return reason === null
    ? 'Assay could not measure what the test covers, because this runner reports no coverage. The warnings of a test run say why.'
    : `Assay could not measure what the test covers: ${sentence(reason)}`
}

const hasGained = (coverage: CoverageGain | null) =>
  coverage !== null && coverage.newProjectLines + coverage.newProjectBranches + coverage.newTargetBranches > 0

const minWallMs = 60_000

/** A few times the duration of all tests. */
const slowest = ({ runs }: RunsWithSuite) =>
  minWallMs + 4 * Math.max(...runs.map(({ outcome }) => outcome.execution.usage.wallMs))
