import { posix } from 'node:path'
import { anyFolder, type Convention, conventionFor, conventionOf } from './conventions.ts'

/** A `test` file holds tests. A `support` file serves them: helpers, fixtures, dummies, benchmarks in a test folder. */
export type TestRole = 'test' | 'support'

const supportFolder =
  /^(?:(?:__)?(?:fixtures?|mocks?|snapshots?|stubs?)(?:__)?|helpers?|support|utils?|test-?utils?|data|test-?data|testdata|resources|assets|setup|common|shared|dumm(?:y|ies)|benchmarks?|TestDummies)$/i
const supportName =
  /^(?:_.*|(?:test-?|spec_?)?(?:helpers?|utils?|setup|env|common|fixtures?|mocks?|globals?|bootstrap))\.\w+$/i
/** Folders that only tests use, at any depth. */
const ownFolder =
  /^(?:__mocks__|__fixtures__|__snapshots__|testdata|test[-_](?:data|fixtures?|helpers?|utils?|support))$/
/** File names that only tests use. */
const ownName =
  /^(?:test[-_.]?(?:utils?|helpers?|setup)|setup[-_.]?tests?|conftest|(?:spec|test|rails)_helper|(?:jest|vitest|playwright)[-_.]?(?:global)?[-_.]?setup)\.\w+$/i
/** Files in these folders only look like tests. */
const examples = /^(?:__fixtures__|fixtures?|testdata|test[-_]data|assets)$/i
/** `packages/test` is a package of that name. */
const packagesFolder = /^(?:packages|crates|libs?|plugins|modules|apps)$/

const setupName =
  /^(?:conftest|test_helper|spec_helper|rails_helper|setup|setupTests|globalSetup|jest\.setup|vitest\.setup|TestMain|main_test)\.[a-z]+$/

/** Whether the file configures the runner or serves all tests, so that a change affects other tests. */
export const isTestSetup = (path: string) => setupName.test(posix.basename(path))

/** Whether the file holds tests, judged by its path alone. Use `testFiles` when all paths are known. */
export function isTestPath(path: string, language?: string): boolean {
  return testRole(path, language) === 'test'
}

/** A file's role by the conventions of its language, or of its extension without one; undefined for product code. */
export function testRole(path: string, language?: string): TestRole | undefined {
  const convention = language === undefined ? conventionFor(path) : conventionOf(language)
  const segments = path.split('/')
  const name = segments.pop() ?? ''
  const isNamed = convention.name?.test(name) || (segments.length === 0 && convention.nameAtTop?.test(name))
  const isTest = isNamed === true && convention.notTest?.test(name) !== true
  const folder = testFolderOf(segments, convention)
  const before = segments.slice(0, folder).join('/')
  if (convention.product?.test(`${before}/`)) return isTest && convention.sure?.test(name) ? 'test' : undefined

  const below = folder === undefined ? [] : segments.slice(folder + 1)
  if (isTest) return below.some((segment) => examples.test(segment)) ? 'support' : 'test'
  if (segments.some((segment) => ownFolder.test(segment)) || ownName.test(name)) return 'support'
  if (folder === undefined) return undefined
  if (convention.notTest?.test(name)) return 'support'
  if (convention.nameInFolder?.test(name)) return 'test'
  if (convention.unnamed === 'support') return 'support'
  return supportName.test(name) || below.some((segment) => supportFolder.test(segment)) ? 'support' : 'test'
}

/** The position of the outermost test folder. */
function testFolderOf(segments: string[], { folder = anyFolder, topFolder }: Convention): number | undefined {
  const position = segments.findIndex((segment, at) => {
    if (at === 0 && segment === topFolder) return true
    if (!folder.test(segment)) return false
    return !(segment === 'test' && packagesFolder.test(segments[at - 1] ?? ''))
  })
  return position < 0 ? undefined : position
}

/**
 * Returns the roles of all files that have one. If a test folder holds files that are named as tests, its other files
 * are support, even in languages whose runners load any file: `test/entity/Post.ts` next to `test/find.test.ts`.
 */
export function testFiles(files: Iterable<{ path: string; language: string }>): Map<string, TestRole> {
  const roles = new Map<string, TestRole>()
  const unnamed: { path: string; root: string }[] = []
  const rootsWithNames = new Set<string>()
  for (const { path, language } of files) {
    const role = testRole(path, language)
    if (!role) continue
    roles.set(path, role)
    const convention = conventionOf(language)
    if (role !== 'test' || convention.unnamed !== 'test') continue
    const segments = path.split('/')
    const name = segments.pop() ?? ''
    const folder = testFolderOf(segments, convention)
    if (folder === undefined) continue
    const root = segments.slice(0, folder + 1).join('/')
    if (convention.name?.test(name)) rootsWithNames.add(root)
    else unnamed.push({ path, root })
  }
  for (const { path, root } of unnamed) {
    if (rootsWithNames.has(root)) roles.set(path, 'support')
  }
  return roles
}
