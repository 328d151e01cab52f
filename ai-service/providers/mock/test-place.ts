import { posix } from 'node:path'
import type { TestType } from '../../../core/analysis/schema.ts'
import type { Facts } from './facts.ts'
import type { BrowserFramework, TestFramework } from './frameworks.ts'
import { type Language, languageOf } from './languages.ts'
import { isTestFile } from './source-files.ts'
import { addressOfPage } from './test-type.ts'

/** How this project's JavaScript and Python tests are laid out; undefined where it has none to go by. */
export interface Layout {
  /** A folder such as `__tests__` or `test`, or `beside` for test files next to their subject. */
  script: { folder: string; suffix: string } | undefined
  python: { folder: string } | undefined
  /** Folders that hold a manifest, the deepest first: a monorepo's packages. */
  packages: string[]
}

const scriptSuffix = /([._-](?:test|spec))\.[cm]?[jt]sx?$/
const testFolder = /(?:^|\/)(__tests__|tests?|specs?)\//

/** Looks at where the project's tests are, so that a new one goes where its authors would look for it. */
export function layoutOf(facts: Facts): Layout {
  const scripts = new Map<string, number>()
  const pythons = new Map<string, number>()
  for (const file of facts.files) {
    if (!isTestFile(file)) continue
    const folder = testFolder.exec(file.path)?.[1] ?? 'beside'
    const language = languageOf(file.path, file.language)
    const suffix = scriptSuffix.exec(file.path)?.[1] ?? ''
    if (language === 'python') increase(pythons, folder)
    // A file in a test folder that is not named like a test is most likely a fixture, unless all are like that.
    else if ((language === 'typescript' || language === 'javascript') && (suffix !== '' || folder !== 'beside')) {
      increase(scripts, `${folder}\n${suffix}`)
    }
  }
  const named = new Map([...scripts].filter(([key]) => !key.endsWith('\n')))
  const [folder, suffix] = mostCommon(named.size > 0 ? named : scripts)?.split('\n') ?? []
  const pythonFolder = mostCommon(pythons)
  return {
    script: folder === undefined || suffix === undefined ? undefined : { folder, suffix },
    python: pythonFolder === undefined ? undefined : { folder: pythonFolder },
    packages: [...new Set(facts.manifests.map((path) => posix.dirname(path)))]
      .filter((folder) => folder !== '.')
      .toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1)),
  }
}

function increase(counts: Map<string, number>, key: string) {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

const mostCommon = (counts: Map<string, number>) =>
  [...counts].toSorted(([a, countOfA], [b, countOfB]) => countOfB - countOfA || (a < b ? -1 : 1))[0]?.[0]

export interface Place {
  path: string
  language: Language
  framework: TestFramework | BrowserFramework
  testType: TestType
}

/** Where a test of a source file conventionally goes. */
export function testPathFor(place: Place, layout: Layout): string {
  const { root } = splitPackage(place.path, layout)
  if (place.framework === 'playwright') return posix.join(root, 'e2e', `${visitName(place.path)}.spec.ts`)
  if (place.framework === 'cypress') return posix.join(root, 'cypress/e2e', `${visitName(place.path)}.cy.js`)
  return conventions[place.language](place, layout)
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

function scriptTestPath({ path, framework }: Place, layout: Layout): string {
  const { dir, name, ext: ownExtension } = posix.parse(path)
  // Jest and Mocha require a CommonJS module; the others can only import one from a module.
  const ext = ownExtension === '.cjs' && framework !== 'jest' && framework !== 'mocha' ? '.mjs' : ownExtension
  const usual = framework === 'mocha' || framework === 'ava' ? 'test' : framework === 'jasmine' ? 'spec' : 'beside'
  const { folder, suffix } = layout.script ?? { folder: usual, suffix: framework === 'jasmine' ? '.spec' : '.test' }
  const file = `${name}${suffix}${ext}`
  if (folder === 'beside') return posix.join(dir, file)
  if (folder === '__tests__') return posix.join(dir, folder, file)
  const { root, below } = splitPackage(path, layout)
  return posix.join(root, folder, below, file)
}

const sourceFolders = new Set(['src', 'lib', 'app', 'source'])

/** `packages/a/src/web/x.ts` lies in the package `packages/a`, and below its source folder in `web`. */
function splitPackage(path: string, layout: Layout): { root: string; below: string } {
  const dir = posix.dirname(path)
  const root = layout.packages.find((folder) => dir === folder || dir.startsWith(`${folder}/`))
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

function pythonTestPath(place: Place, layout: Layout): string {
  const folder = layout.python?.folder ?? 'tests'
  const file = `test_${moduleName(place.path)}.py`
  if (folder === 'beside') return beside(place, () => file)
  return posix.join(splitPackage(place.path, layout).root, folder, file)
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
