import { hash } from 'node:crypto'
import type { Mutant } from './mutant.ts'

/** A mutant of any operator. */
type AnyMutant = Omit<Mutant, 'operator'> & { operator: string }

interface Ranked<Sampled> {
  mutant: Sampled
  rank: string
}

/**
 * Selects at most `count` mutants, by file and in source order. Includes every operator if possible, and spreads the mutants evenly
 * over lines and operators. The same seed selects the same mutants.
 */
export function sampleMutants<Sampled extends AnyMutant>(
  mutants: readonly Sampled[],
  count: number,
  seed: string,
): Sampled[] {
  const ranked = mutants.map((mutant): Ranked<Sampled> => ({ mutant, rank: rankOf(mutant, seed) }))
  const left = new Set(ranked.toSorted(byRank))
  const onLine = new Map<string, number>()
  const ofOperator = new Map<string, number>()
  const chosen: Sampled[] = []

  /** Smaller numbers come first: missing operators, then lines with few mutants, then operators with few mutants. */
  const surplus = ({ path, line, operator }: Sampled): [number, number, number] => {
    const same = ofOperator.get(operator) ?? 0
    return [Math.min(same, 1), onLine.get(`${path}:${line}`) ?? 0, same]
  }
  while (chosen.length < count && left.size > 0) {
    let best: Ranked<Sampled> | undefined
    let minCost: [number, number, number] = [Infinity, Infinity, Infinity]
    for (const candidate of left) {
      const given = surplus(candidate.mutant)
      if (!precedes(given, minCost)) continue
      best = candidate
      minCost = given
    }
    if (!best) break
    left.delete(best)
    const { path, line, operator } = best.mutant
    const place = `${path}:${line}`
    onLine.set(place, (onLine.get(place) ?? 0) + 1)
    ofOperator.set(operator, (ofOperator.get(operator) ?? 0) + 1)
    chosen.push(best.mutant)
  }
  return chosen.toSorted(
    (a, b) => compare(a.path, b.path) || a.start - b.start || a.end - b.end || compare(a.replacement, b.replacement),
  )
}

function rankOf({ path, start, end, operator, replacement }: AnyMutant, seed: string): string {
  return hash('sha256', JSON.stringify([seed, path, start, end, operator, replacement]))
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
const byRank = <Sampled>(a: Ranked<Sampled>, b: Ranked<Sampled>): number => compare(a.rank, b.rank)

function precedes(a: readonly number[], b: readonly number[]): boolean {
  for (const [index, value] of a.entries()) {
    const other = b[index] ?? 0
    if (value !== other) return value < other
  }
  return false
}
