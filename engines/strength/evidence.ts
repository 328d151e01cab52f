import type { NumberedMutant } from '../mutation/switched-source.ts'
import { presentMutant } from '../mutation/mutant.ts'
import { adviceOn } from './advice.ts'
import { countsOf, keptOf } from './counts.ts'
import type { StrengthEvidence, StrengthReason, StrengthVerdict, Survivor } from './schema.ts'
import { namedTest } from './named-test.ts'
import type { Tally } from './tally.ts'

export const maxSurvivors = 200
const maxFiles = 500
const maxFolders = 200

export interface Measured {
  /** Best first. */
  mutants: readonly NumberedMutant[]
  tally: Tally
  /** Returns what the analysis says of a line. */
  placeAt: (path: string, line: number) => Pick<Survivor, 'symbol' | 'case'>
  /** Returns the path of a test file in the repository. */
  pathOf: (file: string) => string
  sample: StrengthEvidence['sample']
  warnings: readonly string[]
  /** Whether there is no code, because none has changed. */
  isUnchanged: boolean
  durationMs: number
}

/** Puts together what is known of the mutants. */
export function evidenceOf(measured: Measured): StrengthEvidence {
  const { mutants, tally, sample, warnings, isUnchanged, pathOf, durationMs } = measured
  const counts = countsOf(tally, mutants)
  const byPath = [...Map.groupBy(mutants, ({ mutant }) => mutant.path)]
  const files = byPath.map(([path, own]) => ({ path, ...countsOf(tally, own) }))
  const reason = isUnchanged ? 'no_code_changed' : reasonOf(counts, tally)
  const failingTests = tally.failingTests.map((test) => namedTest(test, pathOf))
  return {
    reason,
    summary: summaryOf(reason, counts),
    ...counts,
    kept: keptOf(tally, mutants),
    files: files.toSorted((a, b) => b.survived - a.survived || (a.path < b.path ? -1 : 1)).slice(0, maxFiles),
    folders: foldersOf(tally, mutants),
    survivors: survivorsOf(measured).slice(0, maxSurvivors),
    sample,
    tests: { run: tally.tests, failing: tally.failing, kept: tally.keptTests, failingTests },
    warnings: [...warnings],
    durationMs: Math.round(durationMs),
  }
}

/** Counts for each folder, unless it only has one folder and no file. */
function foldersOf(tally: Tally, mutants: readonly NumberedMutant[]): StrengthEvidence['folders'] {
  const inside = new Map<string, NumberedMutant[]>()
  for (const numbered of mutants) {
    const names = numbered.mutant.path.split('/')
    for (let depth = 1; depth < names.length; depth++) {
      const folder = names.slice(0, depth).join('/')
      const own = inside.get(folder)
      if (own) own.push(numbered)
      else inside.set(folder, [numbered])
    }
  }
  const folders = [...inside].filter(([folder, own]) => {
    const below = new Set(own.map(({ mutant }) => mutant.path.slice(folder.length + 1).split('/')[0]))
    return below.size > 1 || own.some(({ mutant }) => !mutant.path.slice(folder.length + 1).includes('/'))
  })
  const inOrder = folders.toSorted(([a], [b]) => a.split('/').length - b.split('/').length || (a < b ? -1 : 1))
  return inOrder.slice(0, maxFolders).map(([path, own]) => ({ path, ...countsOf(tally, own) }))
}

type Counts = ReturnType<typeof countsOf>

function reasonOf({ found, reached, tried }: Counts, { isComplete, lacksTests, leftOut }: Tally): StrengthReason {
  if (found === 0 && leftOut === 0) return 'no_mutants'
  if (lacksTests) return 'no_driver'
  if (!isComplete) return 'budget_used'
  if (reached === 0) return 'nothing_reached'
  return tried < reached ? 'tests_not_repeatable' : 'all_tried'
}

const complete: readonly StrengthReason[] = ['all_tried', 'nothing_reached', 'no_mutants', 'no_code_changed']

export const verdictOf = ({ reason }: Pick<StrengthEvidence, 'reason'>): StrengthVerdict =>
  complete.includes(reason) ? 'measured' : 'partial'

function summaryOf(reason: StrengthReason, counts: Counts): string {
  const { found, reached, tried, noticed, survived, timedOut, strength } = counts
  const many = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`
  if (reason === 'no_code_changed') return 'No code has changed since then, only other files or none.'
  if (reason === 'no_mutants') return 'The code has nothing that Assay can change: no condition, number or call.'
  if (reason === 'nothing_reached') {
    return `No test runs any of the ${many(found, 'place')} that Assay can change. Write tests that run this code first.`
  }
  const unheard = reason === 'no_driver' ? ' Other tests could not run while Assay tried changes.' : ''
  const slow = timedOut > 0 ? ` (${timedOut} of them because they took too long)` : ''
  const share = strength === null ? '' : ` ${strengthWords(strength)}`
  const why =
    reason === 'tests_not_repeatable'
      ? ', because the tests that run them fail or have other results when they run again'
      : ''
  const rest = tried < reached ? ` ${reached - tried} more were not tried${why}.` : ''
  const unreached =
    found > reached ? ` No passing test runs ${many(found - reached, 'other change')} in its own process.` : ''
  return `Tests notice ${noticed} of ${many(tried, 'small change')} of the code that they run${slow}, and accept ${survived}.${share}${rest}${unreached}${unheard}`
}

function strengthWords({ percent, interval: [low, high] }: NonNullable<Counts['strength']>): string {
  return low === high
    ? `That is ${percent} %.`
    : `That is ${percent} % of what was tried, and between ${low} and ${high} % for all of it.`
}

function survivorsOf({ mutants, tally, placeAt, pathOf }: Measured): Survivor[] {
  return mutants.flatMap(({ id, mutant }) => {
    if (tally.decided.get(id)?.outcome !== 'survived') return []
    const shown = presentMutant(mutant)
    const [nearest] = tally.testsOf(id)
    return {
      ...shown,
      ...placeAt(mutant.path, mutant.line),
      nearestTest: nearest ? namedTest(nearest, pathOf) : null,
      tests: tally.testCountOf(id),
      advice: adviceOn(shown),
    }
  })
}
