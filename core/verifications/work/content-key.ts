import type { ProjectSettings } from '../../projects/schema.ts'
import type { Executor } from '../../../engines/sandbox/executor.ts'
import type { PlanPart } from '../../../engines/test-plan/plan.ts'
import type { VerificationRow } from '../entity.ts'
import { digest } from '../proof/digest.ts'

/** To be raised with every change by which the same runs would be judged differently. */
const edition = 4

/** Everything but the test that a run of the project's tests depends on. */
export interface Ground {
  commitSha: string
  part: PlanPart
  settings: Pick<ProjectSettings, 'timeoutSeconds' | 'testNetwork'>
  executor: Pick<Executor, 'name'>
  /** The values that the tests see. */
  environment: Readonly<Record<string, string>>
  /** The commit's own file that the test takes the place of, which is left out; null where there is none. */
  replaced: string | null
}

/** Names what the project's own tests come to. */
export function baselineKey({ commitSha, part, settings, executor, environment, replaced }: Ground): string {
  const { timeoutSeconds, testNetwork } = settings
  const variables = Object.entries(environment).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return digest([edition, commitSha, part, timeoutSeconds, testNetwork, executor.name, variables, replaced])
}

/** Names what a verification comes to. */
export function contentKey(
  ground: Ground,
  { filePath, code, target, repeats, mutants, withSecrets }: VerificationRow,
): string {
  return digest([baselineKey(ground), filePath, code, target, repeats, mutants, withSecrets])
}
