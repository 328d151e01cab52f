import { changedLines } from '../../../engines/analysis/scope.ts'
import type { Ranges } from '../../../engines/coverage/ranges.ts'
import { findMutants } from '../../../engines/mutation/find-mutants.ts'
import type { Mutant } from '../../../engines/mutation/mutant.ts'
import { type NumberedMutant, switchMutants } from '../../../engines/mutation/switched-source.ts'
import type { TaskRunner } from '../../../engines/processes/tasks.ts'
import type { ChangesOnTop } from '../../../engines/source/types.ts'
import { type CodeParts, codePartsOf } from '../../../engines/strength/code-parts.ts'
import { type CodeSymbol, readPlaces } from '../../../engines/strength/code-places.ts'
import { bestFirst, numberByLot } from '../../../engines/strength/order.ts'
import type { KnownScore } from './known-scores.ts'

/** The limit of parsers. */
const maxSourceLength = 1_024 * 1_024
const everyLine: Ranges = [[1, Number.MAX_SAFE_INTEGER]]

/** Sources with all their mutants, and what can be tried in them. */
export interface SwitchedProgram {
  /** Best first. */
  mutants: readonly NumberedMutant[]
  /** The probe of each mutant, by id. */
  probes: ReadonlyMap<number, number>
  /** The sources with mutants, by path. */
  sources: ReadonlyMap<string, string>
  /** The files with mutants, by path. */
  code: ReadonlyMap<string, CodeParts>
  /** Mutants that have no place in the sources, because the copies of their functions are too long. */
  left: ReadonlySet<number>
  /** Files with mutants that no driver can switch, and files that are too large to read. */
  unsupported: readonly string[]
  /** How many files may have more mutants than this measurement tries: see `ProgramLimits`. */
  leftFiles: number
}

/** A program has no more files than fit into these limits. The best ones come first. */
export interface ProgramLimits {
  mutants: number
  /** The characters of all sources with mutants. */
  characters: number
  /** When finding mutants ends, on the clock of `performance`. */
  stopAt: number
}

export const programLimits: ProgramLimits = { mutants: 20_000, characters: 64 * 2 ** 20, stopAt: Infinity }

export interface Program {
  /** The sources by path, best first. */
  files: ReadonlyMap<string, string>
  onTop: ChangesOnTop | null
  scores: readonly KnownScore[]
  limits?: ProgramLimits
}

/** Python replaces the code of loaded functions itself. */
const isRunByText = (path: string) => path.endsWith('.py')

/** Finds the mutants of files, and puts all of one file into its source. */
export async function switchedProgram(
  runner: TaskRunner,
  { files, onTop, scores, limits = programLimits }: Program,
): Promise<SwitchedProgram> {
  const found: Mutant[] = []
  const leftFiles = new Set<string>()
  const symbols = new Map<string, readonly CodeSymbol[]>()
  for (const [path, source] of files) {
    if (found.length >= limits.mutants || performance.now() >= limits.stopAt) {
      leftFiles.add(path)
      continue
    }
    const ofFile = await findMutants(runner, { path, source, lines: everyLine })
    found.push(...ofFile)
    if (ofFile.length > 0) symbols.set(path, (await readPlaces(runner, { path, source, withCases: false })).symbols)
  }
  const changed = new Map<string, Ranges>()
  if (onTop) for (const [path, { lines }] of changedLines(onTop)) changed.set(path, lines)
  const candidates = scores.flatMap(({ path, symbol, score }) => {
    const lines = (symbols.get(path) ?? []).filter(({ name }) => name === symbol)
    return lines.map(({ startLine, endLine }) => ({ path, lines: [[startLine, endLine]] as const, score }))
  })
  const isOfModule = ({ path, line }: Mutant) =>
    !symbols.get(path)?.some(({ kind, startLine, endLine }) => kind !== 'class' && startLine <= line && line <= endLine)
  const sorted = bestFirst(found, { changed, candidates }, isOfModule)
  const numbered = numberByLot(sorted.slice(0, limits.mutants))
  for (const { path } of sorted.slice(limits.mutants)) leftFiles.add(path)
  const sources = new Map<string, string>()
  const probes = new Map<number, number>()
  const code = new Map<string, CodeParts>()
  const left = new Set<number>()
  let characters = 0
  for (const [path, mutants] of Map.groupBy(numbered, ({ mutant }) => mutant.path)) {
    const source = files.get(path) ?? ''
    if (characters >= limits.characters) {
      leftFiles.add(path)
      continue
    }
    const switched = await switchMutants(runner, { path, source, mutants })
    if (switched === null || switched.probes.size === 0) continue
    if (!isRunByText(path)) {
      sources.set(path, switched.source)
      characters += switched.source.length
    }
    for (const id of switched.left) left.add(id)
    code.set(path, codePartsOf(source, mutants, switched))
    for (const [id, probe] of switched.probes) probes.set(id, probe)
  }
  const mutants = numbered.filter(({ id }) => probes.has(id))
  const isSwitched = new Set(mutants.map(({ id }) => id))
  const skipped = numbered
    .filter(({ id, mutant }) => !isSwitched.has(id) && !leftFiles.has(mutant.path))
    .map(({ mutant }) => mutant.path)
  const large = [...files].filter(([, source]) => source.length > maxSourceLength).map(([path]) => path)
  const unsupported = [...new Set([...large, ...skipped])].toSorted()
  return { mutants, probes, sources, code, left, unsupported, leftFiles: leftFiles.size }
}

/** Gives the place of mutants that need not be tried to those that had none. */
export async function withRoomFor(
  runner: TaskRunner,
  program: SwitchedProgram,
  files: ReadonlyMap<string, string>,
  isDone: (id: number) => boolean,
): Promise<SwitchedProgram> {
  if (program.left.size === 0) return program
  const sources = new Map(program.sources)
  const left = new Set<number>()
  for (const [path, mutants] of Map.groupBy(program.mutants, ({ mutant }) => mutant.path)) {
    if (!mutants.some(({ id }) => program.left.has(id))) continue
    const without = mutants.flatMap(({ id }) => (isDone(id) ? id : []))
    const switched = await switchMutants(runner, { path, source: files.get(path) ?? '', mutants, without })
    if (switched === null) continue
    sources.set(path, switched.source)
    for (const id of switched.left) left.add(id)
  }
  return { ...program, sources, left }
}
