import type { Known } from './observe.ts'
import { brokenTests } from '../../../engines/verdicts/run-facts.ts'
import type { Mutation } from './mutate.ts'
import { suiteStep } from '../../workspaces/runner/steps.ts'
import type { Task } from './task.ts'

const maxCompared = 8
const budgetMs = 120_000

export interface NewlyKilled {
  /** 1 if such a mutant was found, 0 if not; null if the test kills no mutant. */
  count: number | null
  /** Whether the time was over before all chosen mutants were tried. */
  isOpen: boolean
  /** The number of mutants that the project's own tests were tried against. Missing if there was nothing to try. */
  compared?: number
}

/**
 * Checks whether a test that covers nothing new kills mutants that survive the project's own tests. Each mutant is tried
 * once, however often the caller asks.
 */
export function compareKills(task: Task) {
  /** The tests that fail with each mutant. */
  const noticedBy = new Map<string, string[]>()
  return async (
    { tried }: Pick<Mutation, 'tried'>,
    { known, wallMs, needsOriginal, dueAt }: { known: Known; wallMs: number; needsOriginal: boolean; dueAt: number },
  ): Promise<NewlyKilled> => {
    const killed = tried.filter(({ outcome }) => outcome === 'killed')
    if (killed.length === 0) return { count: null, isOpen: false }
    // Without other tests, or if they cannot run without the original file, every killed mutant counts as new.
    if (task.isFirst || needsOriginal) return { count: killed.length, isOpen: false }
    const { workspace } = task
    const step = suiteStep(workspace.part, { coverage: false })
    const deadline = Math.min(performance.now() + budgetMs, dueAt)
    const compared = spread(killed, maxCompared)
    const isMissed = (titles: readonly string[]) => titles.every((title) => known.failures.has(title))
    if ([...noticedBy.values()].some(isMissed)) return { count: 1, isOpen: false }
    for (const [index, { layer }] of compared.entries()) {
      if (noticedBy.has(layer)) continue
      if (noticedBy.size > 0 && performance.now() > deadline)
        return { count: 0, isOpen: true, compared: noticedBy.size }
      task.report('comparing', index, compared.length)
      const outcome = await workspace.run({ step, wallMs, withTest: false, layers: [layer] })
      const titles = brokenTests(outcome, [], new Set())
      noticedBy.set(layer, titles)
      if (isMissed(titles)) return { count: 1, isOpen: false }
    }
    return { count: 0, isOpen: false, compared: noticedBy.size }
  }
}

/** Selects items from all over the list, because the same test often kills neighboring mutants. */
function spread<Item>(items: readonly Item[], max: number): Item[] {
  if (items.length <= max) return [...items]
  return items.filter(
    (_, index) => Math.floor((index * max) / items.length) !== Math.floor(((index - 1) * max) / items.length),
  )
}
