import type { FileStrength, Survived } from '../analysis/ranking/strength.ts'
import { presentMutant } from '../mutation/mutant.ts'
import type { NumberedMutant } from '../mutation/switched-source.ts'
import { namedTest } from './named-test.ts'
import type { Tally } from './tally.ts'

/** What a measurement found out about a file. */
export interface MeasuredFile extends FileStrength {
  /** The changes that tests notice. */
  noticed: readonly Survived[]
  /** The lines with changes that tests run, in their order. */
  reachedBy: readonly ReachedLine[]
}

/** How many tests run a line, and the nearest of them. A test without a name is the loading of its file. */
export type ReachedLine = readonly [
  line: number,
  tests: number,
  nearest: readonly (readonly [path: string, name: string | null])[],
]

const maxSurvivors = 20

interface FileOptions {
  commitSha: string
  /** Identifies the content of a file. */
  contentOf: (path: string) => string | undefined
  /** The path of a test file that an event names. */
  pathOf: (file: string) => string
}

/**
 * Returns what is known of each file of which mutants were tried, for the ranking.
 *
 * @param mutants - best first
 */
export function fileStrengths(
  mutants: readonly NumberedMutant[],
  tally: Pick<Tally, 'decided' | 'isReached' | 'testCountOf' | 'testsOf'>,
  { commitSha, contentOf, pathOf }: FileOptions,
): MeasuredFile[] {
  return [...Map.groupBy(mutants, ({ mutant }) => mutant.path)].flatMap(([path, own]): MeasuredFile[] => {
    const contentId = contentOf(path)
    const lines = new Map<number, [tried: number, survived: number]>()
    const survivors: Survived[] = []
    const noticed: Survived[] = []
    for (const { id, mutant } of own) {
      const outcome = tally.decided.get(id)?.outcome
      if (outcome !== 'noticed' && outcome !== 'timed_out' && outcome !== 'survived') continue
      const [tried, survived] = lines.get(mutant.line) ?? [0, 0]
      lines.set(mutant.line, [tried + 1, survived + (outcome === 'survived' ? 1 : 0)])
      const { line, original, replacement } = presentMutant(mutant)
      if (outcome !== 'survived') noticed.push([line, original, replacement])
      else if (survivors.length < maxSurvivors) survivors.push([line, original, replacement])
    }
    if (contentId === undefined || lines.size === 0) return []
    const inOrder = [...lines].toSorted(([a], [b]) => a - b)
    const reached = own.filter(({ id }) => {
      const outcome = tally.decided.get(id)?.outcome
      return outcome === undefined ? tally.isReached(id) : outcome !== 'invalid'
    }).length
    const counts = inOrder.map(([line, numbers]) => [line, ...numbers] as const)
    const reachedBy = reachedLines(own, tally, pathOf)
    return [{ path, contentId, commitSha, reached, lines: counts, survivors, noticed, reachedBy }]
  })
}

/** Of a line with several changes, the one that most tests run counts. */
function reachedLines(
  mutants: readonly NumberedMutant[],
  tally: Pick<Tally, 'testCountOf' | 'testsOf'>,
  pathOf: FileOptions['pathOf'],
): ReachedLine[] {
  const byLine = Map.groupBy(mutants, ({ mutant }) => mutant.line)
  const lines = [...byLine].flatMap(([line, own]): ReachedLine[] => {
    const [most] = own.toSorted((a, b) => tally.testCountOf(b.id) - tally.testCountOf(a.id))
    const tests = most ? tally.testCountOf(most.id) : 0
    if (!most || tests === 0) return []
    const nearest = tally.testsOf(most.id).map((test) => {
      const { path, name } = namedTest(test, pathOf)
      return [path, name] as const
    })
    return [[line, tests, nearest]]
  })
  return lines.toSorted(([a], [b]) => a - b)
}

/** Adds the lines of an earlier measurement of the same content that a later one does not know. */
export function withEarlierLines(later: readonly ReachedLine[], earlier: readonly ReachedLine[]): ReachedLine[] {
  const known = new Set(later.map(([line]) => line))
  return [...later, ...earlier.filter(([line]) => !known.has(line))].toSorted(([a], [b]) => a - b)
}

/**
 * Adds what a later measurement found out about the same content. Of each line it counts alone if it tried as many changes
 * as the earlier one. If it tried fewer, those that it saw tests notice are no survivors any more.
 */
export function withLater(earlier: Pick<FileStrength, 'lines' | 'survivors'>, later: MeasuredFile): FileStrength {
  const { noticed, reachedBy: _reachedBy, ...file } = later
  const ofLater = new Map(later.lines.map(([line, tried, survived]) => [line, { tried, survived }]))
  const older = earlier.lines.filter(([line, tried]) => (ofLater.get(line)?.tried ?? 0) < tried)
  const isOlder = new Set(older.map(([line]) => line))
  const seen = new Set(noticed.map((one) => JSON.stringify(one)))
  const left = earlier.survivors.filter((one) => isOlder.has(one[0]) && !seen.has(JSON.stringify(one)))
  const gone = (line: number) =>
    earlier.survivors.filter((one) => one[0] === line).length - left.filter((one) => one[0] === line).length
  const kept = older.map(([line, tried, survived]): FileStrength['lines'][number] => {
    const known = ofLater.get(line) ?? { tried: 0, survived: 0 }
    const most = tried - (known.tried - known.survived)
    return [line, tried, Math.max(known.survived, Math.min(survived - gone(line), most))]
  })
  const newer = later.lines.filter(([line]) => !isOlder.has(line))
  const known = new Set(left.map((one) => JSON.stringify(one)))
  const survivors = [...later.survivors.filter((one) => !known.has(JSON.stringify(one))), ...left]
  const lines = [...kept, ...newer].toSorted(([a], [b]) => a - b)
  const tried = lines.reduce((sum, [, count]) => sum + count, 0)
  return {
    ...file,
    reached: file.reached && Math.max(file.reached, tried),
    lines,
    survivors: survivors.slice(0, maxSurvivors),
  }
}
