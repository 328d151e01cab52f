import { hash } from 'node:crypto'
import { namedPaths } from '../../../engines/analysis/scope.ts'
import { type ChangesOnTop, RepositoryError } from '../../../engines/source/types.ts'
import { codeAmong } from '../../../engines/strength/code-among.ts'
import { RunFailure } from '../../workspaces/run-failure.ts'
import type { OpenedSource } from '../../workspaces/source.ts'
import type { MeasurementRow } from '../entity.ts'
import type { KnownScore } from './known-scores.ts'

/** The sources of all files are in memory together. */
const maxCharacters = 64 * 2 ** 20

export interface Code {
  /** The sources by path. Those with the best scores come first. */
  files: ReadonlyMap<string, string>
  /** How many files there was no room for. */
  left: number
}

/** Reads the code that is asked for. */
export async function readCode(
  { tree }: Pick<OpenedSource, 'tree'>,
  { paths }: Pick<MeasurementRow, 'paths'>,
  {
    onTop,
    scores,
    maximum = maxCharacters,
  }: {
    onTop: ChangesOnTop | null
    scores: readonly KnownScore[]
    maximum?: number
  },
): Promise<Code> {
  const named = namedPaths(paths.length === 0 ? undefined : paths, tree.paths)
  const { code, problem } = codeAmong(named)
  if (problem !== null && paths.length > 0) throw new RunFailure('no_code', `The paths ${problem}`)
  const changed = code.filter(
    (path) => onTop === null || onTop.changes.added.has(path) || onTop.changes.changed.has(path),
  )
  const files = new Map<string, string>()
  let [characters, left] = [0, 0]
  for (const path of bestFirst(changed, scores)) {
    const source = characters < maximum ? await tree.read(path) : undefined
    if (source === undefined || (source !== null && characters + source.length > maximum)) {
      left += 1
    } else if (source !== null) {
      files.set(path, source)
      characters += source.length
    }
  }
  return { files, left }
}

/** Files without a score come in an order that is the same each time, and says nothing of them. */
function bestFirst(paths: readonly string[], scores: readonly KnownScore[]): string[] {
  const best = new Map<string, number>()
  for (const { path, score } of scores) best.set(path, Math.max(score, best.get(path) ?? 0))
  return paths
    .map((path) => ({ path, score: best.get(path) ?? 0, lot: hash('sha256', path) }))
    .toSorted((a, b) => b.score - a.score || (a.lot < b.lot ? -1 : 1))
    .map(({ path }) => path)
}

/** Throws what is wrong with the repository as a failure of the measurement. */
export async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof RepositoryError) || error.code === 'cancelled') throw error
    throw new RunFailure(error.code, error.message)
  }
}

/** Returns a function that finds the path in the repository of a file where the runner sees it. */
export function pathsIn(paths: readonly string[]): (file: string) => string {
  const known = new Set(paths)
  const found = new Map<string, string>()
  const search = (file: string) => {
    const names = file.split('/')
    const from = names.findIndex((_, index) => known.has(names.slice(index).join('/')))
    return from < 0 ? file : names.slice(from).join('/')
  }
  return (file) => {
    const path = found.get(file) ?? search(file)
    // Events can be forged.
    if (found.size < maxFound) found.set(file, path)
    return path
  }
}

const maxFound = 20_000
