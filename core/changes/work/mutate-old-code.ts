import { findMutants } from '../../../engines/mutation/find-mutants.ts'
import { applyMutant, type Mutant, presentMutant } from '../../../engines/mutation/mutant.ts'
import type { ChangedPlace, ChangeFacts, JudgedOldMutant, OldMutant } from '../../../engines/verdicts/change/facts.ts'
import { readOldCodeApart } from '../../../engines/verdicts/change/old-code-apart.ts'
import { sampleOf } from './sample.ts'
import { writeLayer } from './side.ts'
import { type Attempts, type Stage, type Trying, tryLayers, tryOtherText } from './stages.ts'
import type { Task } from './task.ts'

interface MutatedOldFile {
  /** The path on the base. */
  path: string
  source: string
  mutants: readonly (Mutant | OldMutant)[]
}

/** The old code of a refactoring, and what could be changed in it. */
export interface OldCodeToTry {
  files: readonly MutatedOldFile[]
  found: number
  places: readonly ChangedPlace[]
}

interface Texts {
  /** Contents of the code files after and before the change. */
  sources: ReadonlyMap<string, string>
  sourcesBefore: ReadonlyMap<string, string>
}

interface InPlace {
  path: string
  line: number
}

interface OfBothSides {
  now: readonly InPlace[]
  before: readonly InPlace[]
}

const maxUntried = 100

/** The numbers of mutants by file and line. */
type ByLines = ReadonlyMap<string, ReadonlyMap<number, number>>

function byLines(mutants: readonly InPlace[]): ByLines {
  const found = new Map<string, Map<number, number>>()
  for (const { path, line } of mutants) {
    const ofFile = found.get(path) ?? new Map<number, number>()
    ofFile.set(line, (ofFile.get(line) ?? 0) + 1)
    found.set(path, ofFile)
  }
  return found
}

function countIn(mutants: ByLines, lines: ChangedPlace['now']): number {
  const ofFile = lines === null ? undefined : mutants.get(lines.path)
  if (lines === null || ofFile === undefined) return 0
  let count = 0
  for (const [line, number] of ofFile) if (line >= lines.first && line <= lines.last) count += number
  return count
}

/**
 * Finds the mutants of the code that the change removes and does not move.
 *
 * @param ofNew - the mutants of the new code
 */
export async function findInOldCode(
  task: Task,
  { sources, sourcesBefore }: Texts,
  ofNew: readonly InPlace[],
): Promise<OldCodeToTry> {
  const {
    places,
    removed,
    mutants: more,
  } = await readOldCodeApart(task.runner, {
    files: task.files,
    sources,
    sourcesBefore,
  })
  const byFile = new Map<string, (Mutant | OldMutant)[]>()
  for (const [path, lines] of removed) {
    const source = sourcesBefore.get(path)
    if (source !== undefined) byFile.set(path, await findMutants(task.runner, { path, source, lines }))
  }
  const keyOf = ({ path, start, end, replacement }: Mutant | OldMutant) => `${start} ${end} ${path} ${replacement}`
  const known = [...byFile.values()].flat()
  const keys = new Set(known.map(keyOf))
  const wanted = more.filter((mutant) => !mutant.isSpare && !keys.has(keyOf(mutant)))
  const [inNew, inOld] = [byLines(ofNew), byLines([...known, ...wanted])]
  const without = places.filter(({ now, before }) => countIn(inNew, now) + countIn(inOld, before) === 0)
  const spareByLine = byLines(more.filter(({ isSpare }) => isSpare))
  const hasSpare = without.filter(({ before }) => countIn(spareByLine, before) > 0)
  const spare = more.filter(
    ({ path, line, isSpare }) =>
      isSpare && hasSpare.some(({ before }) => before?.path === path && line >= before.first && line <= before.last),
  )
  for (const mutant of [...wanted, ...spare]) byFile.get(mutant.path)?.push(mutant)
  const files = [...byFile].flatMap(([path, mutants]): MutatedOldFile[] => {
    const source = sourcesBefore.get(path)
    return source === undefined || mutants.length === 0 ? [] : [{ path, source, mutants }]
  })
  return { files, found: files.reduce((sum, { mutants }) => sum + mutants.length, 0), places }
}

/** Selects the mutants of the old code to try. */
export const sampleOfOldCode = ({ files }: OldCodeToTry, count: number, seed: string): MutatedOldFile[] =>
  sampleOf(files, count, seed)

interface OfOldCode extends Texts {
  own: readonly Stage[]
  /** The tests around a file. */
  around: (path: string) => Promise<readonly Stage[]>
}

/**
 * Lays the old content of the changed code over the head, so that the mutants of the old code run with the tests of the
 * head.
 *
 * @returns a function that tries a mutant; null if the tests do not pass with the old code
 */
export async function openOldCode(
  trying: Trying,
  task: Task,
  { own, around, sourcesBefore }: OfOldCode,
): Promise<((file: MutatedOldFile, mutant: Mutant | OldMutant) => Promise<JudgedOldMutant>) | null> {
  const contents = new Map<string, string>()
  /** A file may also be loaded by its new name. */
  const copies = new Map<string, string>()
  for (const { path, before, kind } of task.files) {
    const source = kind !== 'code' || before === null ? undefined : sourcesBefore.get(before)
    if (source === undefined || before === null) continue
    contents.set(before, source)
    if (before === path || folderOf(before) !== folderOf(path)) continue
    contents.set(path, source)
    copies.set(before, path)
  }
  const failures = new Set(trying.failures)
  const side = { ...trying.side, paths: [...new Set([...trying.side.paths, ...contents.keys()])] }
  const onOld: Trying = { ...trying, side, failures }
  const layer = await writeLayer(side, contents)
  const passing = async (stages: readonly Stage[]): Promise<Stage[]> => {
    if (stages.length === 0) return []
    const { usable, following } = await tryOtherText(onOld, stages, layer)
    for (const title of following) failures.add(title)
    return usable
  }
  const ownPassing = await passing(own)
  const known = new Map<string, Promise<Stage[]>>()
  const attemptsOn = (path: string): Attempts => ({
    own: ownPassing,
    around: async () => {
      const stages = await around(path)
      const key = JSON.stringify(stages.map(({ part, step }) => [part.directory, step.argv]))
      const found = known.get(key) ?? passing(stages)
      known.set(key, found)
      return found
    },
  })
  const [first] = contents.keys()
  if (first === undefined) return null
  if (ownPassing.length === 0 && (await attemptsOn(first).around()).length === 0) return null

  const withFile = async (path: string, content: string) => {
    const copy = copies.get(path)
    const changed = new Map([[path, content], ...(copy === undefined ? [] : [[copy, content] as const])])
    return tryLayers(onOld, attemptsOn(path), [await writeLayer(side, changed), layer])
  }
  const loaded = new Map<string, Promise<boolean>>()
  const isLoaded = (path: string) => {
    const found =
      loaded.get(path) ??
      withFile(path, brokenSource).then(({ outcome, isUnbuilt }) => outcome !== 'survived' || isUnbuilt)
    loaded.set(path, found)
    return found
  }
  return async ({ path, source }, mutant) => {
    const { outcome } = await withFile(path, applyMutant(source, mutant))
    // Tests that use only the new files cannot notice anything of the old ones.
    const isUnused = outcome === 'survived' && !(await isLoaded(path))
    return { mutant: presentMutant(mutant), outcome: isUnused ? 'invalid' : outcome }
  }
}

/** No language can load it. */
const brokenSource = ')]} (\n'

const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/') + 1)

/**
 * Counts the mutants that are possible in each place.
 *
 * @returns a function that says in which places none of them can run, given those that could not
 */
export function countInPlaces(
  places: readonly ChangedPlace[],
  mutants: OfBothSides,
): (invalid: OfBothSides) => NonNullable<ChangeFacts['places']> {
  const [ofNow, ofBefore] = [byLines(mutants.now), byLines(mutants.before)]
  const counted = places.map((place) => ({
    place,
    possible: countIn(ofNow, place.now) + countIn(ofBefore, place.before),
  }))
  return (invalid) => {
    const [now, before] = [byLines(invalid.now), byLines(invalid.before)]
    const untried = counted.filter(
      ({ place, possible }) => possible <= countIn(now, place.now) + countIn(before, place.before),
    )
    return {
      count: places.length,
      untried: untried.slice(0, maxUntried).map(({ place: { path, line, code } }) => ({ path, line, code })),
    }
  }
}
