import { availableParallelism } from 'node:os'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { driverFiles, loadsLast } from '../../../engines/strength/driver.ts'
import { readEvent } from '../../../engines/strength/events.ts'
import type { Spared } from '../../../engines/strength/kept.ts'
import { inTurns } from '../../../engines/strength/order.ts'
import type { Tally } from '../../../engines/strength/tally.ts'
import type { PlanPart, Step } from '../../../engines/test-plan/plan.ts'
import type { Context } from '../../base/context.ts'
import type { LayeredCheckout } from '../../workspaces/layered-checkout.ts'
import type { SwitchedProgram } from './find-mutants.ts'

export interface Trying {
  ctx: Context
  layered: LayeredCheckout
  part: PlanPart
  /** The command of the driver. */
  step: Step
  program: SwitchedProgram
  spared: Spared
  tally: Tally
  /** The test files whose tests depend on each other. */
  dependent: readonly string[]
  paths: readonly string[]
  budgetMs: number
  report: (done: number, total: number) => void
}

/** The time for ending the driver after its budget. */
const graceMs = 30_000

/** Tries mutants with the tests of a part, until all are tried or the time is over. */
export async function tryMutants(trying: Trying): Promise<void> {
  const { ctx, layered, part, step, program, spared, tally, dependent, paths, budgetMs, report } = trying
  const layer = await layered.newLayer('.')
  for (const [path, source] of program.sources) {
    await mkdir(dirname(join(layer, path)), { recursive: true })
    await writeFile(join(layer, path), source)
  }
  const testFiles: string[] = []
  const positions = new Map<string, number>()
  const positionOf = (path: string) => {
    const at = positions.get(path) ?? testFiles.push(path) - 1
    positions.set(path, at)
    return at
  }
  const inSources = program.mutants.filter(({ id }) => !program.left.has(id) || tally.isNoticed(id))
  const wanted = inTurns(inSources).map(({ id, mutant: { path, line, start, end, replacement } }) => {
    const { first, accepted } = spared.hints.get(id) ?? {}
    return {
      id,
      probe: program.probes.get(id),
      path,
      line,
      start,
      end,
      replacement,
      ...(tally.isNoticed(id) && { isDone: true }),
      ...(first && { first }),
      ...(accepted && { accepted: accepted.map(positionOf) }),
    }
  })
  const stopAt = Date.now() + budgetMs
  tally.beginPart({ loadsLast: loadsLast(part.framework) })
  const known = Object.fromEntries(
    spared.known.flatMap(({ path, tests }) => {
      const own = tests.filter((test) => test.part === tally.part)
      return own.length === 0 ? [] : [[path, own] as const]
    }),
  )
  const input = { wanted, testFiles, dependent, known, stopAt, workers: availableParallelism() }
  let total = 0
  await layered.run({
    part,
    step,
    wallMs: budgetMs + graceMs,
    layers: [layer],
    paths,
    test: null,
    inputs: { [driverFiles.wanted]: JSON.stringify(input) },
    follow: {
      name: driverFiles.events,
      onLine: (line) => {
        const event = readEvent(line)
        if (event === null) return
        if (!tally.take(event)) return
        // The tests have run, so that it is known what they reach.
        total ||= inSources.filter(({ id }) => tally.isReached(id) || tally.decided.has(id)).length
        report(tally.decided.size, total)
      },
    },
  })
  ctx.signal.throwIfAborted()
}
