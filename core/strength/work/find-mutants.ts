import { changedLines } from '../../../engines/analysis/scope.ts'
import type { Ranges } from '../../../engines/coverage/ranges.ts'
import { bestFirst } from '../../../engines/strength/order.ts'
import { findMutants } from '../../../engines/mutation/find-mutants.ts'
import type { Mutant } from '../../../engines/mutation/mutant.ts'
import { type NumberedMutant, switchMutants } from '../../../engines/mutation/switched-source.ts'
import type { TaskRunner } from '../../../engines/processes/tasks.ts'
import type { ChangesOnTop } from '../../../engines/source/types.ts'

const everyLine: Ranges = [[1, Number.MAX_SAFE_INTEGER]]

/** Sources with all their mutants, and what can be tried in them. */
export interface SwitchedProgram {
  /** Best first. */
  mutants: readonly NumberedMutant[]
  /** The probe of each mutant, by id. */
  probes: ReadonlyMap<number, number>
  /** The sources with mutants, by path. */
  sources: ReadonlyMap<string, string>
  /** Mutants of languages and code that no driver can switch. */
  unsupported: number
}

/** Python replaces the code of loaded functions itself. */
const isRunByText = (path: string) => path.endsWith('.py')

/** Finds the mutants of files, and puts all of one file into its source. */
export async function switchedProgram(
  runner: TaskRunner,
  files: ReadonlyMap<string, string>,
  onTop: ChangesOnTop | null,
): Promise<SwitchedProgram> {
  const found: Mutant[] = []
  for (const [path, source] of files) found.push(...(await findMutants(runner, { path, source, lines: everyLine })))
  const changed = new Map<string, Ranges>()
  if (onTop) for (const [path, { lines }] of changedLines(onTop)) changed.set(path, lines)
  const sorted = bestFirst(found, { changed, candidates: [] }, () => false)
  const numbered = sorted.map((mutant, index) => ({ id: index + 1, mutant }))
  const sources = new Map<string, string>()
  const probes = new Map<number, number>()
  for (const [path, mutants] of Map.groupBy(numbered, ({ mutant }) => mutant.path)) {
    if (isRunByText(path)) {
      for (const { id } of mutants) probes.set(id, id)
      continue
    }
    const switched = await switchMutants(runner, { path, source: files.get(path) ?? '', mutants })
    if (switched === null) continue
    sources.set(path, switched.source)
    for (const [id, probe] of switched.probes) probes.set(id, probe)
  }
  const mutants = numbered.filter(({ id }) => probes.has(id))
  return { mutants, probes, sources, unsupported: numbered.length - mutants.length }
}
