import type { FileStrength } from '../analysis/ranking/strength.ts'
import { presentMutant } from '../mutation/mutant.ts'
import type { NumberedMutant } from '../mutation/switched-source.ts'
import type { Tally } from './tally.ts'

const maxSurvivors = 20

/**
 * Returns what is known of each file of which mutants were tried, for the ranking.
 *
 * @param mutants - best first
 * @param contentOf - identifies the content of a file
 */
export function fileStrengths(
  mutants: readonly NumberedMutant[],
  tally: Pick<Tally, 'decided'>,
  { commitSha, contentOf }: { commitSha: string; contentOf: (path: string) => string | undefined },
): FileStrength[] {
  return [...Map.groupBy(mutants, ({ mutant }) => mutant.path)].flatMap(([path, own]): FileStrength[] => {
    const contentId = contentOf(path)
    const lines = new Map<number, [tried: number, survived: number]>()
    const survivors: [number, string, string][] = []
    for (const { id, mutant } of own) {
      const outcome = tally.decided.get(id)?.outcome
      if (outcome !== 'noticed' && outcome !== 'timed_out' && outcome !== 'survived') continue
      const [tried, survived] = lines.get(mutant.line) ?? [0, 0]
      lines.set(mutant.line, [tried + 1, survived + (outcome === 'survived' ? 1 : 0)])
      if (outcome !== 'survived' || survivors.length >= maxSurvivors) continue
      const { line, original, replacement } = presentMutant(mutant)
      survivors.push([line, original, replacement])
    }
    if (contentId === undefined || lines.size === 0) return []
    const inOrder = [...lines].toSorted(([a], [b]) => a - b)
    return [{ path, contentId, commitSha, lines: inOrder.map(([line, counts]) => [line, ...counts]), survivors }]
  })
}
