import { posix } from 'node:path'
import type { TestType } from '../../core/ai/schema.ts'
import type { Facts } from './facts.ts'
import type { BrowserFramework, TestFramework } from './frameworks.ts'
import type { Language } from './languages.ts'
import {
  type LearnedLayout,
  existing,
  familyOf,
  folderOf,
  isWithin,
  learnLayouts,
  learnedFolder,
  learnedNaming,
  mostCommon,
  namesakeTest,
  packageOf,
  segmentsOf,
} from './learned-layout.ts'
import { inCase } from './test-names.ts'
import { addressOfPage } from './pages.ts'

/** How this project's tests are laid out. */
export interface Layout {
  /** By language, as `familyOf` names them. */
  learned: ReadonlyMap<string, LearnedLayout>
  /** Folders that hold a manifest: a monorepo's packages. */
  packages: ReadonlySet<string>
}

/** Looks at where the project's tests are, so that a new one goes where its authors would look for it. */
export function layoutOf(facts: Facts): Layout {
  const packages = new Set(facts.manifests.map(({ path }) => folderOf(path)).filter((folder) => folder !== ''))
  return { learned: learnLayouts(facts, packages), packages }
}

export interface Place {
  path: string
  language: Language
  framework: TestFramework | BrowserFramework
  testType: TestType
  /** The tests that the analysis found closest, best first. */
  nearestTests: readonly string[]
}

/** Where a test of a source file goes: where the project has such tests already, else where they usually are. */
export function testPathFor(place: Place, layout: Layout): string {
  const { root } = splitPackage(place.path, layout)
  if (place.framework === 'playwright') return posix.join(root, 'e2e', `${visitName(place.path)}.spec.ts`)
  if (place.framework === 'cypress') return posix.join(root, 'cypress/e2e', `${visitName(place.path)}.cy.js`)
  const learned = layout.learned.get(familyOf(place.path, place.language))
  const isFixed = place.language === 'go' || place.language === 'rust'
  if (isFixed || learned === undefined || learned.tests.length === 0) return conventions[place.language](place, layout)
  return existingTest(place, learned) ?? newTest(place, learned, layout)
}

/** The test file that is about the subject already. */
function existingTest(place: Place, learned: LearnedLayout): string | undefined {
  const test = namesakeTest(place.path, { nearest: place.nearestTests, testType: place.testType }, learned)
  // What is written for TypeScript is no JavaScript.
  return place.language === 'typescript' && test !== undefined && !/\.[cm]?tsx?$/.test(test) ? undefined : test
}

function newTest(place: Place, learned: LearnedLayout, layout: Layout): string {
  const folder = folderOf(place.path)
  const testFolder =
    learnedFolder(folder, { testType: place.testType, packageRoots: layout.packages }, learned) ??
    (learned.strict ? folderOf(javaTestPath(place)) : commonFolder(place, learned, layout))
  const naming = learnedNaming({ folder, testFolder }, learned)
  const { prefix, suffix } = naming?.affix ?? { prefix: '', suffix: '' }
  const name = inCase(place.language === 'python' ? moduleName(place.path) : posix.parse(place.path).name, naming?.casing ?? 'same') // prettier-ignore
  const file = `${prefix}${name}${suffix}${extensionOf(place)}`
  const path = posix.join(testFolder, file)
  // Tests that are named like their subjects cannot stand beside them.
  return path === place.path ? conventions[place.language](place, { ...layout, learned: new Map() }) : path
}

/** Where most tests of the package are, or of other packages where it has none. */
function commonFolder({ path, testType }: Place, learned: LearnedLayout, layout: Layout): string {
  const home = (file: string) => packageOf(file, layout.packages)
  const own = home(path)
  const folder = folderOf(path)
  const paths = learned.tests.map((test) => test.path)
  const inPackage = paths.filter((test) => home(test) === own)
  const elsewhere = paths.filter((test) => home(test) !== '')
  const roots = (tests: string[]) => tests.map((test) => testRoot(test.slice(home(test).length).replace(/^\//, '')))

  const { root, below } = splitPackage(path, layout)
  const within = (base: string, tests: string) => {
    if (tests === 'beside') return folder
    if (/(^|\/)(?:src|lib|app)\/.*__tests__$/.test(tests)) return posix.join(folder, '__tests__')
    const top = posix.join(base, tests)
    const special = `${top}/${testType}`
    const start = [...learned.folders].some((known) => isWithin(known, special)) ? special : top
    return existing([...segmentsOf(start), ...segmentsOf(below)], segmentsOf(start).length, learned)
  }
  const here = mostCommon(roots(inPackage))
  if (here !== undefined) return within(own, here)
  const there = mostCommon(roots(elsewhere))
  return there === undefined ? within('', mostCommon(roots(paths)) ?? 'beside') : within(root, there)
}

const testFolder = /^(?:__tests__|tests?|specs?)$/i

/** Up to the first folder that is called like tests are; `beside` for a test outside such folders. */
function testRoot(path: string): string {
  const segments = segmentsOf(folderOf(path))
  const index = segments.findIndex((segment) => testFolder.test(segment))
  return index === -1 ? 'beside' : segments.slice(0, index + 1).join('/')
}

const extensions: Partial<Record<Language, string>> = {
  python: '.py',
  java: '.java',
  ruby: '.rb',
  php: '.php',
  csharp: '.cs',
}

/** The subject's own, but for scripts without one or with one that their runner cannot load. */
function extensionOf({ path, language, framework }: Place): string {
  const known = extensions[language]
  if (known !== undefined) return known
  const own = posix.extname(path)
  if (language === 'javascript' && !/^\.[cm]?jsx?$/.test(own)) return '.js'
  // Jest and Mocha require a CommonJS module; the others can only import one from a module.
  return own === '.cjs' && framework !== 'jest' && framework !== 'mocha' ? '.mjs' : own
}

const conventions: Record<Language, (place: Place, layout: Layout) => string> = {
  typescript: scriptTestPath,
  javascript: scriptTestPath,
  python: pythonTestPath,
  go: (place) => beside(place, (name) => `${name}_test.go`),
  rust: (place) => place.path,
  java: javaTestPath,
  ruby: (place, layout) =>
    place.framework === 'rspec' ? mirror(place, layout, 'spec', '_spec.rb') : mirror(place, layout, 'test', '_test.rb'),
  php: (place, layout) => mirror(place, layout, 'tests', 'Test.php'),
  csharp: csharpTestPath,
  other: (place) => beside(place, (name, extension) => `${name}_test${extension}`),
}

/** `/account/login` is visited by `account-login`. */
function visitName(path: string): string {
  const address = addressOfPage(path)
  const name = address === undefined ? posix.parse(path).name : address.replace(/[^\p{L}\p{N}]+/gu, '-')
  return name.replace(/^-+|-+$/g, '') || 'home'
}

function beside({ path }: Place, rename: (name: string, extension: string) => string): string {
  const { dir, name, ext } = posix.parse(path)
  return posix.join(dir, rename(name, ext))
}

/** The same folders as below the package's source folder. */
function mirror({ path }: Place, layout: Layout, folder: string, ending: string): string {
  const { root, below } = splitPackage(path, layout)
  return posix.join(root, folder, below, posix.parse(path).name + ending)
}

function scriptTestPath(place: Place, layout: Layout): string {
  const { path, framework } = place
  const { dir, name } = posix.parse(path)
  if (framework === 'jasmine') return mirror(place, layout, 'spec', `.spec${extensionOf(place)}`)
  const ending = `.test${extensionOf(place)}`
  if (framework === 'mocha' || framework === 'ava') return mirror(place, layout, 'test', ending)
  return posix.join(dir, name + ending)
}

const sourceFolders = new Set(['src', 'lib', 'app', 'source'])

/** `packages/a/src/web/x.ts` lies in the package `packages/a`, and below its source folder in `web`. */
function splitPackage(path: string, layout: Layout): { root: string; below: string } {
  const dir = posix.dirname(path)
  const root = packageOf(path, layout.packages) || undefined
  const segments = dir === '.' ? [] : dir.split('/')
  const start = root === undefined ? 0 : root.split('/').length
  const source = segments.findIndex((segment, index) => index >= start && sourceFolders.has(segment))
  if (source === -1) return { root: root ?? '', below: segments.slice(start).join('/') }
  return { root: root ?? segments.slice(0, source).join('/'), below: segments.slice(source + 1).join('/') }
}

/** A module's own name, or its package's where the code is in `__init__.py`, as an identifier. */
export function moduleName(path: string): string {
  const { dir, name } = posix.parse(path)
  const own = name === '__init__' && dir !== '' ? posix.basename(dir) : name.replace(/^_+(?=.)/, '')
  return own.replace(/[^\p{L}\p{N}_]/gu, '_')
}

function pythonTestPath({ path }: Place, layout: Layout): string {
  return posix.join(splitPackage(path, layout).root, 'tests', `test_${moduleName(path)}.py`)
}

function javaTestPath({ path }: Place): string {
  const { dir, name } = posix.parse(path)
  const folder = `${dir}/`
  const maven = folder.replace(/(^|\/)src\/main\//, '$1src/test/')
  return posix.join(maven === folder ? folder.replace(/^src\//, 'test/') : maven, `${name}Test.java`).replace(/^\//, '')
}

/** `src/Shop.Web/Carts/Cart.cs` is tested by the project `tests/Shop.Web.Tests`. */
function csharpTestPath({ path }: Place): string {
  const { dir, name } = posix.parse(path)
  const segments = dir === '' ? [] : dir.split('/')
  const source = segments.indexOf('src')
  const [project, ...below] = segments.slice(source + 1)
  return posix.join(
    ...segments.slice(0, Math.max(source, 0)),
    'tests',
    project === undefined ? '' : `${project}.Tests`,
    ...below,
    `${name}Tests.cs`,
  )
}
