import { allSettled } from '../../base/all-settled.ts'
import { limitConcurrency } from '../../base/limit-concurrency.ts'
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

/** Runs the test alone: first in the default order with coverage, then in random orders. */
export async function runAlone(task: Task, baseline: KnownBaseline): Promise<RunsAlone> {
  const { workspace, verification, settings } = task
  const { part, test } = workspace
  const known: Known = { failures: new Set(baseline.failures), shuffled: new Set(), own: new Set() }
  task.report('building')
  const first = aloneStep(part, test, { coverage: true })
  if ('unsupported' in first) {
    task.warn(`The test ran only together with all other tests: ${first.unsupported}`)
    return { runs: [], known, command: null, atOnce: 1 }
  }
  const wallMs = Math.min(settings.timeoutSeconds * 1_000, Math.max(minWallMs, 2 * baseline.shown.durationMs))
  const stepOf = (seed: string | null) => {
    const confined = aloneStep(part, test, { coverage: false, seed })
    return 'step' in confined ? confined.step : first.step
  }
  const how = { kind: 'alone' as const, wallMs }
  const watched = watchedStep(part, test, watchShare * wallMs)
  const measuring = { step: 'step' in watched ? watched.step : first.step, unmeasured: stepOf(null), warmsUp: true }
  const runs = [await observe(task, known, { ...how, ...measuring, seed: null })]
  const [measured] = runs
  const atOnce = howManyFit(task.ctx.config.runs.memoryBytes, measured?.outcome.execution.usage.peakMemoryBytes ?? null)
  const command = commandOf(part.directory, first.step.short ?? first.step.command)

  const wanted = repeatsAfter(measured, verification.repeats)
  const inSlot = limitConcurrency(atOnce)
  const deadline = performance.now() + budgetMs
  task.report('repeating', 1, wanted)
  const others = Array.from({ length: wanted - 1 }, (_, index) =>
    inSlot(async () => {
      if (index > 0 && performance.now() > deadline) return []
      const seed = seedOf(task, index)
      const seen = await observe(task, known, { ...how, seed, step: stepOf(seed), beside: atOnce })
      runs.push(seen)
      task.report('repeating', runs.length, wanted)
      return [seen]
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

const titlesOf = (observed: Observed | undefined) => new Set(observed?.own.map(testTitle))

const commandOf = (directory: string, command: string) => (directory === '' ? command : `cd ${directory} && ${command}`)
