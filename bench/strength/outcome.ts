import { hash } from 'node:crypto'

/** What a tool says of a mutant. */
export interface Judged {
  path: string
  line: number
  original: string
  replacement: string
  outcome: 'noticed' | 'survived' | 'timed_out' | 'not_reached' | 'other'
  /** The source with the mutant. */
  source: string
}

/** What a tool found out about all mutants, in milliseconds. */
export interface Judgment {
  ms: number
  mutants: readonly Judged[]
}

export const isTried = ({ outcome }: Judged): boolean => outcome !== 'not_reached' && outcome !== 'other'
export const isNoticed = ({ outcome }: Judged): boolean => outcome === 'noticed' || outcome === 'timed_out'

/** Mutants of two tools are the same if they make the same source, apart from white space. */
export function pairsOf(ours: readonly Judged[], theirs: readonly Judged[]): [Judged, Judged][] {
  const known = new Map(theirs.map((one) => [keyOf(one), one]))
  return ours.flatMap((one): [Judged, Judged][] => {
    const other = known.get(keyOf(one))
    return other ? [[one, other]] : []
  })
}

const keyOf = ({ path, source }: Judged) => `${path} ${hash('sha256', source.replace(/\s+/g, ''))}`
