import { type PlanSettings, planSettingsOf } from '../engines/test-plan/plan.ts'
import type { CoreClient } from './core-client.ts'

/** Returns what the owner of a project set about running its tests; undefined where the token may not read it. */
export async function findPlanSettings(core: CoreClient, projectId: string): Promise<PlanSettings | undefined> {
  try {
    return planSettingsOf(await core.projects.getProjectSettings.query({ projectId }))
  } catch {
    // They only make an analysis more exact.
    return undefined
  }
}
