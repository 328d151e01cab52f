import { hash } from 'node:crypto'
import { includesLine, type Ranges } from '../coverage/ranges.ts'
import type { Mutant } from '../mutation/mutant.ts'
import type { NumberedMutant } from '../mutation/switched-source.ts'
import type { MutationOperator } from '../mutation/schema.ts'

/** A range of lines that the analysis found worth testing. */
export interface Wanted {
  path: string
  lines: Ranges
  score: number
}

export interface Priorities {
  /** The changed lines by path. They come before everything else. */
  changed: ReadonlyMap<string, Ranges>
  candidates: readonly Wanted[]
}

/** Errors that nobody raises and boundaries that nobody tries are what tests miss most, and what users meet. */
const ofOperator: Readonly<Record<MutationOperator, number>> = {
  removed_throw: 0,
  boundary: 1,
  condition: 2,
  return: 3,
  removed_call: 4,
  arithmetic: 5,
}

/**
 * Sorts mutants so that the first ones tell most: changed lines, then the code with the highest score, then error paths and
 * boundaries. One mutant of each line and kind comes before the second of any. Code that only runs while its module is
 * loaded, such as a table of constants, is last.
 *
 * @param isOfModule - whether the mutant is outside of functions
 */
export function bestFirst(
  mutants: readonly Mutant[],
  { changed, candidates }: Priorities,
  isOfModule: (mutant: Mutant) => boolean,
): Mutant[] {
  const ofPath = Map.groupBy(candidates, ({ path }) => path)
  const onLine = new Map<string, number>()
  const rank = (mutant: Mutant): number[] => {
    const { path, line, operator } = mutant
    const isChanged = includesLine(changed.get(path) ?? [], line)
    const scores =
      ofPath
        .get(path)
        ?.filter(({ lines }) => includesLine(lines, line))
        .map(({ score }) => score) ?? []
    return [isOfModule(mutant) ? 1 : 0, isChanged ? 0 : 1, -Math.max(0, ...scores), ofOperator[operator]]
  }
  const ranked = mutants
    .map((mutant) => ({ mutant, rank: rank(mutant), lot: hash('sha256', keyOf(mutant)) }))
    .toSorted((a, b) => compare(a.rank, b.rank) || (a.lot < b.lot ? -1 : 1))
  const turns = ranked.map(({ mutant, rank: [isLast = 0, isUnchanged = 0] }) => {
    const place = `${mutant.path}:${mutant.line}:${mutant.operator}`
    const turn = onLine.get(place) ?? 0
    onLine.set(place, turn + 1)
    return { mutant, key: [isLast, isUnchanged, turn] }
  })
  // Sorting keeps the order within a turn.
  return turns.toSorted((a, b) => compare(a.key, b.key)).map(({ mutant }) => mutant)
}

/** Numbers mutants by lot, so that the ones with the lowest numbers are a sample. The lot of a mutant stays the same. */
export function numberByLot(mutants: readonly Mutant[]): NumberedMutant[] {
  const drawn = mutants
    .map((mutant, index) => ({ index, lot: hash('sha256', keyOf(mutant)) }))
    .toSorted((a, b) => (a.lot < b.lot ? -1 : 1))
  const ids = new Map(drawn.map(({ index }, id) => [index, id + 1]))
  return mutants.map((mutant, index) => ({ id: ids.get(index) ?? 0, mutant }))
}

/** So many mutants are tried in the order of their worth, before one is by lot. */
const bestPerDrawn = 3

/**
 * Returns mutants in the order in which they are tried. Most are the best ones that are left. Every fourth is the next by
 * lot, because the best ones say nothing about the others.
 */
export function inTurns(best: readonly NumberedMutant[]): NumberedMutant[] {
  const drawn = best.toSorted((a, b) => a.id - b.id)
  const turns = new Set<NumberedMutant>()
  let next = 0
  for (const [index, mutant] of best.entries()) {
    turns.add(mutant)
    const one = drawn[next]
    if (index % bestPerDrawn !== bestPerDrawn - 1 || !one) continue
    turns.add(one)
    next += 1
  }
  return [...turns]
}

const keyOf = ({ path, start, end, replacement }: Mutant) => JSON.stringify([path, start, end, replacement])

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [index, value] of a.entries()) {
    const other = b[index] ?? 0
    if (value !== other) return value - other
  }
  return 0
}
