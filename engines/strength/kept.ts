import { type CodeParts, digestOf } from './code-parts.ts'
import { type KeptReach, keptReach, type KnownReach, knownTests, probeNames, type Reach } from './kept-reach.ts'
import type { NumberedMutant } from '../mutation/switched-source.ts'
import type { Decided } from './tally.ts'

/** What the results of the tests of one file depended on. */
export interface TestRecord {
  /** Names the record in results: a digest of all the rest. */
  key: string
  path: string
  /** The content of the test file and its snapshots. */
  own: string
  /** The files with mutants that the tests loaded. */
  files: Record<string, LoadedFile>
  /** The key of the `OtherFiles`. */
  others: string
}

interface LoadedFile {
  content: string | null
  /** The code that ran when it was loaded, and the functions that tests called. Null if the tests depend on all of it. */
  parts: { rest: string; units: string[] } | null
}

/** The contents, by path, of all code without mutants and of tests that did not run. Each test may depend on them. */
export interface OtherFiles {
  key: string
  contents: Record<string, string | null>
}

/** Results of mutants of one file. Tests are positions in `tests`, which has keys of test records. */
export interface MutantResults {
  tests: string[]
  mutants: MutantResult[]
  /** The keys of mutants whose results are of a measurement that ended before it repeated a sample of them. */
  unchecked: string[]
}

export type MutantResult =
  | [key: string, outcome: 'noticed' | 'timed_out', test: number, name: string | null]
  | [key: string, outcome: 'survived', tests: number[]]

/** The results of earlier measurements under the same conditions. */
export interface Kept {
  tests: readonly TestRecord[]
  others: readonly OtherFiles[]
  reaches: readonly KeptReach[]
  /** By the path of the code. */
  results: ReadonlyMap<string, MutantResults>
}

/** The code of this measurement. */
export interface Present {
  mutants: readonly NumberedMutant[]
  /** The probe of each mutant, by id. */
  probes: ReadonlyMap<number, number>
  /** The name of each mutant in results, by id. */
  keys: ReadonlyMap<number, string>
  /** The files with mutants. */
  code: ReadonlyMap<string, CodeParts>
  contentOf: (path: string) => string | null
  /** Identifies a test file and its snapshots; null if it is gone. */
  testOf: (path: string) => string | null
}

/** What earlier results spare. */
export interface Spared {
  /** Mutants that count without being tried. */
  decided: Decided[]
  /** For the others, by id: the test to try first, and the test files that are known to accept the mutant. */
  hints: Map<number, { first?: { path: string; test: string | null }; accepted?: string[] }>
  /** The test files that need not run to see what they reach. */
  known: KnownReach[]
  /** The mutants whose results no measurement has sampled. */
  unchecked: Set<number>
}

/** Finds the results that nothing has changed since. */
export function whatIsSpared(kept: Kept, present: Present): Spared {
  const paths = new Map(kept.tests.map(({ key, path }) => [key, path]))
  const valid = validTests(kept, present)
  const decided: Decided[] = []
  const hints: Spared['hints'] = new Map()
  const unchecked = new Set<number>()
  const byKey = new Map(
    [...kept.results].map(([path, found]) => [
      path,
      {
        tests: found.tests,
        results: new Map(found.mutants.map((result) => [result[0], result])),
        unchecked: new Set(found.unchecked),
      },
    ]),
  )
  for (const { id, mutant } of present.mutants) {
    const known = byKey.get(mutant.path)
    const result = known?.results.get(present.keys.get(id) ?? '')
    if (!known || !result) continue
    if (known.unchecked.has(result[0])) unchecked.add(id)
    if (result[1] === 'survived') {
      const accepted = result[2].flatMap((index) => known.tests[index] ?? []).filter((key) => valid.has(key))
      const files = [...new Set(accepted.flatMap((key) => paths.get(key) ?? []))]
      if (files.length > 0) hints.set(id, { accepted: files })
      continue
    }
    const [, outcome, index, test] = result
    const key = known.tests[index] ?? ''
    const file = paths.get(key)
    if (file === undefined) continue
    if (valid.has(key)) decided.push({ id, outcome, by: { file, test }, tries: 1 })
    else hints.set(id, { first: { path: file, test } })
  }
  return { decided, hints, known: whatIsKnown(kept, present, valid), unchecked }
}

function whatIsKnown({ tests, others, reaches }: Kept, present: Present, valid: ReadonlySet<string>): KnownReach[] {
  const unseen = new Map(others.map(({ key, contents }) => [key, contents]))
  const names = probeNames(present.mutants, present.probes, present.keys)
  const byKey = new Map(reaches.map((reach) => [reach.key, reach]))
  return tests.flatMap(({ key, path }) => {
    const reach = byKey.get(key)
    const hidden = unseen.get(reach?.others ?? '')
    if (!reach || !hidden || !valid.has(key)) return []
    if ([...present.code.keys()].some((code) => Object.hasOwn(hidden, code))) return []
    return [{ path, tests: knownTests(reach, names) }]
  })
}

/** The keys of the records of tests whose results would be the same now. */
function validTests({ tests, others }: Kept, { code, contentOf, testOf }: Present): Set<string> {
  const same = ({ contents }: OtherFiles) =>
    Object.entries(contents).every(([path, content]) => content !== null && contentOf(path) === content)
  const unchanged = new Set(others.filter(same).map(({ key }) => key))
  const units = new Map([...code].map(([path, parts]) => [path, new Set(parts.units.map(({ key }) => key))]))
  const isSame = ([path, { content, parts }]: [string, LoadedFile]) =>
    (content !== null && contentOf(path) === content) ||
    (parts !== null &&
      code.get(path)?.rest === parts.rest &&
      parts.units.every((unit) => units.get(path)?.has(unit) === true))
  const valid = tests.filter(
    ({ path, own, files, others: key }) =>
      unchanged.has(key) && testOf(path) === own && Object.entries(files).every(isSame),
  )
  return new Set(valid.map(({ key }) => key))
}

export interface Found extends Present {
  reaches: readonly Reach[]
  /** All paths of code and tests. */
  paths: readonly string[]
  decided: readonly Decided[]
  /** Whether no measurement has sampled the result of a mutant. */
  isUnchecked: (id: number) => boolean
  /** Returns the paths of the test files that reach a mutant. */
  testsOf: (id: number) => readonly string[]
}

/**
 * Returns what later measurements can use.
 *
 * @param kept - what this measurement could use: tests whose results it took over keep their records, which can say more
 */
export function whatToKeep(found: Found, kept: Kept): Kept {
  const { mutants, keys, code, reaches, paths, contentOf, decided, isUnchecked, testsOf } = found
  const ran = new Set(reaches.map(({ path }) => path))
  const contents = Object.fromEntries(
    paths.filter((path) => !code.has(path) && !ran.has(path)).map((path) => [path, contentOf(path)]),
  )
  const others = { key: digestOf(JSON.stringify(Object.entries(contents))), contents }
  const valid = validTests(kept, found)
  const known = new Map(kept.tests.filter(({ key }) => valid.has(key)).map((record) => [record.path, record]))
  const records = new Map(
    reaches
      .filter(({ hasFailed }) => !hasFailed)
      .map((reach) => [reach.path, known.get(reach.path) ?? recordOf(reach, found, others.key)]),
  )
  const names = probeNames(mutants, found.probes, keys)
  const earlier = new Map(kept.reaches.map((reach) => [reach.key, reach]))
  const seen = new Map(reaches.map(({ path, tests }) => [path, tests]))
  const newReaches = [...records.values()].flatMap(({ key, path }) => {
    const tests = seen.get(path)
    return (tests ? keptReach({ key, others: others.key }, tests, names) : earlier.get(key)) ?? []
  })
  const results = new Map<string, MutantResults>()
  const positions = new Map<string, Map<string, number>>()
  const pathOf = new Map(mutants.map(({ id, mutant }) => [id, mutant.path]))
  for (const { id, outcome, by } of decided) {
    const path = pathOf.get(id) ?? ''
    const key = keys.get(id)
    if (key === undefined) continue
    const own = results.get(path) ?? { tests: [], mutants: [], unchecked: [] }
    results.set(path, own)
    const known = positions.get(path) ?? new Map<string, number>()
    positions.set(path, known)
    const positionOf = (file: string) => {
      const record = records.get(file)?.key
      if (record === undefined) return []
      const at = known.get(record) ?? own.tests.push(record) - 1
      known.set(record, at)
      return [at]
    }
    const count = own.mutants.length
    if (outcome === 'survived') own.mutants.push([key, outcome, testsOf(id).flatMap(positionOf)])
    else if ((outcome === 'noticed' || outcome === 'timed_out') && by) {
      const [test] = positionOf(by.file)
      if (test !== undefined) own.mutants.push([key, outcome, test, by.test])
    }
    if (own.mutants.length > count && isUnchecked(id)) own.unchecked.push(key)
  }
  // Records and reaches of earlier measurements name those that were written with them.
  const named = new Set([...records.values(), ...newReaches].map((one) => one.others))
  const older = kept.others.filter(({ key }) => key !== others.key && named.has(key))
  return { tests: [...records.values()], others: [others, ...older], reaches: newReaches, results }
}

function recordOf({ path, hasReported }: Reach, { code, contentOf, testOf }: Present, others: string): TestRecord {
  const files: Record<string, LoadedFile> = {}
  let isComplete = true
  for (const [file, { marker, rest, unitOf }] of code) {
    const units = new Set<string | null>()
    for (const [number, unit] of unitOf) if (hasReported(number)) units.add(unit)
    if (units.size > 0 && !hasReported(marker)) isComplete = false
    if (units.size === 0 && !hasReported(marker)) continue
    const called = [...units].filter((unit) => unit !== null)
    files[file] = { content: contentOf(file), parts: units.has(null) ? null : { rest, units: called.toSorted() } }
  }
  // The runner does not report what is loaded: each file may be.
  if (!isComplete) for (const file of code.keys()) files[file] = { content: contentOf(file), parts: null }
  const record = { path, own: testOf(path) ?? '', files, others }
  return { key: digestOf(JSON.stringify(record)), ...record }
}

const maxResultsPerFile = 5_000

/**
 * Adds results to those of a file, of which the oldest are left out. Those of the same mutants are replaced. Tests that no
 * result names are left out, too.
 */
export function mergeResults(
  earlier: MutantResults,
  added: MutantResults,
  replaced: ReadonlySet<string>,
  maximum = maxResultsPerFile,
): MutantResults {
  const left = earlier.mutants.filter(([key]) => !replaced.has(key))
  const room = Math.max(0, maximum - added.mutants.length)
  const tests: string[] = []
  const at = new Map<string, number>()
  const moved = ({ tests: own }: MutantResults, index: number) => {
    const key = own[index] ?? ''
    const position = at.get(key) ?? tests.push(key) - 1
    at.set(key, position)
    return position
  }
  const movedFrom =
    (from: MutantResults) =>
    (result: MutantResult): MutantResult =>
      result[1] === 'survived'
        ? [result[0], result[1], result[2].map((index) => moved(from, index))]
        : [result[0], result[1], moved(from, result[2]), result[3]]
  const mutants = [
    ...left.slice(Math.max(0, left.length - room)).map(movedFrom(earlier)),
    ...added.mutants.slice(0, maximum).map(movedFrom(added)),
  ]
  const keys = new Set(mutants.map(([key]) => key))
  const open = [...earlier.unchecked.filter((key) => !replaced.has(key)), ...added.unchecked]
  return { tests, mutants, unchecked: [...new Set(open)].filter((key) => keys.has(key)) }
}
