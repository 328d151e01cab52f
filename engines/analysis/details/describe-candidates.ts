import { dialectOf } from '../../parsing/dialects.ts'
import type { SymbolDeclaration, SymbolDescription, SymbolPlace } from '../../parsing/description/types.ts'
import type { ParsePool } from '../../parsing/pool.ts'
import type { Snapshot } from '../../source/types.ts'
import type { TestedProject } from '../../test-plan/test-home.ts'
import { cacheKey } from '../cache.ts'
import { type TrackedFile, unlessAborted } from '../read-files.ts'
import type { Finding, TestCandidate } from '../schema.ts'
import type { FileDescriptions, KnownCoverage } from '../types.ts'
import type { Callers } from '../ranking/callers.ts'
import { briefOf, briefPlace } from './brief.ts'
import { CallerOrder } from './caller-order.ts'
import { casesOf } from './cases.ts'
import { descriptionKey } from './known-descriptions.ts'
import { NearestTests } from './nearest-test.ts'
import { readTests } from './read-tests.ts'

export interface DetailsInput {
  snapshot: Snapshot
  files: readonly TrackedFile[]
  /** Best first. */
  candidates: readonly TestCandidate[]
  /** The tests that call each of the candidates. */
  callers: ReadonlyMap<TestCandidate, Callers>
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

export interface Details {
  /** The parameters of the described candidates that are never read. */
  findings: Finding[]
  /** All of them, in their order. */
  candidates: TestCandidate[]
  /** What the best ones were described with, by cache key. */
  descriptions: ReadonlyMap<string, FileDescriptions>
}

/**
 * Reads the files of the best candidates once more and adds what an answer shows of these: their cases, and a brief for
 * the author of a test. Of a candidate whose file cannot be read or parsed, the brief says where the test goes.
 */
export async function describeCandidates(input: DetailsInput): Promise<Details> {
  const { candidates, coverage, maxDetailed } = input
  const best = candidates.slice(0, maxDetailed)
  const [descriptions, { tests, places }] = await Promise.all([readDescriptions(input, new Set(best)), findPlaces(best, input)]) // prettier-ignore
  const nearestTests = new NearestTests(tests)
  const described = candidates.map((candidate) => {
    const description = descriptions.of(candidate)
    const place = places.get(candidate)
    if (!place) return candidate
    const cases = description && casesOf(candidate, description.cases, coverage?.files.get(candidate.path))
    const declaration = candidate.through ? descriptions.entryOf(candidate) : description?.declaration
    return { ...candidate, ...cases, brief: briefOf(candidate, place, declaration, tests, nearestTests) }
  })
  return {
    candidates: described,
    findings: unreadIn(best, descriptions, input.files),
    descriptions: descriptions.byFile,
  }
}

/** Reads the tests that call the candidates, decides by them where new tests go, and reads those that show the style. */
async function findPlaces(best: readonly TestCandidate[], input: DetailsInput) {
  const callers = new Map(best.map((candidate) => [candidate, input.callers.get(candidate) ?? noCallers]))
  const tests = await readTests(input, inTurns([...callers.values()].map((one) => [...one.tests, ...one.ownerTests])))
  const order = new CallerOrder(tests)
  const places = new Map(
    [...callers].map(([candidate, own]) => [
      candidate,
      briefPlace(candidate, order.best(candidate, own), input.project),
    ]),
  )
  await tests.readMore([...places.values()].flatMap(({ styleTests }) => styleTests))
  return { tests, places }
}

const noCallers: Callers = { tests: [], certainty: 'reach', ownerTests: [] }

/** The first of each list, then the second of each, and so on: where not all can be read, each has some. */
function* inTurns(lists: readonly (readonly string[])[]): Iterable<string> {
  const longest = lists.reduce((length, list) => Math.max(length, list.length), 0)
  for (let index = 0; index < longest; index += 1) {
    for (const list of lists) {
      const one = list[index]
      if (one !== undefined) yield one
    }
  }
}

/** Classes that others extend are left out: their methods take what the ones that override them read. */
function unreadIn(
  candidates: readonly TestCandidate[],
  descriptions: Descriptions,
  files: readonly TrackedFile[],
): Finding[] {
  const isUnread = candidates.filter((one) => (descriptions.of(one)?.declaration?.unread ?? []).length > 0)
  if (isUnread.length === 0) return []
  const bases = new Set(
    files.flatMap(({ record }) => record?.facts?.symbols.flatMap((symbol) => symbol.bases ?? []) ?? []),
  )
  return isUnread
    .filter(({ symbol }) => !bases.has(symbol.split('.').at(-2) ?? ''))
    .flatMap((candidate) =>
      (descriptions.of(candidate)?.declaration?.unread ?? []).map(({ name, line }): Finding => ({
        kind: 'unread_parameter',
        path: candidate.path,
        line,
        name,
        message: `${candidate.symbol} never reads its parameter ${name}.`,
      })),
    )
}

function placeOf({ path, symbol, startLine, endLine, through }: TestCandidate): SymbolPlace {
  const place = { name: symbol, startLine, endLine }
  if (through?.path !== path) return place
  return { ...place, entry: { name: through.symbol, startLine: through.startLine, endLine: through.endLine } }
}

/** Of the best candidates by cache key and place, and of each candidate. */
class Descriptions {
  readonly byFile = new Map<string, Record<string, SymbolDescription | null>>()
  readonly #byCandidate = new Map<TestCandidate, SymbolDescription | null>()
  readonly #entries = new Map<TestCandidate, SymbolDescription | null>()

  of(candidate: TestCandidate): SymbolDescription | undefined {
    return this.#byCandidate.get(candidate) ?? undefined
  }

  /** How the public entry of a candidate is called, in whichever file it is. */
  entryOf(candidate: TestCandidate): SymbolDeclaration | undefined {
    return this.of(candidate)?.entry ?? this.#entries.get(candidate)?.declaration
  }

  add(file: TrackedFile, { candidates, isEntry, key }: Wanted, description: SymbolDescription | null): void {
    for (const candidate of candidates) (isEntry ? this.#entries : this.#byCandidate).set(candidate, description)
    const fileKey = cacheKey(file.blobId, file.path)
    const ofFile = this.byFile.get(fileKey) ?? {}
    ofFile[key] = description
    this.byFile.set(fileKey, ofFile)
  }
}

/** A candidate to describe, or the entry of some in another file. */
interface Wanted {
  candidates: readonly TestCandidate[]
  isEntry: boolean
  /** Where its file keeps the description. */
  key: string
}

interface DescribedFile {
  file: TrackedFile
  places: readonly SymbolPlace[]
  /** In the order of the places; null for those that are only boundaries. */
  wanted: readonly (Wanted | null)[]
}

/** Takes what the records of the files know, and reads only the files of which something is not known. */
async function readDescriptions(
  { snapshot, files, candidates, pool, signal }: DetailsInput,
  best: ReadonlySet<TestCandidate>,
): Promise<Descriptions> {
  const descriptions = new Descriptions()
  const unknown = new Map<string, DescribedFile>()
  for (const described of filesOf(files, candidates, best)) {
    const { file, wanted } = described
    const known = file.record?.descriptions ?? {}
    if (wanted.some((one) => one && known[one.key] === undefined)) unknown.set(file.path, described)
    else for (const one of wanted) if (one) descriptions.add(file, one, known[one.key] ?? null)
  }
  if (unknown.size === 0) return descriptions

  const describing: Promise<void>[] = []
  const entries = snapshot.entries.filter(({ path }) => unknown.has(path))
  for await (const { entry, content } of snapshot.read(entries, signal)) {
    const described = unknown.get(entry.path)
    const dialect = described && dialectOf(described.file.language, entry.path)
    // In a working tree the file may have changed since its facts were read, and its lines with it.
    if (!content || !dialect || described.file.blobId !== entry.blobId) continue
    const { file, places, wanted } = described
    const describes = pool.describe(content, dialect, places).then((answer) => {
      if ('unparsed' in answer) return
      for (const [index, one] of wanted.entries()) if (one) descriptions.add(file, one, answer.symbols[index] ?? null)
    })
    // If reading fails first, the promises are not awaited, and a rejection would be unhandled.
    describes.catch(() => undefined)
    describing.push(describes)
  }
  await unlessAborted(signal, Promise.all(describing))
  return descriptions
}

function filesOf(
  files: readonly TrackedFile[],
  candidates: readonly TestCandidate[],
  best: ReadonlySet<TestCandidate>,
): DescribedFile[] {
  const behind = Map.groupBy(
    [...best].filter(({ path, through }) => through !== undefined && through.path !== path),
    ({ path, through }) => through?.path ?? path,
  )
  const paths = new Set([...[...best].map(({ path }) => path), ...behind.keys()])
  // Candidates that are not among the best still keep their lines to themselves.
  const byPath = Map.groupBy(
    candidates.filter(({ path }) => paths.has(path)),
    ({ path }) => path,
  )
  return files
    .filter(({ path }) => paths.has(path))
    .map((file) => {
      const ofFile = byPath.get(file.path) ?? []
      const places = ofFile.map((candidate) =>
        best.has(candidate) ? placeOf(candidate) : { ...placeOf(candidate), isBoundary: true as const },
      )
      const wanted = places.map((place, index): Wanted | null => {
        const candidate = ofFile[index]
        if (!candidate || !best.has(candidate)) return null
        return { candidates: [candidate], isEntry: false, key: descriptionKey(place, places) }
      })
      const entries = entriesIn(behind.get(file.path) ?? [])
      return {
        file,
        places: [...places, ...entries.map(({ place }) => place)],
        wanted: [...wanted, ...entries.map((one) => one.wanted)],
      }
    })
}

/** The entries that candidates of other files have in one file. */
function entriesIn(candidates: readonly TestCandidate[]): { place: SymbolPlace; wanted: Wanted }[] {
  const byPlace = Map.groupBy(candidates, ({ through }) =>
    JSON.stringify(['entry', through?.symbol, through?.startLine, through?.endLine]),
  )
  return [...byPlace].flatMap(([key, ofEntry]) => {
    const through = ofEntry[0]?.through
    if (!through) return []
    const { symbol: name, startLine, endLine } = through
    const place = { name, startLine, endLine, isEntry: true as const }
    return [{ place, wanted: { candidates: ofEntry, isEntry: true, key } }]
  })
}
