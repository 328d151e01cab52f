import { isOutsideOfTests } from '../failure-kind.ts'
import type { OutcomeCase, RunOutcome } from '../outcome.ts'

/**
 * The results of one test on one side. `flaky`: runs of the same code had different results, or the test passed on a
 * retry.
 */
export interface SideTest {
  status: 'passed' | 'failed' | 'skipped' | 'flaky'
  /** The failure if there is one, else any result. */
  example: OutcomeCase
  /** A case with the name of the test; null if only its file is reported, which could not be loaded. */
  named: OutcomeCase | null
}

/** Returns the identity of a test from one of its cases. */
export type KeyOf = (found: OutcomeCase) => string

export interface SideTests {
  /** The results by identity. Several tests may have the same identity. */
  tests: ReadonlyMap<string, readonly SideTest[]>
  /** Failures of files that the runner could not load, and that contain no known test. */
  fileFailures: readonly OutcomeCase[]
  /** Whether the run of all tests reported all of them. A test that is in no run does not exist then. */
  isComplete: boolean
}

/**
 * Whether the case stands for a file or, in Go, for a package: it could not be loaded or built, or failed outside of its
 * tests.
 */
export const isOfFile = (found: OutcomeCase): boolean => isOutsideOfTests(found) || isOfGoPackage(found)

export const isGo = (found: OutcomeCase): boolean =>
  found.file?.endsWith('.go') === true || (found.file === null && /^[\w.~-]+(?:\/[\w.~-]+)*$/.test(found.suite))

/** A test of Go is named after its function, so none is named `package`. */
const isOfGoPackage = (found: OutcomeCase) => found.name === 'package' && isGo(found)

/**
 * Returns what distinguishes tests of all runs: suite, name and file. Where one of the reports does not name the file,
 * suite and name must do. In reports of Go the file is the place of the failure, which may differ from run to run.
 */
export function identities(
  runs: readonly RunOutcome[],
  renamed: ReadonlyMap<string, string>,
): Record<'before' | 'after', KeyOf> {
  const withoutFile = new Set<string>()
  for (const { cases } of runs) {
    for (const found of cases) if (found.file === null || found.file.endsWith('.go')) withoutFile.add(titleOf(found))
  }
  const keyIn = (found: OutcomeCase, file: string | null) => {
    const title = titleOf(found)
    return withoutFile.has(title) ? title : `${title}\0${file}`
  }
  return {
    before: (found) => keyIn(found, found.file === null ? null : (renamed.get(found.file) ?? found.file)),
    after: (found) => keyIn(found, found.file),
  }
}

const titleOf = ({ suite, name }: OutcomeCase) => `${suite}\0${name}`

/** The file or, in Go, the package that a case belongs to; null if the report does not say. */
const scopeOf = (found: OutcomeCase, renamed: ReadonlyMap<string, string>): string | null => {
  if (isGo(found)) return `package ${found.suite}`
  return found.file === null ? null : `file ${renamed.get(found.file) ?? found.file}`
}

/** The tests of each file or package, with the largest number of tests of the same identity in one run. */
export type Scopes = ReadonlyMap<string, ReadonlyMap<string, number>>

interface RunsOfSide {
  runs: readonly RunOutcome[]
  keyOf: KeyOf
  renamed: ReadonlyMap<string, string>
}

/** Collects the tests of the files that failed as a whole in one of the runs, from the runs of both sides. */
export function scopesOf(sides: readonly RunsOfSide[], failing: readonly RunsOfSide[]): Scopes {
  const scopes = new Map<string, Map<string, number>>()
  for (const { runs, renamed } of failing) {
    for (const { cases } of runs) {
      for (const found of cases) {
        if (found.status !== 'failed' || !isOfFile(found)) continue
        const scope = scopeOf(found, renamed)
        if (scope !== null) scopes.set(scope, new Map())
      }
    }
  }
  if (scopes.size === 0) return scopes
  for (const { runs, keyOf, renamed } of sides) {
    for (const { cases } of runs) {
      const counts = new Map<string, number>()
      for (const found of cases) {
        const scope = scopeOf(found, renamed)
        const known = scope === null ? undefined : scopes.get(scope)
        if (known === undefined || isOfFile(found)) continue
        const key = keyOf(found)
        const count = (counts.get(`${scope}\0${key}`) ?? 0) + 1
        counts.set(`${scope}\0${key}`, count)
        if (count > (known.get(key) ?? 0)) known.set(key, count)
      }
    }
  }
  return scopes
}

/** Collects the results of all tests of one side. The order of repeats and of cases does not matter. */
export function sideTests(
  runs: readonly RunOutcome[],
  keyOf: KeyOf,
  scopes: Scopes,
  renamed: ReadonlyMap<string, string>,
): SideTests {
  const results = new Map<string, OutcomeCase[][]>()
  const fileFailures = new Map<string, OutcomeCase>()
  for (const { cases } of runs) {
    const ofRun = new Map<string, OutcomeCase[]>()
    const failedFiles: OutcomeCase[] = []
    for (const found of cases) {
      if (!isOfFile(found)) push(ofRun, keyOf(found), found)
      // node:test reports a file without tests as a passed test.
      else if (found.status === 'failed') failedFiles.push(found)
    }
    for (const failure of failedFiles) {
      const scope = scopeOf(failure, renamed)
      const tests = (scope !== null && scopes.get(scope)) || noTests
      // Tests that the runner could not reach fail for the same reason as their file.
      for (const [key, count] of tests)
        if (!ofRun.has(key))
          ofRun.set(
            key,
            Array.from({ length: count }, () => failure),
          )
      if (tests.size === 0) {
        const key = keyOf(failure)
        fileFailures.set(key, moreTelling(fileFailures.get(key), failure))
      }
    }
    for (const [key, found] of ofRun) push(results, key, found)
  }
  const tests = new Map<string, SideTest[]>()
  for (const [key, perRun] of results) tests.set(key, summarize(perRun))
  return { tests, fileFailures: [...fileFailures.values()], isComplete: isComplete(runs) }
}

const noTests: ReadonlyMap<string, number> = new Map()

/** Compares the n-th results of all runs. Results are sorted because tests of the same name have no other order. */
function summarize(perRun: readonly OutcomeCase[][]): SideTest[] {
  const sorted = perRun.map((cases) => (cases.length > 1 ? cases.toSorted(byStatus) : cases))
  const length = sorted.reduce((most, cases) => Math.max(most, cases.length), 0)
  const tests: SideTest[] = []
  for (let at = 0; at < length; at++) {
    tests.push(stateOf(sorted.flatMap((cases) => cases[at] ?? [])))
  }
  return tests
}

const ranks = { failed: 0, skipped: 1, passed: 2 }
const byStatus = (a: OutcomeCase, b: OutcomeCase) =>
  ranks[a.status] - ranks[b.status] ||
  Number(b.passedOnRetry ?? false) - Number(a.passedOnRetry ?? false) ||
  Number(weightOf(a) < weightOf(b)) - Number(weightOf(a) > weightOf(b))

function stateOf(cases: readonly OutcomeCase[]): SideTest {
  const failed = cases.filter(({ status }) => status === 'failed')
  const passed = cases.filter(({ status }) => status === 'passed')
  const isFlaky = (failed.length > 0 && passed.length > 0) || passed.some(({ passedOnRetry }) => passedOnRetry)
  const status = isFlaky ? 'flaky' : failed.length > 0 ? 'failed' : passed.length > 0 ? 'passed' : 'skipped'
  const shown = failed.length > 0 ? failed : cases
  const example = shown.reduce<OutcomeCase | undefined>(moreTelling, undefined) as OutcomeCase
  return { status, example, named: isOfFile(example) ? (cases.find((found) => !isOfFile(found)) ?? null) : example }
}

/** Chooses one of two cases, regardless of their order. */
function moreTelling(one: OutcomeCase | undefined, other: OutcomeCase): OutcomeCase {
  if (one === undefined) return other
  const [a, b] = [weightOf(one), weightOf(other)]
  return a === b ? one : a > b ? one : other
}

const weightOf = ({ place, message, line, file }: OutcomeCase) =>
  `${place ? 1 : 0}${message === null ? 0 : 1}${line === undefined ? 0 : 1}${file === null ? 0 : 1}\0${message ?? ''}\0${place?.file}:${place?.line}\0${file}:${line}`

/** Problems of runs that still reported all tests. */
const whole = new Set(['command_failed', 'no_tests'])

/** Whether a limit or a lost report ended the run before it reported all tests. */
export const endedEarly = ({ problem }: Pick<RunOutcome, 'problem'>): boolean =>
  problem !== null && !whole.has(problem.code)

/** The first run is of all tests; the others may repeat some of them. */
function isComplete([first]: readonly RunOutcome[]): boolean {
  return first !== undefined && !endedEarly(first) && first.cases.length >= first.totals.totalTests
}

function push<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}
