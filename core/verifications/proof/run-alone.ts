import { allSettled } from '../../base/all-settled.ts'
import { limitConcurrency } from '../../base/limit-concurrency.ts'
import type { Step } from '../../../engines/test-plan/plan.ts'
import type { KnownBaseline } from './baseline.ts'
import { type Known, observe, type Observed } from './observe.ts'
import { excuseCommitted, seedOf } from './orders.ts'
import { testTitle } from '../../../engines/verdicts/own-tests.ts'
import { howManyFit } from '../../workspaces/runner/at-once.ts'
import { aloneStep, watchedStep } from '../../workspaces/runner/steps.ts'
import type { Task } from './task.ts'
import { times } from '../../../engines/verdicts/sentences.ts'

/** The runs of the test alone. */
export interface RunsAlone {
  /** Empty if the runner cannot run a single file. */
  runs: Observed[]
  known: Known
  /** The command as a user would type it. */
  command: string | null
  /** How many runs fit into the memory limit of one run at the same time. */
  atOnce: number
}

const minWallMs = 60_000
const budgetMs = 300_000
/** The share of the timeout after which a hanging run prints its stacks, so that enough time remains for that. */
const watchShare = 0.75
/** A timeout of this length is not repeated. Timeouts of test runners are shorter, and repeating them costs little. */
const longTimeoutMs = 20_000

/** The first run of the test alone, and what its repeats need. */
export interface FirstAlone extends RunsAlone {
  wallMs: number
  stepOf: (seed: string | null) => Step
}

/** How long the test may run alone. */
export const aloneWallMs = ({ settings }: Task, baseline: KnownBaseline | null): number =>
  Math.min(settings.timeoutSeconds * 1_000, Math.max(minWallMs, 2 * (baseline?.shown.durationMs ?? 0)))

/** What a baseline says before the test has run. */
export const knownFrom = (baseline: KnownBaseline | null): Known => ({
  failures: new Set(baseline?.failures),
  shuffled: new Set(),
  own: new Set(),
})

/** Runs the test alone once, in the written order with coverage. */
export async function runAloneOnce(task: Task, baseline: KnownBaseline | null): Promise<FirstAlone> {
  const { workspace } = task
  const { part, test } = workspace
  const known = knownFrom(baseline)
  task.report('building')
  const wallMs = aloneWallMs(task, baseline)
  const first = aloneStep(part, test, { coverage: true })
  if ('unsupported' in first) {
    task.warn(`The test ran only together with all other tests: ${first.unsupported}`)
    return { runs: [], known, command: null, atOnce: 1, wallMs, stepOf: () => part.test }
  }
  const stepOf = (seed: string | null) => {
    const confined = aloneStep(part, test, { coverage: false, seed })
    return 'step' in confined ? confined.step : first.step
  }
  const watched = watchedStep(part, test, watchShare * wallMs)
  const measuring = { step: 'step' in watched ? watched.step : first.step, unmeasured: stepOf(null), warmsUp: true }
  const measured = await observe(task, known, { kind: 'alone', wallMs, ...measuring, seed: null })
  const atOnce = howManyFit(task.ctx.config.runs.memoryBytes, measured.outcome.execution.usage.peakMemoryBytes)
  const command = commandOf(part.directory, first.step.short ?? first.step.command)
  return { runs: [measured], known, command, atOnce, wallMs, stepOf }
}

/**
 * Runs the test alone in random orders.
 *
 * @param repeats - how often the test is to run, with its first run
 */
export async function repeatAlone(task: Task, first: FirstAlone, repeats: number): Promise<RunsAlone> {
  const { wallMs, stepOf, atOnce, known, command } = first
  const [measured] = first.runs
  if (measured === undefined) return first
  const runs = [...first.runs]
  const wanted = repeatsAfter(measured, repeats)
  const inSlot = limitConcurrency(atOnce)
  const deadline = performance.now() + budgetMs
  task.report('repeating', 1, wanted)
  const others = Array.from({ length: wanted - 1 }, (_, index) =>
    inSlot(async () => {
      if (index > 0 && performance.now() > deadline) return
      const seed = seedOf(task, index)
      runs.push(await observe(task, known, { kind: 'alone', wallMs, seed, step: stepOf(seed), beside: atOnce }))
      task.report('repeating', runs.length, wanted)
    }),
  )
  await allSettled(others)
  if (runs.length < wanted) {
    task.warn(`The test ran alone ${times(runs.length)} instead of ${wanted} times, because each run took too long.`)
  }
  const compared = await excuseCommitted(task, { ...known, own: titlesOf(measured) }, { runs, wallMs })
  return { ...compared, command, atOnce }
}

/** Decides from the first run how often the test runs in total. */
function repeatsAfter(measured: Observed | undefined, repeats: number): number {
  const { outcome, failures = [], durationMs = 0 } = measured?.facts.run ?? {}
  const isLongTimeout = durationMs > longTimeoutMs && failures.some(({ kind }) => kind === 'timeout')
  if (outcome === 'timeout' || isLongTimeout) return 1
  // A test that cannot be built will fail again. The second run only rules out a problem of the machine.
  return outcome === 'not_built' ? 2 : repeats
}

export const titlesOf = (observed: Observed | undefined): ReadonlySet<string> => new Set(observed?.own.map(testTitle))

const commandOf = (directory: string, command: string) => (directory === '' ? command : `cd ${directory} && ${command}`)
