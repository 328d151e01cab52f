import type { NumberedMutant } from '../mutation/switched-source.ts'
import { presentMutant } from '../mutation/mutant.ts'
import { adviceOn } from './advice.ts'
import { strengthOf } from './interval.ts'
import type { StrengthEvidence, StrengthReason, Survivor } from './schema.ts'
import type { Tally } from './tally.ts'

const maxSurvivors = 200
const maxFiles = 500

export interface Measured {
  /** Best first. */
  mutants: readonly NumberedMutant[]
  tally: Tally
  /** Returns the name of the function or class around a line. */
  symbolAt: (path: string, line: number) => string | null
  /** Returns the path of a test file in the repository. */
  pathOf: (file: string) => string
  sample: StrengthEvidence['sample']
  warnings: readonly string[]
  durationMs: number
}

/** Puts together what is known of the mutants. */
export function evidenceOf(measured: Measured): StrengthEvidence {
  const { mutants, tally, sample, warnings, durationMs } = measured
  const counts = countsOf(tally, mutants)
  const byPath = [...Map.groupBy(mutants, ({ mutant }) => mutant.path)]
  const files = byPath.map(([path, own]) => ({ path, ...countsOf(tally, own) }))
  const reason = reasonOf(counts, tally)
  return {
    reason,
    summary: summaryOf(reason, counts),
    ...counts,
    files: files.toSorted((a, b) => b.survived - a.survived || (a.path < b.path ? -1 : 1)).slice(0, maxFiles),
    survivors: survivorsOf(measured).slice(0, maxSurvivors),
    sample,
    tests: { run: tally.tests, failing: tally.failing },
    warnings: [...warnings],
    durationMs: Math.round(durationMs),
  }
}

function countsOf(tally: Tally, mutants: readonly NumberedMutant[]) {
  const { found, reached, tried, noticed, timedOut, survived, invalid, lost } = tally.counts(mutants)
  const possible = reached - invalid - lost
  return { found, reached, tried, noticed, timedOut, survived, strength: strengthOf(noticed, tried, possible) }
}

type Counts = ReturnType<typeof countsOf>

function reasonOf({ found, reached }: Counts, { isComplete }: Tally): StrengthReason {
  if (found === 0) return 'no_mutants'
  if (isComplete && reached === 0) return 'nothing_reached'
  return isComplete ? 'all_tried' : 'budget_used'
}

function summaryOf(reason: StrengthReason, counts: Counts): string {
  const { found, reached, tried, noticed, survived, timedOut, strength } = counts
  const many = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`
  if (reason === 'no_mutants') return 'The code has nothing that Assay can change: no condition, number or call.'
  if (reason === 'nothing_reached') {
    return `No test runs any of the ${many(found, 'place')} that Assay can change. Write tests that run this code first.`
  }
  const slow = timedOut > 0 ? ` (${timedOut} of them because they took too long)` : ''
  const share = strength === null ? '' : ` ${strengthWords(strength)}`
  const rest = tried < reached ? ` ${reached - tried} more were not tried.` : ''
  const unreached = found > reached ? ` No test runs ${many(found - reached, 'other change')}.` : ''
  return `Tests notice ${noticed} of ${many(tried, 'small change')} of the code that they run${slow}, and accept ${survived}.${share}${rest}${unreached}`
}

function strengthWords({ percent, interval: [low, high] }: NonNullable<Counts['strength']>): string {
  return low === high
    ? `That is ${percent} %.`
    : `That is ${percent} %, and between ${low} and ${high} % for all of it.`
}

function survivorsOf({ mutants, tally, symbolAt, pathOf }: Measured): Survivor[] {
  return mutants.flatMap(({ id, mutant }) => {
    if (tally.decided.get(id)?.outcome !== 'survived') return []
    const shown = presentMutant(mutant)
    const tests = tally.testsOf(id)
    const [nearest] = tests
    return {
      ...shown,
      symbol: symbolAt(mutant.path, mutant.line),
      case: null,
      nearestTest: nearest ? { path: pathOf(nearest.file), name: nearest.test } : null,
      tests: tests.length,
      advice: adviceOn(shown),
    }
  })
}
