import { dialectOf } from '../../parsing/dialects.ts'
import type { SymbolDescription } from '../../parsing/description/types.ts'
import type { ParsePool } from '../../parsing/pool.ts'
import type { Snapshot } from '../../source/types.ts'
import { type TrackedFile, unlessAborted } from '../read-files.ts'
import type { TestCandidate } from '../schema.ts'
import type { KnownCoverage } from '../types.ts'
import { casesOf } from './cases.ts'

export interface DetailsInput {
  snapshot: Snapshot
  files: readonly TrackedFile[]
  /** Best first. */
  candidates: readonly TestCandidate[]
  coverage: KnownCoverage | undefined
  pool: ParsePool
  /** The best candidates that are described; the others stay as they are. */
  maxDetailed: number
  signal: AbortSignal
}

/**
 * Reads the files of the best candidates once more and adds what an answer shows of these: their cases, and what their
 * declarations say. A candidate whose file cannot be read or parsed stays as it is.
 */
export async function describeCandidates(input: DetailsInput): Promise<TestCandidate[]> {
  const { candidates, coverage, maxDetailed } = input
  const best = candidates.slice(0, maxDetailed)
  const descriptions = await readDescriptions(input, best)
  return candidates.map((candidate) => {
    const description = descriptions.get(candidate)
    if (!description) return candidate
    // `description.declaration` is for the brief: `brief: briefOf(candidate, description.declaration, ...)`.
    return { ...candidate, ...casesOf(candidate, description.cases, coverage?.files.get(candidate.path)) }
  })
}

async function readDescriptions(
  { snapshot, files, candidates, pool, signal }: DetailsInput,
  best: readonly TestCandidate[],
): Promise<Map<TestCandidate, SymbolDescription>> {
  const wanted = new Set(best.map(({ path }) => path))
  const tracked = new Map(files.filter(({ path }) => wanted.has(path)).map((file) => [file.path, file]))
  // Candidates that are not among the best still keep their lines to themselves.
  const byPath = Map.groupBy(
    candidates.filter(({ path }) => wanted.has(path)),
    ({ path }) => path,
  )
  const descriptions = new Map<TestCandidate, SymbolDescription>()
  const describing: Promise<void>[] = []
  const entries = snapshot.entries.filter(({ path }) => wanted.has(path))
  for await (const { entry, content } of snapshot.read(entries, signal)) {
    const file = tracked.get(entry.path)
    const dialect = file && dialectOf(file.language, file.path)
    const ofFile = byPath.get(entry.path) ?? []
    // In a working tree the file may have changed since its facts were read, and its lines with it.
    if (!content || !dialect || file.blobId !== entry.blobId) continue
    const places = ofFile.map(({ symbol, startLine, endLine }) => ({ name: symbol, startLine, endLine }))
    const described = pool.describe(content, dialect, places).then((answer) => {
      if ('unparsed' in answer) return
      for (const [index, candidate] of ofFile.entries()) {
        const description = answer.symbols[index]
        if (description) descriptions.set(candidate, description)
      }
    })
    // If reading fails first, the promises are not awaited, and a rejection would be unhandled.
    described.catch(() => undefined)
    describing.push(described)
  }
  await unlessAborted(signal, Promise.all(describing))
  return descriptions
}
