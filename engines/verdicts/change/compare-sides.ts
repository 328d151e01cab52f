import type { OutcomeCase } from '../outcome.ts'
import type { ChangeFacts } from './facts.ts'
import type { TestTransition, WithoutChange } from './schema.ts'
import { identities, isGo, scopesOf, type Scopes, type SideTest, sideTests } from './side-tests.ts'

/** What the change did to one test. */
export interface ComparedTest {
  transition: TestTransition
  /** Null if the test is only in the reports of the other side, or skipped there. */
  base: SideTest | null
  head: SideTest | null
  /** Whether the other side reports the test as skipped. */
  isSkippedElsewhere: boolean
  /** The path after the change; null if the reports do not name it. */
  file: string | null
  withoutChange: WithoutChange
  /** How it failed on the code of the base; null if it did not. */
  withoutChangeFailure: OutcomeCase | null
}

export interface ComparedSides {
  /** Every test of the reports once, except those that no run of either side decides. */
  tests: ComparedTest[]
  /** Tests that both sides skip, or that are new and skipped. */
  skipped: { file: string | null; example: OutcomeCase }[]
  /** Tests that only the base reports, because the reports of the head are incomplete. */
  unknown: number
  isBaseKnown: boolean
  isHeadKnown: boolean
}

const none: ReadonlyMap<string, string> = new Map()

/**
 * Gives every test of the reports one transition.
 *
 * Tests are the same if suite, name and file are; renamed files count as the same. If several tests share all of these,
 * they are counted. A skipped test proves nothing, so it counts as absent: `gone` if it ran before, and new if it runs
 * only now. If the results of the base are not known, all tests of the head are new. A failure of a whole file is the failure of all its tests on that side.
 */
export function compareSides({ base, head, withoutChange, files }: ChangeFacts): ComparedSides {
  const renamed = new Map(
    files.flatMap(({ path, before, change }) =>
      change === 'changed' && before !== null && before !== path ? [[before, path] as const] : [],
    ),
  )
  const without = withoutChange ?? []
  const keys = identities([...base.runs, ...head.runs, ...without], renamed)
  const before = { runs: base.runs, keyOf: keys.before, renamed }
  const after = { runs: head.runs, keyOf: keys.after, renamed: none }
  const scopes = scopesOf([before, after], [before, after, { ...after, runs: without }])
  const old = sideTests(base.runs, keys.before, scopes, renamed)
  const now = sideTests(head.runs, keys.after, scopes, none)
  const moved = movedTests(old.tests, now.tests, renamed)
  const unchanged = testsWithoutChange(without, keys.after, scopes)

  const found: ComparedSides = {
    tests: [],
    skipped: [],
    unknown: 0,
    isBaseKnown: old.isComplete,
    isHeadKnown: now.isComplete,
  }
  const keysBefore = new Set<string>()
  for (const [key, tests] of now.tests) {
    const keyBefore = old.tests.has(key) ? key : (moved.get(key) ?? key)
    keysBefore.add(keyBefore)
    addPairs(found, old.tests.get(keyBefore) ?? [], tests, renamed, (count) => unchanged(key, count))
  }
  for (const [key, tests] of old.tests) {
    if (!keysBefore.has(key)) addPairs(found, tests, [], renamed, () => [])
  }
  addFileFailures(found, old.fileFailures.map(keys.before), now.fileFailures, keys.after)
  return found
}

type Without = Pick<ComparedTest, 'withoutChange' | 'withoutChangeFailure'>
const notRun: Without = { withoutChange: 'not_run', withoutChangeFailure: null }

/** Pairs tests of the same identity: equal results first, so that each change of a result is seen once. */
function addPairs(
  found: ComparedSides,
  base: readonly SideTest[],
  head: readonly SideTest[],
  renamed: ReadonlyMap<string, string>,
  withoutOf: (count: number) => readonly Without[],
): void {
  const pairs: readonly Pair[] = base.length < 2 && head.length < 2 ? [[base[0], head[0]]] : pairsOf(base, head)
  const without = withoutByPair(pairs, withoutOf)
  for (const pair of pairs) {
    const [old, now] = pair
    const ofBase = old === undefined || old.status === 'skipped' ? null : old
    const ofHead = now === undefined || now.status === 'skipped' ? null : now
    const file = fileOf(now?.example) ?? fileBefore(old?.example, renamed)
    const known = now ?? old
    if (known === undefined) continue
    if (ofBase === null && ofHead === null) {
      found.skipped.push({ file, example: known.example })
      continue
    }
    const isSkippedElsewhere = old?.status === 'skipped' || now?.status === 'skipped'
    // The head may have this test, too: its reports are incomplete.
    if (now === undefined && !found.isHeadKnown) {
      found.unknown++
      continue
    }
    found.tests.push({
      transition: transitionOf(ofBase, ofHead),
      base: ofBase,
      head: ofHead,
      isSkippedElsewhere,
      file,
      ...(without.get(pair) ?? notRun),
    })
  }
}

/**
 * Gives each test of the head one of the results without the change. Of tests with the same identity, those that fail on
 * a side get the failures first, so that a new one gets none of theirs.
 */
function withoutByPair(
  pairs: readonly Pair[],
  withoutOf: (count: number) => readonly Without[],
): ReadonlyMap<Pair, Without> {
  const ran = pairs
    .filter(([, now]) => now !== undefined && now.status !== 'skipped')
    .toSorted((a, b) => failureRank(a) - failureRank(b))
  const results = withoutOf(ran.length)
  return new Map(ran.map((pair, at) => [pair, results[at] ?? notRun]))
}

function failureRank([old, now]: Pair): number {
  if (now?.status !== 'passed') return 0
  if (old === undefined || old.status === 'skipped') return 2
  return old.status === 'passed' ? 3 : 1
}

function transitionOf(base: SideTest | null, head: SideTest | null): TestTransition {
  if (head === null) return 'gone'
  if (head.status === 'flaky' || base?.status === 'flaky') return 'flaky'
  const passes = head.status === 'passed'
  if (base === null) return passes ? 'new_passing' : 'new_failing'
  if (base.status === 'passed') return passes ? 'passes_to_passes' : 'broken'
  return passes ? 'fails_to_passes' : 'fails_both'
}

const order = ['failed', 'flaky', 'passed', 'skipped'] as const

type Pair = readonly [base: SideTest | undefined, head: SideTest | undefined]

function pairsOf(base: readonly SideTest[], head: readonly SideTest[]): Pair[] {
  const pairs: Pair[] = []
  const [restOfBase, restOfHead]: [SideTest[], SideTest[]] = [[], []]
  for (const status of order) {
    const old = base.filter((test) => test.status === status)
    const now = head.filter((test) => test.status === status)
    const both = Math.min(old.length, now.length)
    for (let at = 0; at < both; at++) pairs.push([old[at], now[at]])
    restOfBase.push(...old.slice(both))
    restOfHead.push(...now.slice(both))
  }
  for (let at = 0; at < Math.max(restOfBase.length, restOfHead.length); at++) {
    pairs.push([restOfBase[at], restOfHead[at]])
  }
  return pairs
}

const fileOf = (found: OutcomeCase | undefined): string | null =>
  found === undefined || isGo(found) ? null : found.file

function fileBefore(found: OutcomeCase | undefined, renamed: ReadonlyMap<string, string>): string | null {
  const file = fileOf(found)
  return file === null ? null : (renamed.get(file) ?? file)
}

/** Runners that name suites after files give the tests of a renamed file new suites. Their names must be unique. */
function movedTests(
  base: ReadonlyMap<string, readonly SideTest[]>,
  head: ReadonlyMap<string, readonly SideTest[]>,
  renamed: ReadonlyMap<string, string>,
): Map<string, string> {
  const moved = new Map<string, string>()
  if (renamed.size === 0) return moved
  const placesOf = (
    tests: ReadonlyMap<string, readonly SideTest[]>,
    others: ReadonlyMap<string, readonly SideTest[]>,
    placeOf: (found: OutcomeCase) => string | null,
  ) => {
    const places = new Map<string, string | null>()
    for (const [key, [test]] of tests) {
      if (test === undefined || others.has(key)) continue
      const place = placeOf(test.example)
      if (place === null) continue
      const named = `${place}\0${test.example.name}`
      places.set(named, places.has(named) ? null : key)
    }
    return places
  }
  const packages = movedPackages(renamed)
  const old = placesOf(base, head, (found) =>
    isGo(found) ? packages(found.suite) : found.file === null ? null : (renamed.get(found.file) ?? null),
  )
  const now = placesOf(head, base, (found) => (isGo(found) ? found.suite : found.file))
  for (const [place, key] of now) {
    const keyBefore = old.get(place)
    if (key !== null && keyBefore) moved.set(key, keyBefore)
  }
  return moved
}

/** Returns the package of Go after the change, for packages whose folder was renamed. */
function movedPackages(renamed: ReadonlyMap<string, string>): (name: string) => string | null {
  const folders = new Map<string, string>()
  for (const [before, path] of renamed) {
    if (!before.endsWith('_test.go')) continue
    const [old, now] = [before, path].map((file) => file.slice(0, Math.max(0, file.lastIndexOf('/'))))
    if (old && now && old !== now) folders.set(old, now)
  }
  return (name) => {
    for (let start = 0; start >= 0; start = name.indexOf('/', start) + 1 || -1) {
      const now = folders.get(name.slice(start))
      if (now !== undefined) return `${name.slice(0, start)}${now}`
    }
    return null
  }
}

/**
 * Returns how the tests of an identity ended on the code of the base, failures first. A test that passes there once
 * proves nothing, so one pass decides. If more ran there, the failing ones may be others.
 */
function testsWithoutChange(
  runs: ChangeFacts['base']['runs'],
  keyOf: (found: OutcomeCase) => string,
  scopes: Scopes,
): (key: string, count: number) => readonly Without[] {
  const { tests } = sideTests(runs, keyOf, scopes, none)
  const whole = wholeRunWithoutChange(runs)
  return (key, count) => {
    const results = tests.get(key)?.filter(({ status }) => status !== 'skipped') ?? []
    if (results.length === 0)
      return Array.from({ length: count }, () => ({ withoutChange: whole, withoutChangeFailure: null }))
    const excess = Math.max(0, results.length - count)
    const failures = results
      .flatMap(({ status, example }) => (status === 'failed' ? example : []))
      .toSorted((a, b) => Number(isUnbuilt(a)) - Number(isUnbuilt(b)))
    const passes = results.filter(({ status }) => status !== 'failed')
    return [
      ...failures.slice(0, Math.max(0, failures.length - excess)).map((example): Without => ({
        withoutChange: isUnbuilt(example) ? 'not_built' : 'fails',
        withoutChangeFailure: example,
      })),
      ...passes.map((): Without => ({ withoutChange: 'passes', withoutChangeFailure: null })),
    ]
  }
}

const isUnbuilt = ({ kind }: OutcomeCase) => kind === 'not_built'

/** Problems that stop a run because of its code, not because of the machine. */
const ofCode = new Set(['no_report', 'command_failed', 'install_failed', 'prepare_failed', 'tests_failed'])
const endless = new Set(['timeout', 'cpu_limit'])

/** How tests ended that no run reports: if nothing was reported at all, the runs could not be built or did not end. */
function wholeRunWithoutChange(runs: ChangeFacts['base']['runs']): WithoutChange {
  if (runs.length === 0 || runs.some(({ cases }) => cases.length > 0)) return 'not_run'
  const codes = runs.map(({ problem }) => problem?.code ?? '')
  if (codes.every((code) => ofCode.has(code))) return 'not_built'
  return codes.every((code) => endless.has(code)) ? 'fails' : 'not_run'
}

/** Files that cannot be loaded and whose tests no report names count as one failing test each. */
function addFileFailures(
  found: ComparedSides,
  base: readonly string[],
  head: readonly OutcomeCase[],
  keyOf: (found: OutcomeCase) => string,
): void {
  const failing = new Set(base)
  for (const example of head) {
    const now: SideTest = { status: 'failed', example, named: null }
    const isOld = failing.has(keyOf(example))
    found.tests.push({
      transition: isOld ? 'fails_both' : 'new_failing',
      base: isOld ? now : null,
      head: now,
      isSkippedElsewhere: false,
      file: example.file,
      ...notRun,
    })
  }
}
