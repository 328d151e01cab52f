import { coreFailure, type CoreClient } from '../client/core-client.ts'
import { findLocalProject } from '../client/find-project.ts'
import type { LocalRepository } from '../client/local-repository.ts'
import { findMeasured, type Measured } from '../client/measured-ancestor.ts'
import { findPlanSettings } from '../client/plan-settings.ts'
import type { Scope } from '../core/base/schema.ts'
import type { PlanSettings } from '../engines/test-plan/plan.ts'
import type { Context } from './context.ts'
import { CommandError, notAllowed } from './failure.ts'
import { whileMeasuring } from './follow-measurement.ts'
import { noProjectFor, projectForCheckout } from './project.ts'

/** The facts of a project that make the analysis of its checkout more exact. */
export interface KnownOfCheckout extends Measured {
  planSettings?: PlanSettings | undefined
}

const lookUpMs = 2_000

/** Asks the server for the measured coverage and the settings of a checkout. Measures its commit first on request. */
async function findKnown(
  core: CoreClient,
  { projectId, root, measure }: { projectId: string; root: string; measure: boolean },
  context: Context,
): Promise<KnownOfCheckout> {
  const measured = await measureOrFind(core, { projectId, root, measure }, context)
  return { ...measured, planSettings: await findPlanSettings(core, projectId) }
}

/** Measures the commit of a checkout. Returns why that was not possible. */
export async function measureCheckout(
  core: CoreClient,
  { projectId, root }: { projectId: string; root: string },
  context: Context,
): Promise<string | null> {
  return (await measureOrFind(core, { projectId, root, measure: true }, context)).problem
}

const measureOrFind = (
  core: CoreClient,
  wanted: { projectId: string; root: string; measure: boolean },
  context: Context,
): Promise<Measured> => findMeasured<never>(core, wanted, (ask) => whileMeasuring(context, ask))

/** Like `findKnown`, but without `measure` the checkout needs no project, no login and no server. */
export async function findIfKnown(
  repository: LocalRepository,
  measure: boolean,
  context: Context,
): Promise<KnownOfCheckout> {
  const { root } = repository
  if (measure) {
    const core = await context.core()
    await requireScopes(core, ['analysis:run', 'tests:run'])
    const project = await projectForCheckout(core, repository, context)
    if (!project) throw noProjectFor(repository)
    return findKnown(core, { projectId: project.id, root, measure }, context)
  }
  try {
    const core = await context.core()
    const project = await findLocalProject(core, repository, AbortSignal.timeout(lookUpMs))
    if (project) return await findKnown(core, { projectId: project.id, root, measure }, context)
  } catch (error) {
    if (context.signal.aborted || !(coreFailure(error) || error instanceof CommandError)) throw error
  }
  return { ancestor: undefined, problem: null }
}

export async function requireScopes(core: CoreClient, wanted: readonly Scope[]): Promise<void> {
  const { scopes } = await core.tokens.current.query()
  const missing = wanted.find((scope) => !scopes.includes(scope))
  if (missing !== undefined)
    throw notAllowed(`Not allowed: your token lacks the scope ${missing}. \`assay whoami\` shows its scopes.`)
}
