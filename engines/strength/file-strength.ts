import type { FileStrength, Survived } from '../analysis/ranking/strength.ts'
import { presentMutant } from '../mutation/mutant.ts'
import type { NumberedMutant } from '../mutation/switched-source.ts'
import type { Tally } from './tally.ts'

/** What a measurement found out about a file. */
export interface MeasuredFile extends FileStrength {
  /** The changes that tests notice. */
  noticed: readonly Survived[]
}

const maxSurvivors = 20

/**
 * Returns what is known of each file of which mutants were tried, for the ranking.
 *
 * @param mutants - best first
 * @param contentOf - identifies the content of a file
 */
export function fileStrengths(
  mutants: readonly NumberedMutant[],
  tally: Pick<Tally, 'decided' | 'isReached'>,
  { commitSha, contentOf }: { commitSha: string; contentOf: (path: string) => string | undefined },
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
    return [{ path, contentId, commitSha, reached, lines: counts, survivors, noticed }]
  })
}

/**
 * Adds what a later measurement found out about the same content. Of each line it counts alone if it tried as many changes
 * as the earlier one. If it tried fewer, those that it saw tests notice are no survivors any more.
 */
export function withLater(earlier: Pick<FileStrength, 'lines' | 'survivors'>, later: MeasuredFile): FileStrength {
  const { noticed, ...file } = later
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
