import type { NumberedMutant } from '../mutation/switched-source.ts'
import { type Mutant, presentMutant } from '../mutation/mutant.ts'
import { adviceOn } from '../mutation/advice.ts'
import { countsOf, keptOf } from './counts.ts'
import type { StrengthEvidence, StrengthReason, StrengthVerdict, Survivor } from './schema.ts'
import { namedTest } from './named-test.ts'
import type { ReachingTest, Tally } from './tally.ts'

export const maxSurvivors = 200
const maxFiles = 500
const maxFolders = 200

interface Limits {
  paths: readonly string[]
  since: string | null
}

export interface Measured {
  /** Best first. */
  mutants: readonly NumberedMutant[]
  tally: Tally
  /** Returns where a mutant is: in its line, and by what the analysis says of this line. */
  placeOf: (mutant: Mutant) => Pick<Survivor, 'column' | 'context' | 'symbol' | 'case'>
  /** Returns the path of a test file in the repository. */
  pathOf: (file: string) => string
  sample: StrengthEvidence['sample']
  warnings: readonly string[]
  /** Whether more can follow. */
  isRunning: boolean
  /** What the code is limited to. */
  limits: Limits
  /** Whether there is no code, because none has changed. */
  isUnchanged: boolean
  durationMs: number
}

/** Puts together what is known of the mutants. */
export function evidenceOf(measured: Measured): StrengthEvidence {
  const { mutants, tally, sample, warnings, isRunning, isUnchanged, limits, pathOf, durationMs } = measured
  const counts = countsOf(tally, mutants)
  const byPath = [...Map.groupBy(mutants, ({ mutant }) => mutant.path)]
  const files = byPath.map(([path, own]) => ({ path, ...countsOf(tally, own) }))
  const reason = isRunning ? 'running' : isUnchanged ? 'no_code_changed' : reasonOf(counts, tally)
  const failingTests = tally.failingTests.map((test) => namedTest(test, pathOf))
  return {
    reason,
    summary: reason === 'no_code_changed' ? nothingChanged(limits) : summaryOf(reason, counts),
    ...counts,
    kept: keptOf(tally, mutants),
    files: files.toSorted((a, b) => b.survived - a.survived || (a.path < b.path ? -1 : 1)).slice(0, maxFiles),
    folders: foldersOf(tally, mutants),
    survivors: survivorsOf(measured),
    survivorsLeftOut: Math.max(0, counts.survived - maxSurvivors),
    unreached: unreachedOf(tally, mutants),
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

/** Returns the evidence of a measurement that was cancelled. */
export const cancelledEvidence = (evidence: StrengthEvidence): StrengthEvidence => ({
  ...evidence,
  reason: 'cancelled',
  summary: summaryOf('cancelled', evidence),
})

const maxNamedPaths = 3

/** "No code in src/money has changed since main." */
function nothingChanged({ paths, since }: Limits): string {
  const named = paths.slice(0, maxNamedPaths)
  const more = paths.length - named.length
  const where = named.length === 0 ? '' : ` in ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  // Clients send the commit instead of names such as HEAD.
  const reference = since !== null && /^[0-9a-f]{40,64}$/.test(since) ? since.slice(0, 10) : since
  return `No code${where} has changed since ${reference ?? 'then'}.`
}

const many = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`

const isUnended = (reason: StrengthReason) => reason === 'running' || reason === 'cancelled'

function summaryOf(reason: StrengthReason, counts: Counts): string {
  const { found, reached, tried, noticed, survived, timedOut, strength } = counts
  if (isUnended(reason) && tried === 0) {
    const end = reason === 'cancelled' ? 'The measurement was cancelled before any was tried.' : 'None was tried yet.'
    return `The code has ${many(found, 'place')} that Assay can change. ${end}`
  }
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
  const yet = reason === 'running' ? ' yet' : ''
  const end = reason === 'cancelled' ? ' The measurement was cancelled.' : ''
  const rest = tried < reached ? ` ${reached - tried} more were not tried${yet}${why}.` : ''
  const unreached =
    found > reached
      ? ` No passing test runs the code of ${many(found - reached, 'other change')} (child processes and worker threads do not count).`
      : ''
  return `Tests notice ${noticed} of ${many(tried, 'small change')} of the code that they run${slow}, and accept ${survived}.${share}${rest}${unreached}${unheard}${end}`
}

function strengthWords({ percent, interval: [low, high] }: NonNullable<Counts['strength']>): string {
  return low === high
    ? `That is ${percent} %.`
    : `That is ${percent} % of what was tried, and between ${low} and ${high} % for all of it.`
}

function survivorsOf(measured: Measured): Survivor[] {
  const { mutants, tally, placeOf, pathOf } = measured
  const survived = mutants.filter(({ id }) => tally.decided.get(id)?.outcome === 'survived')
  const nearestTo = nearestTests(measured)
  return survived.slice(0, maxSurvivors).map(({ id, mutant }) => {
    const shown = presentMutant(mutant)
    const place = placeOf(mutant)
    const nearest = nearestTo({ id, mutant }, place)
    return {
      ...shown,
      ...place,
      nearestTest: nearest ? namedTest(nearest, pathOf) : null,
      tests: tally.testCountOf(id),
      advice: adviceOn(shown, place.context),
    }
  })
}

/**
 * Returns a function that chooses the test that is nearest to a survivor: the one that reaches least beside it. A test for
 * which the function throws asserts the error rather than what the function does, so that the next one is nearer, except to
 * the error path itself.
 */
function nearestTests({ mutants, tally, placeOf }: Measured) {
  const nameOf = ({ file, test }: ReachingTest) => JSON.stringify([file, test])
  const throwing = new Map<string, Set<string>>()
  for (const { id, mutant } of mutants) {
    if (mutant.operator !== 'removed_throw' || !tally.isReached(id)) continue
    const key = JSON.stringify([mutant.path, placeOf(mutant).symbol])
    throwing.set(key, new Set([...(throwing.get(key) ?? []), ...tally.testsOf(id).map(nameOf)]))
  }
  return ({ id, mutant }: NumberedMutant, { symbol, case: ofCase }: Pick<Survivor, 'symbol' | 'case'>) => {
    const tests = tally.testsOf(id)
    const isErrorPath = mutant.operator === 'removed_throw' || ofCase?.outcome === 'throws'
    const others = isErrorPath || symbol === null ? undefined : throwing.get(JSON.stringify([mutant.path, symbol]))
    return tests.find((test) => others?.has(nameOf(test)) !== true) ?? tests[0]
  }
}

const maxUnreachedFiles = 100
const maxUnreachedLines = 20

/** Most changes first. Before the tests ran once, nobody knows what they reach. */
function unreachedOf(tally: Tally, mutants: readonly NumberedMutant[]): StrengthEvidence['unreached'] {
  const open = tally.tests === 0 ? [] : mutants.filter(({ id }) => !tally.isReached(id) && !tally.decided.has(id))
  const files = [...Map.groupBy(open, ({ mutant }) => mutant.path)].map(([path, own]) => {
    const lines = [...new Set(own.map(({ mutant }) => mutant.line))].toSorted((a, b) => a - b)
    return { path, changes: own.length, lines: lines.length, at: lines.slice(0, maxUnreachedLines) }
  })
  return {
    changes: open.length,
    lines: files.reduce((sum, { lines }) => sum + lines, 0),
    files: files.toSorted((a, b) => b.changes - a.changes || (a.path < b.path ? -1 : 1)).slice(0, maxUnreachedFiles),
  }
}
