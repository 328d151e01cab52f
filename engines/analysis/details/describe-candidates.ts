import { dialectOf } from '../../parsing/dialects.ts'
import type { SymbolDeclaration, SymbolDescription, SymbolPlace } from '../../parsing/description/types.ts'
import type { ParsePool } from '../../parsing/pool.ts'
import type { Snapshot } from '../../source/types.ts'
import type { TestedProject } from '../../test-plan/test-home.ts'
import { type TrackedFile, unlessAborted } from '../read-files.ts'
import type { Finding, TestCandidate } from '../schema.ts'
import type { KnownCoverage } from '../types.ts'
import { briefOf, briefPlace } from './brief.ts'
import { casesOf } from './cases.ts'
import { readTests } from './read-tests.ts'

export interface DetailsInput {
  snapshot: Snapshot
  files: readonly TrackedFile[]
  /** Best first. */
  candidates: readonly TestCandidate[]
  coverage: KnownCoverage | undefined
  pool: ParsePool
  /** How the repository is tested. */
  project: TestedProject
  /** Text of manifests and configuration files, by path. */
  manifests: ReadonlyMap<string, string>
  /** The best candidates that are described; the others stay as they are. */
  maxDetailed: number
  signal: AbortSignal
}

/**
 * Reads the files of the best candidates once more and adds what an answer shows of these: their cases, and a brief for
 * the author of a test. Of a candidate whose file cannot be read or parsed, the brief says where the test goes.
 */
export async function describeCandidates(input: DetailsInput): Promise<DescribedCandidates> {
  const { candidates, coverage, maxDetailed } = input
  const best = candidates.slice(0, maxDetailed)
  const places = new Map(best.map((candidate) => [candidate, briefPlace(candidate, input.project)]))
  const [descriptions, tests] = await Promise.all([
    readDescriptions(input, best),
    readTests(input, [...places.values()].flatMap(({ styleTests }) => styleTests)), // prettier-ignore
  ])
  const described = candidates.map((candidate) => {
    const description = descriptions.get(candidate)
    const place = places.get(candidate)
    if (!place) return candidate
    const cases = description && casesOf(candidate, description.cases, coverage?.files.get(candidate.path))
    const declaration = candidate.through ? description?.entry : description?.declaration
    return { ...candidate, ...cases, brief: briefOf(candidate, place, declaration, tests) }
  })
  return { candidates: described, findings: best.flatMap((one) => unreadIn(one, descriptions.get(one)?.declaration)) }
}

export interface DescribedCandidates {
  candidates: TestCandidate[]
  /** The parameters of the described candidates that are never read. */
  findings: Finding[]
}

const unreadIn = ({ path, symbol }: TestCandidate, declaration: SymbolDeclaration | undefined): Finding[] =>
  (declaration?.unread ?? []).map(({ name, line }) => ({
    kind: 'unread_parameter',
    path,
    line,
    name,
    message: `${symbol} never reads its parameter ${name}.`,
  }))

function placeOf({ path, symbol, startLine, endLine, through }: TestCandidate): SymbolPlace {
  const place = { name: symbol, startLine, endLine }
  if (through?.path !== path) return place
  return { ...place, entry: { name: through.symbol, startLine: through.startLine, endLine: through.endLine } }
}

async function readDescriptions(
  { snapshot, files, candidates, pool, signal }: DetailsInput,
  best: readonly TestCandidate[],
): Promise<Map<TestCandidate, SymbolDescription>> {
  const described = new Set(best)
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
    const places = ofFile.map((candidate) =>
      described.has(candidate) ? placeOf(candidate) : { ...placeOf(candidate), isBoundary: true as const },
    )
    const describes = pool.describe(content, dialect, places).then((answer) => {
      if ('unparsed' in answer) return
      for (const [index, candidate] of ofFile.entries()) {
        const description = answer.symbols[index]
        if (description) descriptions.set(candidate, description)
      }
    })
    // If reading fails first, the promises are not awaited, and a rejection would be unhandled.
    describes.catch(() => undefined)
    describing.push(describes)
  }
  await unlessAborted(signal, Promise.all(describing))
  return descriptions
}
