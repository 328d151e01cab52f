import { availableParallelism } from 'node:os'
import { limitConcurrency } from '../../base/limit-concurrency.ts'
import type { KnownBaseline } from './baseline.ts'
import { digest } from './digest.ts'
import { type Known, observe, type Observed } from './observe.ts'
import { testTitle } from '../../../engines/verdicts/own-tests.ts'
import { aloneStep, canShuffle, watchedStep } from '../runner/steps.ts'
import type { Task } from './task.ts'

/** What the test did by itself. */
export interface RunsAlone {
  /** Empty where the runner cannot be confined to the file. */
  runs: Observed[]
  known: Known
  /** As a person would type it. */
  command: string | null
  /** How many fit beside each other in the memory of one run. */
  atOnce: number
}

const minWallMs = 60_000
const budgetMs = 300_000
/** The part of its time after which a run shows where it is, with enough left to do so. */
const watchShare = 0.75
/** Timeouts of runners are shorter, so that repeats cost little and show whether the test is flaky. */
const longTimeoutMs = 20_000
/** Less than that is not even enough to be told from a limit. */
const minMemoryBytes = 256 * 2 ** 20

/** Runs the test by itself: once in the runner's own order and measured, then in others. */
export async function runAlone(task: Task, baseline: KnownBaseline): Promise<RunsAlone> {
  const { workspace, verification, settings } = task
  const { part, test } = workspace
  const known: Known = { failures: new Set(baseline.failures), own: new Set() }
  task.report('building')
  const first = aloneStep(part, test, { coverage: true })
  if ('unsupported' in first) {
    task.warn(`The test was run with all the others only: ${first.unsupported}`)
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
  const atOnce = howManyFit(task, measured)
  const command = commandOf(part.directory, first.step.short ?? first.step.command)
  const result = { runs, known: { ...known, own: titlesOf(measured) }, command, atOnce }

  const wanted = repeatsAfter(measured, verification.repeats)
  const inTurn = limitConcurrency(atOnce)
  const deadline = performance.now() + budgetMs
  task.report('repeating', 1, wanted)
  const others = Array.from({ length: wanted - 1 }, (_, index) =>
    inTurn(async () => {
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
    task.warn(`It was run alone ${runs.length} times instead of ${wanted}: each took too long.`)
  }
  return result
}

/** How often the test runs in all, by what its first run showed. */
function repeatsAfter(measured: Observed | undefined, repeats: number): number {
  const { outcome, failures = [], durationMs = 0 } = measured?.facts.run ?? {}
  const isLongTimeout = durationMs > longTimeoutMs && failures.some(({ kind }) => kind === 'timeout')
  if (outcome === 'timeout' || isLongTimeout) return 1
  // A test that was not built is not built the next time either. The second run rules out a fault of the machine.
  return outcome === 'not_built' ? 2 : repeats
}

/** A number for the runner's random order; null where it knows none. The same test gets the same. */
export function seedOf({ workspace: { part, test } }: Pick<Task, 'workspace'>, index: number): string | null {
  if (!canShuffle(part)) return null
  return String(Number.parseInt(digest([test.code, index]).slice(0, 7), 16) + 1)
}

/** Waits for all of them, so that none goes on after the first has failed. */
export async function allSettled(work: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(work)
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

function howManyFit({ ctx }: Task, measured: Observed | undefined): number {
  const used = measured?.outcome.execution.usage.peakMemoryBytes ?? 0
  // Twice what it took: another order, or a mutant, may take more.
  const fit = Math.floor(ctx.config.runs.memoryBytes / Math.max(minMemoryBytes, 2 * used))
  return Math.max(1, Math.min(availableParallelism(), fit))
}

const titlesOf = (observed: Observed | undefined) => new Set(observed?.own.map(testTitle))

const commandOf = (directory: string, command: string) => (directory === '' ? command : `cd ${directory} && ${command}`)
