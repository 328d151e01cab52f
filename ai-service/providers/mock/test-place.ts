import { posix } from 'node:path'
import type { TestType } from '../../../core/analysis/schema.ts'
import type { Facts } from './facts.ts'
import type { BrowserFramework, TestFramework } from './frameworks.ts'
import { type Language, languageOf } from './languages.ts'
import { isTestFile } from './source-files.ts'

/** How this project's JavaScript and Python tests are laid out; undefined where it has none to go by. */
export interface Layout {
  /** A folder such as `__tests__` or `test`, or `beside` for test files next to their subject. */
  script: { folder: string; suffix: string } | undefined
  python: { folder: string } | undefined
  /** Folders that hold a manifest, the deepest first: a monorepo's packages. */
  packages: string[]
  files: ReadonlySet<string>
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
    files: new Set(facts.files.map((file) => file.path)),
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
  const { path, language, framework } = place
  const { dir, name } = posix.parse(path)
  const inPackage = splitPackage(path, layout)
  if (framework === 'playwright') return posix.join(inPackage.root, 'e2e', `${name}.spec.ts`)
  if (framework === 'cypress') return posix.join(inPackage.root, 'cypress/e2e', `${name}.cy.js`)

  switch (language) {
    case 'typescript':
    case 'javascript':
      return scriptTestPath(place, layout)
    case 'python':
      return layout.python?.folder === 'beside'
        ? posix.join(dir, `test_${name}.py`)
        : posix.join(inPackage.root, layout.python?.folder ?? 'tests', `test_${moduleName(path)}.py`)
    case 'go':
      return posix.join(dir, `${name}_test.go`)
    case 'rust':
      return path
    case 'java':
      return posix.join(mirrored(dir, /(^|\/)src\/main\//, '$1src/test/', /^src\//, 'test/'), `${name}Test.java`)
    case 'ruby':
      return framework === 'rspec'
        ? posix.join(inPackage.root, 'spec', inPackage.below, `${name}_spec.rb`)
        : posix.join(inPackage.root, 'test', inPackage.below, `${name}_test.rb`)
    case 'php':
      return posix.join(inPackage.root, 'tests', inPackage.below, `${name}Test.php`)
    case 'csharp':
      return csharpTestPath(dir, name)
    case 'other':
      return posix.join(dir, `${name}_test${posix.extname(path)}`)
  }
}

function scriptTestPath({ path, framework }: Place, layout: Layout): string {
  const { dir, name, ext } = posix.parse(path)
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

/** A module's own name; a package's, where its code is in `__init__.py`. */
export function moduleName(path: string): string {
  const { dir, name } = posix.parse(path)
  return name === '__init__' && dir !== '' ? posix.basename(dir) : name.replace(/^_+(?=.)/, '')
}

function mirrored(dir: string, from: RegExp, to: string, orFrom: RegExp, orTo: string): string {
  const folder = `${dir}/`
  if (from.test(folder)) return folder.replace(from, to)
  return orFrom.test(folder) ? folder.replace(orFrom, orTo) : dir
}

/** `src/Shop.Web/Carts/Cart.cs` is tested by the project `tests/Shop.Web.Tests`. */
function csharpTestPath(dir: string, name: string): string {
  const segments = dir === '' ? [] : dir.split('/')
  if (segments[0] === 'src') segments.shift()
  const [project, ...below] = segments
  return posix.join('tests', project === undefined ? '' : `${project}.Tests`, ...below, `${name}Tests.cs`)
}
