import { posix } from 'node:path'
import { conventionFor } from './conventions.ts'
import { extensionOf, folderOf, isWithin, packageAround, packageOf, segmentsOf } from './paths.ts'
import { type Affix, type Casing, casingOf, isNamed, readTestName, subjectKeys, testKey } from './test-name.ts'

export type TestType = 'unit' | 'integration' | 'e2e'

/** A file of the repository. */
export interface LayoutFile {
  path: string
  /** As GitHub's linguist names it. Only needed for files whose extension does not show it. */
  language?: string | undefined
  /** `other` files, such as generated ones, are neither tests nor sources. */
  role: 'test' | 'source' | 'other'
}

/** A test and its source, paired by their names. */
interface Pair {
  source: string
  sourceFolder: string
  test: string
  testFolder: string
  affix: Affix
  casing: Casing | undefined
  /** Both folders without their common end: `packages/a/src` and `packages/a/__tests__`. */
  from: string
  to: string
}

/** How the tests of one family are laid out in this repository. */
export interface LearnedLayout {
  pairs: readonly Pair[]
  /** Tests that their name or their pair shows to be tests. */
  tests: readonly { path: string; affix: Affix }[]
  /** Folders with such tests, or with subfolders for the tests of one source each. */
  folders: ReadonlySet<string>
  /** Whether test folders mirror the folders of the package, even if these do not exist yet. */
  strict: boolean
}

/** A name says nothing if more files than this have it. */
const maxNamesakes = 50
const fixtures = /(^|\/)(fixtures?|__fixtures__|testdata|__snapshots__)\//i

/** Identifies files with the same test layout: TypeScript and JavaScript are one family. */
export const familyOf = (path: string, language?: string) =>
  conventionFor(path, language).extensions[0] ?? extensionOf(path)

/** Pairs the tests of each family with their sources, as far as names show them. */
export function learnLayouts(
  files: readonly LayoutFile[],
  packages: ReadonlySet<string>,
): ReadonlyMap<string, LearnedLayout> {
  const families = new Map<string, Family>()
  for (const { path, language, role } of files) {
    if (fixtures.test(path)) continue
    const key = familyOf(path, language)
    const strict = conventionFor(path, language).repeatsPackage === true
    const family: Family = families.get(key) ?? { tests: [], sources: new Map(), folders: new Set(), strict }
    families.set(key, family)
    if (role === 'test') family.tests.push(path)
    else if (role === 'source') {
      family.folders.add(folderOf(path))
      for (const name of subjectKeys(path)) {
        const namesakes = family.sources.get(name) ?? []
        family.sources.set(name, namesakes)
        if (namesakes.length <= maxNamesakes) namesakes.push(path)
      }
    }
  }
  return new Map([...families].map(([key, family]) => [key, { ...learn(family, packages), strict: family.strict }]))
}

interface Family {
  tests: string[]
  /** By the keys of their tests. */
  sources: Map<string, string[]>
  /** Of the sources. */
  folders: Set<string>
  strict: boolean
}

function learn(
  { tests: unsorted, sources, folders: sourceFolders }: Family,
  packages: ReadonlySet<string>,
): Omit<LearnedLayout, 'strict'> {
  const paths = unsorted.toSorted()
  const withSources = new Set([...sourceFolders].map((folder) => packageAround(folder, packages)))

  const likely = paths.flatMap((test) => {
    const home = packageOf(test, packages)
    const namesakes = sources.get(testKey(test)) ?? []
    // Tests of a package without sources test other packages. The tests of any other package test its own files.
    const isAbroad = home === '' || !withSources.has(home)
    return pairOf(test, isAbroad ? namesakes : namesakes.filter((path) => packageOf(path, packages) === home))
  })
  // If nearly all tests are named like tests, any other file with the name of a source is a fixture.
  const unnamed = likely.filter((pair) => !isNamed(pair.affix)).length
  const isRule = paths.filter((path) => isNamed(readTestName(path).affix)).length > unnamed * 5
  const pairs = withoutStrays(likely.filter((pair) => !isRule || isNamed(pair.affix)))
  const paired = new Set(pairs.map((pair) => pair.test))
  const all = paths.map((path) => ({ path, affix: readTestName(path).affix }))
  const named = all.filter(({ path, affix }) => isNamed(affix) || paired.has(path))
  // A file in a test folder that is not named like a test is most likely a fixture, unless no file is.
  const tests = named.length > 0 ? named : all
  return {
    pairs,
    tests,
    folders: new Set([...tests.map(({ path }) => folderOf(path)), ...pairs.map((pair) => pair.testFolder)]),
  }
}

const testFolderName = /(?:^|\/)(?:__tests?__|[\w.-]*tests?|specs?|e2e)(?:\/|$)/i

/**
 * Where most tests are beside their source, a test elsewhere is for another file of that name, unless several tests are
 * there or the folder is one for tests.
 */
function withoutStrays(pairs: readonly Pair[]): readonly Pair[] {
  const isBeside = ({ sourceFolder, testFolder }: Pair) => sourceFolder === testFolder
  if (pairs.filter(isBeside).length * 2 <= pairs.length) return pairs
  const way = ({ from, to }: Pair) => `${from}\n${to}`
  const ways = Map.groupBy(pairs, way)
  return pairs.filter(
    (pair) => isBeside(pair) || testFolderName.test(pair.testFolder) || (ways.get(way(pair)) ?? []).length > 2,
  )
}

function pairOf(test: string, namesakes: readonly string[]): Pair[] {
  if (namesakes.length > maxNamesakes) return []
  const folders = segmentsOf(folderOf(test))
  const likeness = (path: string) => {
    const own = segmentsOf(folderOf(path))
    return own.filter((segment) => folders.includes(segment)).length - own.length / 100
  }
  const [source] = namesakes.toSorted((a, b) => likeness(b) - likeness(a) || (a < b ? -1 : 1))
  if (source === undefined) return []
  const { stem, affix } = readTestName(test)
  const sourceFolder = folderOf(source)
  const own = folderOf(test)
  // A folder with the name of the source is only for its tests: `test/query/brackets/brackets.test.ts`.
  const isAlone = subjectKeys(source).includes(testKey(own)) && posix.basename(own) !== posix.basename(sourceFolder)
  const testFolder = isAlone ? folderOf(own) : own
  const apart = difference(sourceFolder, testFolder)
  return [{ source, sourceFolder, test, testFolder, affix, casing: casingOf(source, stem), ...apart }]
}

/** Removes the folders that both end with. */
function difference(source: string, test: string): { from: string; to: string } {
  const from = segmentsOf(source)
  const to = segmentsOf(test)
  while (from.length > 0 && from.at(-1) === to.at(-1)) {
    from.pop()
    to.pop()
  }
  return { from: from.join('/'), to: to.join('/') }
}

const wide = /(^|\/)(integration\d*|e2e|functional|acceptance|system|feature|features|cypress|bench\w*)(\/|$)/i

/** Whether the name of a folder fits this type of tests. */
export const suits = (folder: string, testType: TestType) => wide.test(folder) === (testType !== 'unit')

/** Returns the existing test that is named after a file, preferring the nearest tests that the caller knows. */
export function namesakeTest(
  path: string,
  { nearest, testType }: { nearest: readonly string[]; testType: TestType },
  { pairs, tests }: LearnedLayout,
): string | undefined {
  const keys = subjectKeys(path)
  const known = new Set(tests.map((test) => test.path))
  const near = nearest.filter((test) => known.has(test) && keys.includes(testKey(test)))
  let found = near.length > 0 ? near : pairs.filter((pair) => pair.source === path).map((pair) => pair.test)
  // Other tests do not belong into an end-to-end test.
  if (testType !== 'e2e') found = found.filter((test) => !/(^|\/)(e2e|cypress)\//.test(test))
  // A test with exactly the file's name is a better match than one that is also named after its folder.
  const own = found.filter((test) => testKey(test) === keys[0])
  const best = own.length > 0 ? own : found
  return best.find((test) => suits(folderOf(test), testType)) ?? best[0]
}

/** Returns the folder for tests of this folder's files, learned from the closest files that have tests. */
export function learnedFolder(
  folder: string,
  { testType, packageRoots }: { testType: TestType; packageRoots: ReadonlySet<string> },
  layout: LearnedLayout,
): string | undefined {
  const segments = segmentsOf(folder)
  for (let depth = segments.length; depth >= 0; depth--) {
    const around = segments.slice(0, depth).join('/')
    const votes = layout.pairs
      .filter((pair) => isWithin(pair.sourceFolder, around))
      .flatMap((pair) => applyPair(pair, folder, { layout, packageRoots }))
    const fitting = votes.filter((vote) => suits(vote, testType))
    const winner = mostCommon(fitting.length > 0 ? fitting : votes)
    if (winner !== undefined) return winner
  }
  return undefined
}

function applyPair(
  { sourceFolder, testFolder, from, to }: Pair,
  folder: string,
  { layout, packageRoots }: { layout: LearnedLayout; packageRoots: ReadonlySet<string> },
): string[] {
  if (sourceFolder === testFolder) return [folder]
  const isRoot = sourceFolder === '' || packageRoots.has(sourceFolder)
  if (!isRoot && from === sourceFolder && isWithin(to, from)) return [posix.join(folder, to.slice(from.length + 1))]
  if (!isWithin(folder, from)) return []
  const below = segmentsOf(folder).slice(segmentsOf(from).length)
  return [existing([...segmentsOf(to), ...below], segmentsOf(to).length, layout)]
}

/** Returns the innermost of the nested folders that holds tests already. */
export function existing(segments: readonly string[], minLength: number, { folders, strict }: LearnedLayout): string {
  if (strict) return segments.join('/')
  for (let length = segments.length; length > minLength; length--) {
    const folder = segments.slice(0, length).join('/')
    if (folders.has(folder)) return folder
  }
  return segments.slice(0, minLength).join('/')
}

/** Returns the most frequent value, the first by code units among equals. */
export function mostCommon(values: readonly string[]): string | undefined {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].toSorted(([a, countOfA], [b, countOfB]) => countOfB - countOfA || (a < b ? -1 : 1))[0]?.[0]
}

/** Returns how tests around this folder are named; undefined if there are none. */
export function learnedNaming(
  { folder, testFolder }: { folder: string; testFolder: string },
  { pairs, tests }: LearnedLayout,
): { affix: Affix; casing: Casing } | undefined {
  const segments = segmentsOf(testFolder)
  const evidence: { affix: Affix; casing?: Casing | undefined }[] = []
  for (let depth = segments.length; depth >= 0 && evidence.length === 0; depth--) {
    const around = segments.slice(0, depth).join('/')
    evidence.push(
      ...pairs.filter((pair) => isWithin(pair.testFolder, around) && (depth > 0 || isWithin(folder, pair.from))),
    )
    if (evidence.length === 0) evidence.push(...tests.filter(({ path }) => isWithin(folderOf(path), around)))
  }
  const affix = mostCommon(evidence.map((entry) => `${entry.affix.prefix}\n${entry.affix.suffix}`))?.split('\n')
  const casings = (entries: readonly { casing?: Casing | undefined }[]) =>
    mostCommon(entries.flatMap((entry) => entry.casing ?? []))
  const casing = casings(evidence) ?? casings(pairs)
  if (!affix) return undefined
  return {
    affix: { prefix: affix[0] ?? '', suffix: affix[1] ?? '' },
    casing: casing === 'kebab' || casing === 'snake' ? casing : 'same',
  }
}
