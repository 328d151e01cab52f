import type { PlanPart } from '../../../engines/test-plan/plan.ts'
import type { RunOutcome } from '../../../engines/verdicts/outcome.ts'
import { testTitle } from '../../../engines/verdicts/own-tests.ts'
import type { Tried } from './mutate.ts'
import { runStepOf } from './side.ts'
import { failuresIn, ownStages, type Stage, suiteStages, type Trying } from './stages.ts'

/** Tests that fail on the unchanged head after other code was tried, although they passed before. */
export interface LateFailures {
  runs: readonly RunOutcome[]
  titles: ReadonlySet<string>
  /** Whether some are in the new and changed test files. */
  isOfChange: boolean
}

/**
 * Runs tests that noticed other code once more on the unchanged head. Other code runs last, so that a test which depends
 * on the time or on the age of the checkout seems to notice all of it.
 *
 * @returns null if none of them fails
 */
export async function findLateFailures(
  trying: Trying,
  { mutation, restored }: Pick<Tried, 'mutation' | 'restored'>,
): Promise<LateFailures | null> {
  const killed = [...(mutation?.judged ?? []), ...restored].filter(
    ({ outcome }) => outcome !== 'survived' && outcome !== 'invalid',
  )
  if (killed.length === 0) return null
  const own = await runStages(trying, ownStages(trying))
  const ofChange = failing(trying, own)
  if (ofChange.size > 0) return { runs: own, titles: ofChange, isOfChange: true }
  const seen = new Set(own.flatMap(({ cases }) => cases.map(testTitle)))
  const killers = mutation?.judged.flatMap(({ killedBy = [] }) => killedBy) ?? []
  if (own.length > 0 && killers.every((title) => seen.has(title))) return null
  const around = new Map<PlanPart, Stage>()
  for (const { path } of [...restored, ...(mutation?.judged ?? []).map(({ mutant }) => mutant)])
    for (const stage of suiteStages(trying, path, false)) around.set(stage.part, stage)
  const runs = await runStages(trying, [...around.values()])
  const titles = failing(trying, runs)
  return titles.size === 0 ? null : { runs, titles, isOfChange: false }
}

export function saysLate({ titles: late }: LateFailures): string {
  const shown = [...late].slice(0, 3).map((title) => `\`${title}\``)
  const more = late.size > shown.length ? ` and ${late.size - shown.length} more` : ''
  const [fails, these] = late.size === 1 ? ['fails', 'this test'] : ['fail', 'these tests']
  return `${shown.join(', ')}${more} ${fails} on the unchanged code after the mutants had run, and passed before. What ${these} noticed does not count, because the result depends on more than the code, such as the time.`
}

async function runStages({ side }: Trying, stages: readonly Stage[]): Promise<RunOutcome[]> {
  const runs: RunOutcome[] = []
  for (const { part, ...stage } of stages) {
    const outcome = await runStepOf(side, part, stage)
    // A run that a limit ended says nothing about single tests.
    if (outcome.problem === null) runs.push(outcome)
  }
  return runs
}

const failing = ({ failures }: Trying, runs: readonly RunOutcome[]): Set<string> =>
  new Set(runs.flatMap((outcome) => [...failuresIn(outcome)])).difference(failures)
