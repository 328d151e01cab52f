import type { Context } from '../base/context.ts'
import type { ProjectRow } from '../projects/entity.ts'
import type { ProjectSettings } from '../projects/schema.ts'
import { detectPlan } from '../../engines/test-plan/detect.ts'
import { PlanError, type PlanPart, type PlanType, type RunPlan, type Selection } from '../../engines/test-plan/plan.ts'
import { select } from '../../engines/test-plan/select.ts'
import { RunFailure } from './run-failure.ts'
import { type OpenedSource, withSource } from './source.ts'

interface Wanted {
  branch: string | null
  commitSha: string | null
  type: PlanType
  selection: Selection | null
  /** Whether everything is run where the selection cannot be kept to. */
  elseAll: boolean
}

/**
 * Fetches the commit that is wanted, finds out how it is tested, and does `work` while the commit is within reach.
 *
 * @throws RunFailure where it cannot be had, or nobody can tell how
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
    return selection ? confine(plan, selection, elseAll) : plan
  } catch (error) {
    if (error instanceof PlanError) throw new RunFailure(error.code, error.message)
    throw error
  }
}

const maxGoModules = 200

/** A module of Go, by the folder that it lies in; empty for the repository itself. */
export interface GoModule {
  path: string
  folder: string
}

/** The modules that the parts in Go are made of: reports name packages, not folders. */
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
  // A module may lie in a folder of another, and go by its name.
  return modules.toSorted((a, b) => b.path.length - a.path.length)
}

const isWithin = (path: string, directory: string) => directory === '' || path.startsWith(`${directory}/`)

/** Leaves out the parts that nothing was selected of. */
function confine(plan: RunPlan, selection: Selection, elseAll: boolean): RunPlan {
  const parts: PlanPart[] = []
  const reasons: string[] = []
  for (const part of plan.parts) {
    const selected = select(part, selection)
    if ('step' in selected) parts.push({ ...part, test: selected.step })
    else reasons.push(selected.unsupported)
  }
  if (parts.length > 0) return { parts }
  if (elseAll) {
    const note = `Everything is run: ${reasons.join(' ')}`
    return { parts: plan.parts.map((part) => ({ ...part, notes: [...part.notes, note] })) }
  }
  throw new RunFailure('unsupported', `The run cannot be confined to what was selected: ${reasons.join(' ')}`)
}
