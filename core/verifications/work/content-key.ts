import type { ProjectSettings } from '../../projects/schema.ts'
import type { Executor } from '../../../engines/sandbox/executor.ts'
import type { PlanPart } from '../../../engines/test-plan/plan.ts'
import type { Trust } from '../../workspaces/trust.ts'
import type { VerificationRow } from '../entity.ts'
import { reachOf } from '../proof/target.ts'
import { digest } from '../../workspaces/digest.ts'

/** Increase it with every change that can lead to another verdict for the same runs. */
const edition = 12

/** Everything except the test that a run of the project's tests depends on. */
export interface Ground {
  commitSha: string
  /** The parts that are installed, and the part of the test. */
  parts: readonly PlanPart[]
  trust: Trust
  settings: Pick<ProjectSettings, 'timeoutSeconds' | 'testNetwork'>
  executor: Pick<Executor, 'name'>
  /** The environment variables that the tests see. */
  environment: Readonly<Record<string, string>>
  /** The path of the test if the commit contains this very test, which the project's own tests then leave out. */
  hidden: string | null
}

/** Returns a digest of everything that the results of the project's own tests depend on. */
export function baselineKey({ commitSha, parts, trust, settings, executor, environment, hidden }: Ground): string {
  const { timeoutSeconds, testNetwork } = settings
  const variables = Object.entries(environment).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return digest([edition, commitSha, trust, parts, timeoutSeconds, testNetwork, executor.name, variables, hidden])
}

/** Returns a digest of everything that the verdict depends on. */
export function contentKey(ground: Ground, verification: VerificationRow): string {
  const { filePath, code, target, repeats, mutants, withSecrets } = verification
  return digest([baselineKey(ground), filePath, code, target, reachOf(verification), repeats, mutants, withSecrets])
}
