import type { Known } from './observe.ts'
import { brokenTests } from '../../../engines/verdicts/run-facts.ts'
import type { Mutation } from './mutate.ts'
import { suiteStep } from '../../workspaces/runner/steps.ts'
import type { Task } from './task.ts'

const maxCompared = 8
const budgetMs = 120_000

/**
 * Checks whether a test that covers nothing new kills a mutant that survives the project's own tests. Returns 1 after the
 * first such mutant, and null if the test kills no mutant.
 */
export async function countNewlyKilled(
  task: Task,
  { tried }: Pick<Mutation, 'tried'>,
  { known, wallMs, needsOriginal }: { known: Known; wallMs: number; needsOriginal: boolean },
): Promise<number | null> {
  const killed = tried.filter(({ outcome }) => outcome === 'killed')
  if (killed.length === 0) return null
  // Without other tests, or if they cannot run without the original file, every killed mutant counts as new.
  if (task.isFirst || needsOriginal) return killed.length
  const { workspace } = task
  const step = suiteStep(workspace.part, { coverage: false })
  const deadline = performance.now() + budgetMs
  const compared = spread(killed, maxCompared)
  for (const [index, { layer }] of compared.entries()) {
    if (index > 0 && performance.now() > deadline) break
    task.report('comparing', index, compared.length)
    const outcome = await workspace.run({ step, wallMs, withTest: false, layers: [layer] })
    if (brokenTests(outcome, [], known.failures).length === 0) return 1
  }
  return 0
}

/** Selects items from all over the list, because the same test often kills neighboring mutants. */
function spread<Item>(items: readonly Item[], max: number): Item[] {
  if (items.length <= max) return [...items]
  return items.filter(
    (_, index) => Math.floor((index * max) / items.length) !== Math.floor(((index - 1) * max) / items.length),
  )
}
