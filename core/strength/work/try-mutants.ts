import { availableParallelism } from 'node:os'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { driverFiles, loadsLast } from '../../../engines/strength/driver.ts'
import type { ExecutionOutcome } from '../../../engines/sandbox/executor.ts'
import { readEvent } from '../../../engines/strength/events.ts'
import type { SeenTest } from '../../../engines/strength/kept-reach.ts'
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
  /** Returns the path of a test file in the repository. */
  pathOf: (file: string) => string
  budgetMs: number
  report: (done: number, total: number) => void
}

/** The time for ending the driver after its budget. */
const graceMs = 30_000

/** A driver that has died is started again, unless less time is left. */
const leastMs = 2_000
const maxStarts = 5

/**
 * Tries mutants with the tests of a part, until all are tried or the time is over. A test can end the driver. The test
 * files that were running then try mutants alone, and none if that happens again.
 */
export async function tryMutants(trying: Trying): Promise<void> {
  const { ctx, layered, part, step, program, spared, tally, dependent, paths, pathOf, budgetMs, report } = trying
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
  const wantedNow = () =>
    inTurns(inSources).map(({ id, mutant: { path, line, start, end, replacement } }) => {
      const { first, accepted } = spared.hints.get(id) ?? {}
      return {
        id,
        probe: program.probes.get(id),
        path,
        line,
        start,
        end,
        replacement,
        ...((tally.isNoticed(id) || tally.hasDecided(id)) && { isDone: true }),
        ...(first && { first }),
        ...(accepted && { accepted: accepted.map(positionOf) }),
      }
    })
  const stopAt = Date.now() + budgetMs
  tally.beginPart({ loadsLast: loadsLast(part.framework) })
  const known: Record<string, SeenTest[]> = Object.fromEntries(
    spared.known.flatMap(({ path, tests }) => {
      const own = tests.filter((test) => test.part === tally.part)
      return own.length === 0 ? [] : [[path, own] as const]
    }),
  )
  const last = new Set<string>()
  const left = new Set<string>()
  let total = 0
  const runDriver = async () => {
    const wanted = wantedNow()
    const now = { known, dependent, last: [...last], left: [...left] }
    const input = { wanted, testFiles, stopAt, workers: availableParallelism(), ...now }
    const { execution } = await layered.run({
      part,
      step,
      wallMs: Math.max(0, stopAt - Date.now()) + graceMs,
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
    return execution
  }
  for (let starts = 1; ; starts++) {
    const before = tally.decided.size
    const ended = await runDriver()
    if (tally.hasEnded || Date.now() > stopAt - leastMs) return
    const running = [...new Set(tally.running.map(pathOf))]
    const isNew = running.some((path) => !left.has(path))
    const isFinal = starts === maxStarts || (!isNew && tally.decided.size === before)
    for (const path of running) (last.has(path) ? left : last).add(path)
    const isLeft = running.some((path) => left.has(path))
    tally.warn(earlyEnd(ended, { running, isLeft, isFinal }))
    if (isFinal || isLeft) tally.noteBroken()
    if (isFinal) return
    if (loadsLast(part.framework)) Object.assign(known, seenBy(tally, pathOf))
    for (const path of left) known[path] ??= []
    tally.beginAgain()
  }
}

/** What the tests of files are known to reach, because the driver said so before it died. */
function seenBy(tally: Tally, pathOf: (file: string) => string): Record<string, SeenTest[]> {
  return Object.fromEntries(
    tally.reaches().flatMap(({ file, hasFailed, tests }) => {
      const own = hasFailed ? [] : (tests ?? []).filter((test) => test.part === tally.part)
      return own.length === 0 ? [] : [[pathOf(file), own] as const]
    }),
  )
}

const maxNamed = 3

function earlyEnd(
  { signal, exitCode, message }: Pick<ExecutionOutcome, 'signal' | 'exitCode' | 'message'>,
  { running, isLeft, isFinal }: { running: readonly string[]; isLeft: boolean; isFinal: boolean },
): string {
  const how = message ?? (signal === null ? `It exited with code ${exitCode}.` : `Signal ${signal} ended it.`)
  const named = running.slice(0, maxNamed).join(', ') + (running.length > maxNamed ? ' and others' : '')
  const where = running.length === 0 ? '' : ` while it ran ${named}`
  const lost = 'They may notice what others accept.'
  const next = isFinal
    ? `Assay did not start it again, so that some tests did not try all changes. ${lost}`
    : isLeft
      ? `That was the second time, so that Assay tried no other changes with these tests. ${lost}`
      : 'Assay started it again.'
  return `The test runner ended early${where}. ${how} ${next}`
}
