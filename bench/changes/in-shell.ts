import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { relatedStep, selectedStep, suiteStep } from '../../core/workspaces/runner/steps.ts'
import { applyMutant, type Mutant } from '../../engines/mutation/mutant.ts'
import type { PlanPart, Step } from '../../engines/test-plan/plan.ts'
import type { ShellCheckout } from '../run/in-shell.ts'
import type { NewTest } from '../verify/new-tests.ts'

/** Both sides of a change, checked out and installed. Commands run side by side in as many of them as there are. */
export interface Lane {
  base: ShellCheckout
  head: ShellCheckout
}

/** What a verification of the change runs. */
export interface ShellRuns {
  part: PlanPart
  change: NewTest
  repeats: number
  mutants: readonly Mutant[]
  /** Whether the tests of the head run with coverage. */
  coverage: boolean
}

/** A suite that takes longer does not run for the mutants that the tests of the change let survive. */
const maxFastSuiteMs = 20_000

/**
 * Does what a verification does, as a user would with a script: the whole suites and the first run on the base one after
 * the other, repeats and mutants side by side. Returns the milliseconds of each kind of command, and the survivors.
 */
export async function runInShell(
  lanes: readonly Lane[],
  { part, change: { source, test }, repeats, mutants, coverage }: ShellRuns,
): Promise<{ times: Record<string, number>; survived: number }> {
  const [first] = lanes
  if (!first) throw new Error('there is no lane')
  const own = stepFor(part, test)
  const suite = suiteStep(part, { coverage: false })
  const headMs = (await first.head.run(suiteStep(part, { coverage }))).ms
  const baseMs = (await first.base.run(suite)).ms
  for (const { base, head } of lanes) await cp(join(head.root, test.path), join(base.root, test.path))
  const withoutMs = (await first.base.run(own)).ms
  const repeatMs = await sideBySide(
    lanes,
    Array.from({ length: repeats - 1 }, () => [
      ({ head }: Lane) => head.run(own),
      ({ base }: Lane) => base.run(own),
    ]).flat(),
  )

  const later = relatedStep(part, [source.path]) ?? (headMs > maxFastSuiteMs ? own : suite)
  let survived = 0
  const tryMutant = async ({ head }: Lane, mutant: Mutant) => {
    await writeFile(join(head.root, source.path), applyMutant(source.text, mutant))
    const passes = async (step: Step) => (await head.run(step)).exitCode === 0
    if ((await passes(own)) && (await passes(later))) survived++
    await writeFile(join(head.root, source.path), source.text)
  }
  const unchangedMs = mutants.length === 0 ? 0 : (await first.head.run(own)).ms
  const mutantMs = await sideBySide(
    lanes,
    mutants.map((mutant) => (lane: Lane) => tryMutant(lane, mutant)),
  )
  return {
    times: {
      'all tests of the head': headMs,
      'all tests of the base': baseMs,
      'tests of the change on the base': withoutMs,
      'the same tests again': repeatMs,
      mutants: unchangedMs + mutantMs,
    },
    survived,
  }
}

function stepFor(part: PlanPart, test: NewTest['test']): Step {
  const selected = selectedStep(part, { files: [test], cases: [] }, { coverage: false })
  if ('unsupported' in selected) throw new Error(selected.unsupported)
  return selected.step
}

/** Works on the jobs in all lanes, and returns the milliseconds until the last one has ended. */
async function sideBySide(
  lanes: readonly Lane[],
  jobs: readonly ((lane: Lane) => Promise<unknown>)[],
): Promise<number> {
  const startedAt = performance.now()
  const waiting = jobs.values()
  await Promise.all(
    lanes.map(async (lane) => {
      for (const job of waiting) await job(lane)
    }),
  )
  return performance.now() - startedAt
}
