import type { Context } from '../base/context.ts'
import { engineRunner } from '../base/engines.ts'
import { invalid } from '../base/errors.ts'
import { getOwnProject } from '../projects/get.ts'
import { ownerOf } from '../projects/owner.ts'
import { storedSnapshot } from '../snapshots/stored-snapshot.ts'
import { wantedState } from '../snapshots/wanted-state.ts'
import { loadProjectSettings } from '../projects/settings.ts'
import { RunFailure } from '../workspaces/run-failure.ts'
import { withPlannedSource } from '../workspaces/planned-source.ts'
import { showPlan } from './run/show-plan.ts'
import type { PlanRun, RunPlanView } from './schema.ts'

/** Returns the commands that a run would execute, with reasons. Does not execute any code of the repository. */
export async function planRun(ctx: Context, input: PlanRun): Promise<RunPlanView> {
  const project = await getOwnProject(ctx, input.projectId, 'member')
  const { type, paths = [] } = input
  const state = await wantedState(ctx, project, input)
  const wanted = {
    ...state,
    snapshot: await storedSnapshot(ctx, project, state),
    type,
    selection: paths.length === 0 ? null : { paths, tests: [] },
    elseAll: false,
  }
  const settings = { ...(await loadProjectSettings(ctx, project.id)), ...input.settings }
  const runner = engineRunner(ctx, 'interactive', ownerOf(project))
  try {
    return await withPlannedSource(ctx, runner, project, settings, wanted, async (source, plan) => ({
      commitSha: source.commitSha,
      branch: source.branch,
      snapshotId: state.snapshotId,
      parts: showPlan(plan),
    }))
  } catch (error) {
    if (error instanceof RunFailure) throw invalid(error.message)
    throw error
  }
}
