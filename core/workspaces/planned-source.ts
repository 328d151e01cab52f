import type { Context } from '../base/context.ts'
import type { ProjectRow } from '../projects/entity.ts'
import type { ProjectSettings } from '../projects/schema.ts'
import type { TaskRunner } from '../../engines/processes/tasks.ts'
import { detectPlanApart, planTask } from '../../engines/test-plan/detect-apart.ts'
import { PlanError, type PlanPart, type PlanType, type RunPlan, type Selection } from '../../engines/test-plan/plan.ts'
import { select } from '../../engines/test-plan/select.ts'
import { RunFailure } from './run-failure.ts'
import { type OpenedSource, type SourceRef, withSource } from './source.ts'

interface Wanted extends SourceRef {
  type: PlanType
  selection: Selection | null
  /** Finds the selection once the commit is there, in place of `selection`. Without a path and a test in it nothing runs. */
  selectIn?: ((source: OpenedSource) => Promise<Selection | null>) | undefined
  /** Whether a part runs all its tests if its runner does not support the selection. */
  elseAll: boolean
}

/**
 * Fetches a commit, detects how to test it, and calls `work` while the commit is available.
 *
 * @param runner - for the task that reads the manifests
 * @throws RunFailure if the commit cannot be fetched or no test plan is found
 */
export function withPlannedSource<T>(
  ctx: Context,
  runner: TaskRunner,
  project: Omit<ProjectRow, 'settings'>,
  settings: ProjectSettings,
  wanted: Wanted,
  work: (source: OpenedSource, plan: RunPlan) => Promise<T>,
): Promise<T> {
  runner.warm(planTask)
  return withSource(ctx, project, wanted, async (source) =>
    work(source, await planOf(runner, source, settings, wanted)),
  )
}

async function planOf(
  runner: TaskRunner,
  source: OpenedSource,
  settings: ProjectSettings,
  { type, selection: given, selectIn, elseAll }: Wanted,
): Promise<RunPlan> {
  try {
    const plan = await detectPlanApart(runner, source.tree, settings, type)
    const selection = selectIn ? await selectIn(source) : given
    if (selectIn && selection?.paths.length === 0 && selection.tests.length === 0) return { parts: [] }
    return selection ? restrict(plan, selection, elseAll) : plan
  } catch (error) {
    if (error instanceof PlanError) throw new RunFailure(error.code, error.message)
    throw error
  }
}

/**
 * Restricts a plan to a selection, and omits parts without a selected test.
 *
 * @param elseAll - whether a part runs whole if its runner cannot be restricted; otherwise such a part is omitted
 * @throws RunFailure if no part remains
 */
export function restrict(plan: RunPlan, selection: Selection, elseAll: boolean): RunPlan {
  const whole = (part: PlanPart, why: string) => ({ ...part, notes: [...part.notes, `All tests run: ${why}`] })
  const parts: PlanPart[] = []
  const reasons: string[] = []
  for (const part of plan.parts) {
    const selected = select(part, selection)
    if ('step' in selected) parts.push({ ...part, test: selected.step })
    else if (elseAll && selected.holdsNone === undefined) parts.push(whole(part, selected.unsupported))
    else reasons.push(selected.unsupported)
  }
  if (parts.length > 0) return { parts }
  if (elseAll) return { parts: plan.parts.map((part) => whole(part, reasons.join(' '))) }
  throw new RunFailure('unsupported', `The run cannot be restricted to the selected tests: ${reasons.join(' ')}`)
}
