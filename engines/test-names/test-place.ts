import { posix } from 'node:path'
import { type Convention, type UsualPlace, conventionFor } from './conventions.ts'
import {
  type LayoutFile,
  type LearnedLayout,
  type TestType,
  existing,
  familyOf,
  learnLayouts,
  learnedFolder,
  learnedNaming,
  mostCommon,
  namesakeTest,
} from './learned-layout.ts'
import { addressOfPage } from './pages.ts'
import { extensionOf, folderOf, isWithin, packageOf, segmentsOf } from './paths.ts'
import { testRole } from './roles.ts'
import { inCase } from './test-name.ts'

/** How a project's tests are laid out. */
export interface Layout {
  /** By family; see `familyOf`. */
  learned: ReadonlyMap<string, LearnedLayout>
  /** Folders that hold a manifest: a monorepo's packages. */
  packages: ReadonlySet<string>
}

/** Learns where the project's tests are, so that a new test is placed like them. */
export function layoutOf(files: readonly LayoutFile[], manifests: readonly { path: string }[]): Layout {
  const packages = new Set(manifests.map(({ path }) => folderOf(path)).filter((folder) => folder !== ''))
  return { learned: learnLayouts(files, packages), packages }
}

/** Learns the layout from the files of an analysis: those with other tags are neither tests nor sources. */
export function layoutOfFiles(
  files: readonly { path: string; language?: string | undefined; tags?: readonly string[] | undefined }[],
  manifests: readonly { path: string }[],
): Layout {
  const roleOf = (path: string, language: string | undefined, tags: readonly string[]): LayoutFile['role'] => {
    if (tags.includes('test') || testRole(path, language) !== undefined) return 'test'
    return tags.length === 0 ? 'source' : 'other'
  }
  const known = files.map(({ path, language, tags = [] }) => ({ path, language, role: roleOf(path, language, tags) }))
  if (!latest || !isSame(latest.manifests, manifests) || !isSame(latest.files, known)) {
    latest = { files: known, manifests: manifests.map(({ path }) => ({ path })), layout: layoutOf(known, manifests) }
  }
  return latest.layout
}

/** Most commits leave the layout as it is, and what was learnt from it stays known. */
let latest: { files: readonly LayoutFile[]; manifests: readonly { path: string }[]; layout: Layout } | undefined

type Named = Partial<LayoutFile> & { path: string }

const isSame = (before: readonly Named[], now: readonly Named[]) =>
  before.length === now.length &&
  now.every(({ path, language, role }, index) => {
    const other = before[index]
    return other?.path === path && (role === undefined || (other.role === role && other.language === language))
  })

const maxNear = 3

/** Returns the tests whose folders are the most similar to that of a test, for code without known tests. */
export function testsNear(
  testPath: string,
  { path, language }: Pick<Place, 'path' | 'language'>,
  { learned }: Layout,
): string[] {
  const family = learned.get(familyOf(path, language))
  return family ? byCloseness(testsByFolder(family), testPath).take(maxNear).toArray() : []
}

/** Those that share most of their folder with that of a path first. The tests are given by their folders. */
export function* byCloseness(
  tests: ReadonlyMap<string, readonly string[]>,
  path: string,
): Generator<string, undefined, undefined> {
  const around = segmentsOf(folderOf(path))
  const shared = (folder: string) => {
    const segments = segmentsOf(folder)
    const end = segments.findIndex((segment, index) => segment !== around[index])
    return end === -1 ? segments.length : end
  }
  const byLikeness = [...Map.groupBy(tests, ([folder]) => shared(folder))]
  for (const [, alike] of byLikeness.toSorted(([a], [b]) => b - a)) yield* alike.flatMap(([, some]) => some).toSorted()
}

const foldersOfTests = new WeakMap<LearnedLayout, ReadonlyMap<string, readonly string[]>>()

/** The tests of a family by their folders. */
export function testsByFolder(family: LearnedLayout): ReadonlyMap<string, readonly string[]> {
  let folders = foldersOfTests.get(family)
  if (!folders) {
    const paths = family.tests.map(({ path }) => path)
    folders = Map.groupBy(paths, folderOf)
    foldersOfTests.set(family, folders)
  }
  return folders
}

/** What a layout says of folders. It is asked for each of their files, and always says the same. */
type Remembered<Value> = WeakMap<LearnedLayout, Map<string, Value>>

/** By the type of the tests and the folder of their sources. */
const learnedFolders: Remembered<string | undefined> = new WeakMap()
/** By the folder of the source and that of its tests. */
const learnedNames: Remembered<ReturnType<typeof learnedNaming>> = new WeakMap()

function remembered<Value>(known: Remembered<Value>, layout: LearnedLayout, key: string, find: () => Value): Value {
  const answers = known.get(layout) ?? new Map<string, Value>()
  known.set(layout, answers)
  if (!answers.has(key)) answers.set(key, find())
  return answers.get(key) as Value
}

export interface Place {
  path: string
  /** As GitHub's linguist names it. Only needed for files whose extension does not show it. */
  language?: string | undefined
  /** Such as `vitest`, `rspec` or `playwright`. */
  framework: string
  testType: TestType
  /** Known tests near the source, best first. */
  nearestTests: readonly string[]
}

/** Returns the path of a test for a source file: next to similar tests of the project, else in the usual place. */
export function testPathFor(place: Place, layout: Layout): string {
  const { root } = splitPackage(place.path, layout)
  if (place.framework === 'playwright') return posix.join(root, 'e2e', `${visitName(place.path)}.spec.ts`)
  if (place.framework === 'cypress') return posix.join(root, 'cypress/e2e', `${visitName(place.path)}.cy.js`)
  const learned = layout.learned.get(familyOf(place.path, place.language))
  const convention = conventionFor(place.path, place.language)
  if (convention.isFixed || learned === undefined || learned.tests.length === 0) return usualPath(place, layout)
  return existingTest(place, learned) ?? newTest(place, learned, layout)
}

/** Whether the project has tests in the folder of this test's path. */
export function hasTestsBeside(
  testPath: string,
  { path, language }: Pick<Place, 'path' | 'language'>,
  { learned }: Layout,
): boolean {
  return learned.get(familyOf(path, language))?.folders.has(folderOf(testPath)) === true
}

const typed = /\.[cm]?tsx?$/

/** The existing test file of the source. */
function existingTest({ path, nearestTests, testType }: Place, learned: LearnedLayout): string | undefined {
  const test = namesakeTest(path, { nearest: nearestTests, testType }, learned)
  // A test in TypeScript cannot be added to a JavaScript file.
  return test !== undefined && typed.test(path) && !typed.test(test) ? undefined : test
}

function newTest(place: Place, learned: LearnedLayout, layout: Layout): string {
  const folder = folderOf(place.path)
  const { testType } = place
  const testFolder =
    remembered(learnedFolders, learned, `${testType} ${folder}`, () =>
      learnedFolder(folder, { testType, packageRoots: layout.packages }, learned),
    ) ?? (learned.strict ? mavenFolder(folder) : commonFolder(place, learned, layout))
  const naming = remembered(learnedNames, learned, `${folder}\n${testFolder}`, () =>
    learnedNaming({ folder, testFolder }, learned),
  )
  const { prefix, suffix } = naming?.affix ?? { prefix: '', suffix: '' }
  const name = inCase(nameForTest(place), naming?.casing ?? 'same')
  const path = posix.join(testFolder, `${prefix}${name}${suffix}${testExtension(place)}`)
  // A test with the same name as its source needs another folder.
  return path === place.path ? usualPath(place, layout) : path
}

/** Returns the folder of most tests of the package, or of other packages if it has no tests. */
function commonFolder({ path, testType }: Place, learned: LearnedLayout, layout: Layout): string {
  const { root, below } = splitPackage(path, layout)
  const within = (base: string, tests: string) => {
    if (tests === 'beside') return folderOf(path)
    if (/^(?=.*__tests__$)(?:.*\/)?(?:src|lib|app)\//.test(tests)) return posix.join(folderOf(path), '__tests__')
    const top = posix.join(base, tests)
    const special = `${top}/${testType}`
    const start = [...learned.folders].some((known) => isWithin(known, special)) ? special : top
    return existing([...segmentsOf(start), ...segmentsOf(below)], segmentsOf(start).length, learned)
  }
  const own = packageOf(path, layout.packages)
  const roots = testRootsOf(learned, layout)
  const here = roots.byPackage.get(own)
  if (here !== undefined) return within(own, here)
  return roots.inPackages === undefined ? within('', roots.everywhere ?? 'beside') : within(root, roots.inPackages)
}

/** The most frequent test roots. */
interface TestRoots {
  byPackage: ReadonlyMap<string, string>
  /** Of all packages but the repository itself. */
  inPackages: string | undefined
  everywhere: string | undefined
}

/** One look at all tests for all places. */
const knownRoots = new WeakMap<LearnedLayout, TestRoots>()

function testRootsOf(learned: LearnedLayout, { packages }: Layout): TestRoots {
  const known = knownRoots.get(learned)
  if (known) return known
  const found = learned.tests.map(({ path }) => {
    const home = packageOf(path, packages)
    return { home, root: testRoot(path.slice(home.length).replace(/^\//, '')) }
  })
  const common = (some: typeof found) => mostCommon(some.map(({ root }) => root))
  const byPackage = new Map<string, string>()
  for (const [home, tests] of Map.groupBy(found, ({ home }) => home)) byPackage.set(home, common(tests) ?? 'beside')
  const roots = { byPackage, inPackages: common(found.filter(({ home }) => home !== '')), everywhere: common(found) }
  knownRoots.set(learned, roots)
  return roots
}

const testFolder = /^(?:__tests__|tests?|specs?)$/i

/** The path up to the first folder that is called like tests; `beside` for a test outside such folders. */
function testRoot(path: string): string {
  const segments = segmentsOf(folderOf(path))
  const index = segments.findIndex((segment) => testFolder.test(segment))
  return index === -1 ? 'beside' : segments.slice(0, index + 1).join('/')
}

/** Where tests of this language and framework usually are. */
function usualPath(place: Place, layout: Layout): string {
  const convention = conventionFor(place.path, place.language)
  const usual = convention.placeFor?.[place.framework] ?? convention.place
  if (usual.where === 'inside') return place.path
  const file = `${usual.prefix ?? ''}${nameForTest(place)}${usual.suffix}${testExtension(place)}`
  return posix.join(usualFolder(place.path, usual, layout), file)
}

function usualFolder(path: string, { where, folder = '' }: UsualPlace, layout: Layout): string {
  const { root, below } = splitPackage(path, layout)
  if (where === 'mirror') return posix.join(root, folder, below)
  if (where === 'flat') return posix.join(root, folder)
  if (where === 'maven') return mavenFolder(folderOf(path))
  return where === 'dotnet' ? dotnetFolder(folderOf(path)) : folderOf(path)
}

function mavenFolder(folder: string): string {
  const maven = `${folder}/`.replace(/(^|\/)src\/main\//, '$1src/test/')
  const path = maven === `${folder}/` ? maven.replace(/^src\//, 'test/') : maven
  return path.replace(/^\/|\/$/g, '')
}

/** The project `tests/Shop.Web.Tests` tests `src/Shop.Web`. */
function dotnetFolder(folder: string): string {
  const segments = segmentsOf(folder)
  const source = segments.indexOf('src')
  const [project, ...below] = segments.slice(source + 1)
  const tests = project === undefined ? '' : `${project}.Tests`
  return posix.join(...segments.slice(0, Math.max(source, 0)), 'tests', tests, ...below)
}

const sourceFolders = new Set(['src', 'lib', 'app', 'source'])

/** Splits the folder: `packages/a/src/web/x.ts` is in the package `packages/a`, and in `web` below its source folder. */
function splitPackage(path: string, { packages }: Layout): { root: string; below: string } {
  const root = packageOf(path, packages) || undefined
  const segments = segmentsOf(folderOf(path))
  const start = root === undefined ? 0 : root.split('/').length
  const source = segments.findIndex((segment, index) => index >= start && sourceFolders.has(segment))
  if (source === -1) return { root: root ?? '', below: segments.slice(start).join('/') }
  return { root: root ?? segments.slice(0, source).join('/'), below: segments.slice(source + 1).join('/') }
}

/** Returns the part of a test's name that identifies its source. */
export function nameForTest({ path, language }: Pick<Place, 'path' | 'language'>): string {
  const { stemOf } = conventionFor(path, language)
  return stemOf ? stemOf(path) : posix.parse(path).name
}

/** The extension of the source, unless the test runner cannot load such a file. */
export function testExtension({ path, language, framework }: Pick<Place, 'path' | 'language' | 'framework'>): string {
  const { extensions }: Convention = conventionFor(path, language)
  const [usual] = extensions
  if (usual !== undefined && !extensions.includes(extensionOf(path))) return `.${usual}`
  const own = posix.extname(path)
  // Jest and Mocha require a CommonJS module; other runners can import one only from an ES module.
  return own === '.cjs' && framework !== 'jest' && framework !== 'mocha' ? '.mjs' : own
}

/** The name of a test that opens the page: `account-login` for `/account/login`. */
function visitName(path: string): string {
  const address = addressOfPage(path)
  const name = address === undefined ? posix.parse(path).name : address.replace(/[^\p{L}\p{N}]+/gu, '-')
  return name.replace(/^-+|(?<!-)-+$/g, '') || 'home'
}
