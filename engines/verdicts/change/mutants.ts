import type { ChangeFacts, RestoredPart } from './facts.ts'
import { countOutcomes, detectedOf, judgedOf } from './mutant-counts.ts'
import type { ChangeMutation, ChangeSurvivor, MutantCounts } from './schema.ts'

const shownSurvivors = 20
const maxCodeLength = 500

/**
 * Survivors that a proved change may have, as a share of the mutants that could be judged. Some mutants change no
 * behavior, so no test can detect them: about one in ten.
 */
export const maxSurvivorShare = 0.2

/** Converts the facts to the form of the evidence. */
export function changeMutation({
  mutation,
  restored,
  oldCode = { found: 0, judged: [] },
}: Pick<ChangeFacts, 'mutation' | 'restored' | 'oldCode'>): ChangeMutation | null {
  const parts = restored.filter(({ kind, isMutant }) => kind !== 'file' && !isMutant)
  const old = oldCode.judged
  if (mutation === null && parts.length + old.length === 0) return null
  const { found = 0, seed = '', judged = [] } = mutation ?? {}
  const survivors: ChangeSurvivor[] = [
    ...judged.flatMap(({ mutant, outcome }) => (outcome === 'survived' ? mutant : [])),
    ...old.flatMap(({ mutant, outcome }) => (outcome === 'survived' ? { ...mutant, isInOldCode: true as const } : [])),
    ...parts.flatMap(({ path, line, now, before, outcome }) =>
      outcome === 'survived' ? { path, line, operator: 'restored' as const, original: now, replacement: before } : [],
    ),
  ]
  return {
    found: found + oldCode.found + parts.length,
    ...countOutcomes([...parts, ...old, ...judged].map(({ outcome }) => outcome)),
    restored: countOutcomes(parts.map(({ outcome }) => outcome)),
    ...(oldCode.found > 0 && {
      inOldCode: { found: oldCode.found, ...countOutcomes(old.map(({ outcome }) => outcome)) },
    }),
    seed,
    survivors: survivors.slice(0, shownSurvivors).map((mutant) => ({
      ...mutant,
      original: mutant.original.slice(0, maxCodeLength),
      replacement: mutant.replacement.slice(0, maxCodeLength),
    })),
  }
}

interface JudgedMutants {
  /** The number of mutants with a result, and of those that the tests detected. */
  judged: number
  detected: number
  counts: MutantCounts
  /** Titles of tests. */
  detectedBy: ReadonlySet<string>
}

/** Counts the mutants, without restored code. */
export function judgedMutants(mutation: ChangeFacts['mutation']): JudgedMutants {
  const { judged = [] } = mutation ?? {}
  const counts = countOutcomes(judged.map(({ outcome }) => outcome))
  const detected = judged.filter(({ outcome }) => outcome !== 'invalid' && outcome !== 'survived')
  return {
    judged: judgedOf(counts),
    detected: detectedOf(counts),
    counts,
    detectedBy: new Set(detected.flatMap(({ killedBy = [] }) => killedBy)),
  }
}

const replacing = new Set<RestoredPart['kind']>(['move', 'alteration', 'replacement'])

/**
 * Whether few enough mutants survived. A single survivor is allowed if others were detected, whatever its share. Old
 * code that the tests accept in place of new code counts as well, except for one part: it may have been rewritten
 * without another meaning. Old code that is the same as a mutant counts as the mutant, and if it survives, no other part
 * is excepted.
 */
export function isWithinBound({ mutation, restored }: Pick<ChangeFacts, 'mutation' | 'restored'>): boolean {
  const { judged, detected } = judgedMutants(mutation)
  const survived = judged - detected
  const most = (count: number) => Math.max(1, Math.floor(count * maxSurvivorShare))
  if (survived > 0 && (detected === 0 || survived > most(judged))) return false
  const replaced = restored.filter(({ kind, outcome }) => replacing.has(kind) && outcome !== 'invalid')
  const accepted = replaced.filter(({ outcome }) => outcome === 'survived')
  const mutated = accepted.filter(({ isMutant }) => isMutant).length
  const excepted = mutated > 0 ? 0 : 1
  const others = replaced.filter(({ isMutant }) => !isMutant).length
  return survived + Math.max(0, accepted.length - mutated - excepted) <= most(judged + others)
}
