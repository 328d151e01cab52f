import { taskAt, TaskFailure, type TaskRunner, type TaskWork } from '../processes/tasks.ts'
import type { GoModule } from './go-modules.ts'
import {
  PlanError,
  type PlanPart,
  planSettingsOf,
  type PlanSettings,
  type PlanType,
  type RunPlan,
  type SourceTree,
} from './plan.ts'

type PlanInput =
  | { settings: PlanSettings; type: PlanType }
  /** The parts whose Go modules are wanted. */
  | { goParts: readonly PlanPart[] }

type Planned = { plan: RunPlan } | { problem: Pick<PlanError, 'code' | 'message'> } | { goModules: readonly GoModule[] }

/** Asks for the content of files. */
export type PlanWork = TaskWork<PlanInput, Planned, string, string | null, readonly string[]>

export const planTask = taskAt<PlanWork>(new URL('plan-task.ts', import.meta.url))

/**
 * Detects in another process how the tests of a commit are run.
 *
 * @throws PlanError that names the setting to fill in, if the files do not show it
 */
export async function detectPlanApart(
  runner: TaskRunner,
  tree: SourceTree,
  settings: PlanSettings,
  type: PlanType,
): Promise<RunPlan> {
  const planned = await runPlanTask(runner, tree, { settings: planSettingsOf(settings), type })
  if ('plan' in planned) return planned.plan
  if ('problem' in planned) throw new PlanError(planned.problem.code, planned.problem.message)
  throw new TypeError('The task answered another question.')
}

/** Finds the Go modules of a plan. They map the packages in reports to folders. Longest path first. */
export async function findGoModulesApart(
  runner: TaskRunner,
  tree: SourceTree,
  parts: readonly PlanPart[],
): Promise<readonly GoModule[]> {
  const goParts = parts.filter(({ ecosystem }) => ecosystem === 'go')
  if (goParts.length === 0) return []
  const planned = await runPlanTask(runner, tree, { goParts })
  return 'goModules' in planned ? planned.goModules : []
}

async function runPlanTask(runner: TaskRunner, tree: SourceTree, input: PlanInput): Promise<Planned> {
  try {
    return await runner.run(planTask, input, {
      shared: tree.paths,
      isRepeatable: true,
      onAsk: (path) => tree.read(path),
    })
  } catch (error) {
    if (!(error instanceof TaskFailure) || error.reason === 'lost') throw error
    throw new PlanError(
      'unsupported',
      `The files that say how to run the tests ${error.problem}. Set "workingDirectory" to a folder with fewer of them.`,
    )
  }
}
