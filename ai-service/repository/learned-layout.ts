import { posix } from 'node:path'
import type { TestType } from '../../core/ai/schema.ts'
import type { Facts } from './facts.ts'
import { type Language, languageOf } from './languages.ts'
import { isSafePath } from './safe-text.ts'
import { isTestFile } from './source-files.ts'
import { type Affix, type Casing, casingOf, readTestName, subjectKeys, testKey } from './test-names.ts'

/** A test and the file that it is about, by their names. */
interface Pair {
  source: string
  sourceFolder: string
  test: string
  testFolder: string
  affix: Affix
  casing: Casing | undefined
  /** Where the folders of both begin to differ: `packages/a/src` and `packages/a/__tests__`. */
  from: string
  to: string
}

/** How the tests of one language are laid out in this repository. */
export interface LearnedLayout {
  pairs: readonly Pair[]
  /** Tests, told by their name or their pair. */
  tests: readonly { path: string; affix: Affix }[]
  /** Folders that hold such tests, or folders of single subjects with such tests. */
  folders: ReadonlySet<string>
  /** Tests lie in the folders that their package is named after, whether these exist yet or not. */
  strict: boolean
}

/** A name that more files have than this says nothing about any of them. */
const maxNamesakes = 50
const fixtures = /(^|\/)(fixtures?|__fixtures__|testdata|__snapshots__)\//i

/** Languages whose tests can stand in for each other, as a key. */
export function familyOf(path: string, language: Language): string {
  if (language === 'typescript' || language === 'javascript') return 'script'
  return language === 'other' ? posix.extname(path).toLowerCase() : language
}

/** Pairs the tests of each language with what they are about, as far as names tell. */
export function learnLayouts(facts: Facts, packages: ReadonlySet<string>): ReadonlyMap<string, LearnedLayout> {
  const families = new Map<string, { tests: string[]; sources: Map<string, string[]> }>()
  for (const file of facts.files) {
    const language = languageOf(file.path, file.language)
    if (language === undefined || !isSafePath(file.path) || fixtures.test(file.path)) continue
    const key = familyOf(file.path, language)
    const family = families.get(key) ?? { tests: [], sources: new Map<string, string[]>() }
    families.set(key, family)
    if (isTestFile(file)) family.tests.push(file.path)
    else if (file.tags.length === 0) {
      for (const name of subjectKeys(file.path)) {
        const namesakes = family.sources.get(name) ?? []
        family.sources.set(name, namesakes)
        if (namesakes.length <= maxNamesakes) namesakes.push(file.path)
      }
    }
  }
  return new Map(
    [...families].map(([key, { tests, sources }]) => [
      key,
      { ...learn(tests.toSorted(), sources, packages), strict: packaged.has(key) },
    ]),
  )
}

const packaged = new Set(['java', '.kt', '.scala', '.groovy'])

function learn(
  paths: string[],
  sources: ReadonlyMap<string, string[]>,
  packages: ReadonlySet<string>,
): Omit<LearnedLayout, 'strict'> {
  const withSources = new Set([...sources.values()].flat().map((path) => packageOf(path, packages)))

  const likely = paths.flatMap((test) => {
    const home = packageOf(test, packages)
    const namesakes = sources.get(testKey(test)) ?? []
    // A package of tests alone is about others; any other package's tests are about its own files.
    const isAbroad = home === '' || !withSources.has(home)
    return pairOf(test, isAbroad ? namesakes : namesakes.filter((path) => packageOf(path, packages) === home))
  })
  // Where nearly all tests are named like tests, whatever else has a subject's name is a fixture.
  const unnamed = likely.filter((pair) => !isNamed(pair.affix)).length
  const isRule = paths.filter((path) => isNamed(readTestName(path).affix)).length > unnamed * 5
  const pairs = likely.filter((pair) => !isRule || isNamed(pair.affix))
  const paired = new Set(pairs.map((pair) => pair.test))
  const all = paths.map((path) => ({ path, affix: readTestName(path).affix }))
  const named = all.filter(({ path, affix }) => isNamed(affix) || paired.has(path))
  // A file in a test folder that is not named like a test is most likely a fixture, unless all are like that.
  const tests = named.length > 0 ? named : all
  return {
    pairs,
    tests,
    folders: new Set([...tests.map(({ path }) => folderOf(path)), ...pairs.map((pair) => pair.testFolder)]),
  }
}

const isNamed = ({ prefix, suffix }: Affix) => prefix !== '' || suffix !== ''

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
  // A folder of the subject's name is for its tests alone: `test/query/brackets/brackets.test.ts`.
  const isAlone = subjectKeys(source).includes(testKey(own)) && posix.basename(own) !== posix.basename(sourceFolder)
  const testFolder = isAlone ? folderOf(own) : own
  const apart = difference(sourceFolder, testFolder)
  return [{ source, sourceFolder, test, testFolder, affix, casing: casingOf(source, stem), ...apart }]
}

/** Takes off the folders that both end with. */
function difference(source: string, test: string): { from: string; to: string } {
  const from = segmentsOf(source)
  const to = segmentsOf(test)
  while (from.length > 0 && from.at(-1) === to.at(-1)) {
    from.pop()
    to.pop()
  }
  return { from: from.join('/'), to: to.join('/') }
}

/** The folder of a path, empty at the root. */
export const folderOf = (path: string) => posix.dirname(path).replace(/^\.$/, '')

export const segmentsOf = (folder: string) => (folder === '' ? [] : folder.split('/'))

/** The innermost package that a file is in; empty for the repository itself. */
export function packageOf(path: string, packages: ReadonlySet<string>): string {
  let folder = folderOf(path)
  while (folder !== '' && !packages.has(folder)) folder = folderOf(folder)
  return folder
}

/** Whether a folder is another one or lies below it. */
export const isWithin = (folder: string, outer: string) =>
  outer === '' || folder === outer || folder.startsWith(`${outer}/`)

const wide = /(^|\/)(integration\d*|e2e|functional|acceptance|system|feature|features|cypress|bench\w*)(\/|$)/i

/** Whether a folder is for tests of this type, as far as its name tells. */
export const suits = (folder: string, testType: TestType) => wide.test(folder) === (testType !== 'unit')

/** The existing test that is named after a file, the closest ones of the analysis first. */
export function namesakeTest(
  path: string,
  { nearest, testType }: { nearest: readonly string[]; testType: TestType },
  { pairs, tests }: LearnedLayout,
): string | undefined {
  const keys = subjectKeys(path)
  const known = new Set(tests.map((test) => test.path))
  const near = nearest.filter((test) => known.has(test) && keys.includes(testKey(test)))
  let found = near.length > 0 ? near : pairs.filter((pair) => pair.source === path).map((pair) => pair.test)
  // An end-to-end test is no place for any other.
  if (testType !== 'e2e') found = found.filter((test) => !/(^|\/)(e2e|cypress)\//.test(test))
  // A test of the file's own name is about it more surely than one that is also named after its folder.
  const own = found.filter((test) => testKey(test) === keys[0])
  const best = own.length > 0 ? own : found
  return best.find((test) => suits(folderOf(test), testType)) ?? best[0]
}

/** The folder that tests of this folder's files are in, learned from the closest files that have one. */
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

/** The innermost folder on the way that holds tests already. */
export function existing(segments: readonly string[], least: number, { folders, strict }: LearnedLayout): string {
  if (strict) return segments.join('/')
  for (let length = segments.length; length > least; length--) {
    const folder = segments.slice(0, length).join('/')
    if (folders.has(folder)) return folder
  }
  return segments.slice(0, least).join('/')
}

/** The most frequent, the first by code units among equals. */
export function mostCommon(values: readonly string[]): string | undefined {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].toSorted(([a, countOfA], [b, countOfB]) => countOfB - countOfA || (a < b ? -1 : 1))[0]?.[0]
}

/** How tests next to this folder's are named; undefined where there are none to go by. */
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
