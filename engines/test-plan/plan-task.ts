import type { TaskContext } from '../processes/tasks.ts'
import { detectPlan } from './detect.ts'
import { findGoModules, type GoModule } from './go-modules.ts'
import { PlanError, type PlanPart, type PlanSettings, type PlanType, type RunPlan } from './plan.ts'

export type PlanInput =
  | { settings: PlanSettings; type: PlanType }
  /** The parts whose Go modules are wanted. */
  | { goParts: readonly PlanPart[] }

export type Planned =
  | { plan: RunPlan }
  | { problem: Pick<PlanError, 'code' | 'message'> }
  | { goModules: readonly GoModule[] }

/** The task of `detect-apart.ts`. Asks for the content of files. */
export default async function plan(
  input: PlanInput,
  { shared: paths, ask }: TaskContext<string, string | null, readonly string[]>,
): Promise<Planned> {
  const tree = { paths, read: ask }
  if ('goParts' in input) return { goModules: await findGoModules(tree, input.goParts) }
  try {
    return { plan: await detectPlan(tree, input.settings, input.type) }
  } catch (error) {
    if (!(error instanceof PlanError)) throw error
    return { problem: { code: error.code, message: error.message } }
  }
}
