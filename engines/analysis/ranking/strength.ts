import { hasLine, type Ranges } from '../../coverage/ranges.ts'
import type { SymbolFact } from '../../parsing/types.ts'
import type { TreeEntry } from '../../source/types.ts'

/** What a measurement found out about small changes of one file that tests run. */
export interface FileStrength {
  path: string
  /** The content that was measured. Nothing is known of another one. */
  contentId: string
  commitSha: string
  /** How many changes tests run, tried or not; null if it is not known. */
  reached: number | null
  /** How many changes of each line were tried, and how many of these all tests accepted. */
  lines: readonly (readonly [line: number, tried: number, survived: number])[]
  /** Some of the accepted changes, best first. */
  survivors: readonly Survived[]
}

export type Survived = readonly [line: number, original: string, replacement: string]

/** The same of one symbol. */
export interface SymbolStrength {
  tried: number
  survived: number
  survivors: readonly Survived[]
  commitSha: string
}

/** A change that tests do not notice is half as bad as a line that they do not run: some cannot be noticed at all. */
const unnoticedWeight = 0.5
const shownSurvivors = 5

/** Returns what was measured of the files as they are, by path. Of the same content the first counts. */
export function strengthOfFiles(
  measured: readonly FileStrength[],
  entries: readonly Pick<TreeEntry, 'path' | 'blobId'>[],
): ReadonlyMap<string, FileStrength> {
  const contents = new Map(entries.map(({ path, blobId }) => [path, blobId]))
  const files = new Map<string, FileStrength>()
  for (const file of measured) {
    if (contents.get(file.path) === file.contentId && !files.has(file.path)) files.set(file.path, file)
  }
  return files
}

/**
 * Returns what was measured of a symbol, or undefined if nothing was tried in it.
 *
 * @param inside - the lines of other candidates inside the symbol
 */
export function strengthOfSymbol(
  file: FileStrength | undefined,
  { startLine, endLine }: Pick<SymbolFact, 'startLine' | 'endLine'>,
  inside: Ranges,
): SymbolStrength | undefined {
  if (!file) return undefined
  const isOwn = (line: number) => startLine <= line && line <= endLine && !hasLine(inside, line)
  const own = file.lines.filter(([line]) => isOwn(line))
  const tried = own.reduce((sum, [, count]) => sum + count, 0)
  if (tried === 0) return undefined
  return {
    tried,
    survived: own.reduce((sum, [, , count]) => sum + count, 0),
    survivors: file.survivors.filter(([line]) => isOwn(line)).slice(0, shownSurvivors),
    commitSha: file.commitSha,
  }
}

/** Adds what tests do not notice to the share that they do not run. */
export const gapWith = (strength: SymbolStrength | undefined, gap: number): number =>
  strength ? gap + (1 - gap) * unnoticedWeight * (strength.survived / strength.tried) : gap
