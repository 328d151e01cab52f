import type { Context } from '../base/context.ts'
import type { ProjectRow } from '../projects/entity.ts'
import type { ProjectSettings } from '../projects/schema.ts'
import { detectPlan } from '../../engines/test-plan/detect.ts'
import { PlanError, type PlanPart, type PlanType, type RunPlan, type Selection } from '../../engines/test-plan/plan.ts'
import { select } from '../../engines/test-plan/select.ts'
import { RunFailure } from './run-failure.ts'
import { type OpenedSource, withSource } from './source.ts'
import { isWithin } from '../../engines/test-names/paths.ts'

interface Wanted {
  branch: string | null
  commitSha: string | null
  type: PlanType
  selection: Selection | null
  /** Whether to run all tests if the runner does not support the selection. */
  elseAll: boolean
}

/**
 * Fetches a commit, detects how to test it, and calls `work` while the commit is available.
 *
 * @throws RunFailure if the commit cannot be fetched or no test plan is found
 */
export function withPlannedSource<T>(
  ctx: Context,
  project: Omit<ProjectRow, 'settings'>,
  settings: ProjectSettings,
  wanted: Wanted,
  work: (source: OpenedSource, plan: RunPlan) => Promise<T>,
): Promise<T> {
  return withSource(ctx, project, wanted, async (source) => work(source, await planOf(source, settings, wanted)))
}

async function planOf(
  { tree }: OpenedSource,
  settings: ProjectSettings,
  { type, selection, elseAll }: Wanted,
): Promise<RunPlan> {
  try {
    const plan = await detectPlan(tree, settings, type)
    return selection ? restrict(plan, selection, elseAll) : plan
  } catch (error) {
    if (error instanceof PlanError) throw new RunFailure(error.code, error.message)
    throw error
  }
}

const maxGoModules = 200

export interface GoModule {
  path: string
  /** Empty for the root of the repository. */
  folder: string
}

/** Finds the Go modules of a plan. They map the packages in reports to folders. */
export async function goModulesOf({ tree }: Pick<OpenedSource, 'tree'>, plan: RunPlan): Promise<GoModule[]> {
  const parts = plan.parts.filter(({ ecosystem }) => ecosystem === 'go')
  const manifests = tree.paths.filter(
    (path) => /(?:^|\/)go\.mod$/.test(path) && parts.some(({ directory }) => isWithin(path, directory)),
  )
  const modules: GoModule[] = []
  for (const manifest of manifests.slice(0, maxGoModules)) {
    const [, path] = /^module\s+"?([^\s"]+)/m.exec((await tree.read(manifest)) ?? '') ?? []
    if (path !== undefined) modules.push({ path, folder: manifest.slice(0, -'/go.mod'.length) })
  }
  // Longest path first, because the path of a nested module begins with that of the outer one.
  return modules.toSorted((a, b) => b.path.length - a.path.length)
}

/** Restricts a plan to a selection, and omits parts without a selected test. */
function restrict(plan: RunPlan, selection: Selection, elseAll: boolean): RunPlan {
  const parts: PlanPart[] = []
  const reasons: string[] = []
  for (const part of plan.parts) {
    const selected = select(part, selection)
    if ('step' in selected) parts.push({ ...part, test: selected.step })
    else reasons.push(selected.unsupported)
  }
  if (parts.length > 0) return { parts }
  if (elseAll) {
    const note = `All tests run: ${reasons.join(' ')}`
    return { parts: plan.parts.map((part) => ({ ...part, notes: [...part.notes, note] })) }
  }
  throw new RunFailure('unsupported', `The run cannot be restricted to the selected tests: ${reasons.join(' ')}`)
}
