import type { Known } from './observe.ts'
import { brokenTests } from '../../../engines/verdicts/run-facts.ts'
import type { Mutation } from './mutate.ts'
import { suiteStep } from '../runner/steps.ts'
import type { Task } from './task.ts'

const maxAsked = 8
const budgetMs = 120_000

/**
 * Whether the test kills a mutant that the project's own tests let live, for one that reaches nothing new: 1 where such
 * a mutant was found, and null where nothing was killed.
 */
export async function countNewlyKilled(
  task: Task,
  { tried }: Mutation,
  { known, wallMs, needsOriginal }: { known: Known; wallMs: number; needsOriginal: boolean },
): Promise<number | null> {
  const killed = tried.filter(({ outcome }) => outcome === 'killed')
  if (killed.length === 0) return null
  // No test can kill what there is no test for, and nothing is known of tests that cannot run by themselves.
  if (task.isFirst || needsOriginal) return killed.length
  const { workspace } = task
  const step = suiteStep(workspace.part, { coverage: false })
  const deadline = performance.now() + budgetMs
  const asked = spread(killed, maxAsked)
  for (const [index, { layer }] of asked.entries()) {
    if (index > 0 && performance.now() > deadline) break
    task.report('comparing', index, asked.length)
    const outcome = await workspace.run({ step, wallMs, withTest: false, layers: [layer] })
    if (brokenTests(outcome, [], known.failures).length === 0) return 1
  }
  return 0
}

/** From all over the list, since neighbours are often killed by the same test. */
function spread<Item>(items: readonly Item[], most: number): Item[] {
  if (items.length <= most) return [...items]
  return items.filter(
    (_, index) => Math.floor((index * most) / items.length) !== Math.floor(((index - 1) * most) / items.length),
  )
}
