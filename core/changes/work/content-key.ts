import type { PlanPart } from '../../../engines/test-plan/plan.ts'
import { digest } from '../../workspaces/digest.ts'
import type { ChangeRow } from '../entity.ts'
import type { FetchedSide } from './fetch-sides.ts'
import type { Task } from './task.ts'

/** Increase it with every change that can lead to another verdict for the same runs. */
const edition = 10

type Conditions = Pick<Task, 'settings' | 'executor' | 'environment'>

/** Returns a digest of everything that the results of a side's own tests depend on. */
export function sideKey(
  { settings, executor, environment }: Conditions,
  { commitSha, trust, parts, problem }: FetchedSide,
): string {
  const { timeoutSeconds, testNetwork } = settings
  const variables = Object.entries(environment).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const conditions = [timeoutSeconds, testNetwork, executor.name, variables]
  return digest(['change', edition, commitSha, trust, parts, problem, ...conditions])
}

/** Returns a digest of everything that the verdict depends on. */
export function contentKey(
  conditions: Conditions,
  sides: { head: FetchedSide; base: FetchedSide; testParts: readonly PlanPart[] },
  { intent, repeats, mutants }: ChangeRow,
): string {
  const keys = [sideKey(conditions, sides.head), sideKey(conditions, sides.base)]
  return digest([...keys, sides.testParts, intent, repeats, mutants])
}
