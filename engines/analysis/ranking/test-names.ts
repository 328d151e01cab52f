import { baseName, directoryOf, type SourceTree } from '../graph/source-tree.ts'

/**
 * What test files are called in each ecosystem: the part in brackets is what they say they test. `spec_*.rb` is
 * how rack writes it.
 */
const conventions: readonly RegExp[] = [
  /^(.+)[._-](?:test|tests|spec|specs|unit|integration|e2e|it|bench)(?:-d)?\.[cm]?[jt]sx?$/,
  /^(?:test|spec)[._-](.+)\.[cm]?[jt]sx?$/,
  /^tests?_(.+)\.py$/,
  /^(.+)_tests?\.py$/,
  /^(.+)_test\.go$/,
  /^(.+)_(?:spec|test)\.rb$/,
  /^(?:spec|test)_(.+)\.rb$/,
  /^(.+?)(?:Integration|Unit)?(?:Tests?|TestCase|ITCase|IT|Spec)\.(?:java|php|cs)$/,
  /^Test(.+)\.java$/,
  /^(?:test_)?(.+?)(?:_tests?)?\.rs$/,
  // Folders called `test` or `__tests__` often repeat the plain name.
  /^(.+)\.(?:[cm]?[jt]sx?|py|rb|php)$/,
]

/** Names of a directory that says nothing about what is in it. */
const neutral = new Set(
  ['src', 'lib', 'app', 'source', 'sources', 'main', 'java', 'test', 'tests', 'spec', 'specs', 'unit', 'units']
    .concat(['__tests__', '__test__', 'integration', 'e2e', 'functional', 'packages', 'internal', 'pkg', 'testing'])
    .concat(['node', 'browser', 'code', 'crates', 'modules']),
)
/** File names that stand for the directory around them. */
const indexNames = new Set(['index', '__init__', 'mod', 'lib', 'main'])
/** Beyond so many equally good sources a test's name says nothing. */
const maxMatches = 3

/** Test files that are named after a source file, by source. */
export function testsByName(
  tree: SourceTree,
  sources: Iterable<number>,
  tests: Iterable<number>,
): Map<number, number[]> {
  const byStem = new Map<string, number[]>()
  for (const source of sources) {
    for (const name of sourceNames(tree.pathOf(source))) {
      const known = byStem.get(name)
      if (known) known.push(source)
      else byStem.set(name, [source])
    }
  }
  const found = new Map<number, number[]>()
  for (const test of tests) {
    for (const source of sourcesNamed(tree, test, byStem)) {
      const known = found.get(source)
      if (known) known.push(test)
      else found.set(source, [test])
    }
  }
  return found
}

/** The sources that one test is named after: those whose directories resemble the test's most. */
function sourcesNamed(
  tree: SourceTree,
  test: number,
  byStem: ReadonlyMap<string, readonly number[]>,
): readonly number[] {
  const path = tree.pathOf(test)
  const stem = testStem(path)
  const around = meaningful(directoryOf(path))
  // `parser.arrays.test.ts` and `parser-arrays` belong to `parser` when nothing is called as they are.
  for (const name of new Set([stem, stem.split('.')[0] ?? '', stem.replace(/[-_][^-_]+$/, '')])) {
    const ranked: { source: number; likeness: number }[] = []
    for (const source of byStem.get(normalize(name)) ?? []) {
      const other = tree.pathOf(source)
      const directory = sourceDirectory(other)
      if (!sameFamily(path, other) || areElsewhere(around, directory)) continue
      ranked.push({ source, likeness: likeness(around, directory) })
    }
    if (ranked.length === 0) continue
    const best = Math.max(...ranked.map((entry) => entry.likeness))
    const matches = ranked.filter((entry) => entry.likeness === best)
    return matches.length <= maxMatches ? matches.map((entry) => entry.source) : []
  }
  return []
}

function testStem(path: string): string {
  const name = baseName(path)
  for (const convention of conventions) {
    const stem = convention.exec(name)?.[1]
    if (stem === undefined) continue
    return indexNames.has(stem) ? (meaningful(directoryOf(path)).at(-1) ?? stem) : stem
  }
  return name
}

/** What a test of this source may be called: `container`, or `api_container` where it lies in `api`. */
function sourceNames(path: string): Set<string> {
  const directory = sourceHome(path)
  const stem = sourceStem(path)
  return new Set([normalize(stem), normalize(baseName(directory) + stem)].filter((name) => name !== ''))
}

function sourceStem(path: string): string {
  const stem = fileStem(path)
  return indexNames.has(stem) ? baseName(directoryOf(path)) : stem
}

/** The directory that a source lies in, seen from where its own name is used up. */
function sourceHome(path: string): string {
  const directory = directoryOf(path)
  return indexNames.has(fileStem(path)) ? directoryOf(directory) : directory
}

function sourceDirectory(path: string): string[] {
  return meaningful(sourceHome(path))
}

function fileStem(path: string): string {
  return baseName(path).replace(/\.[^.]+$/, '')
}

/** Directory names that say where a file belongs; `Shop.UnitTests` belongs to `Shop`. */
function meaningful(directory: string): string[] {
  return directory
    .split('/')
    .map((segment) =>
      segment.toLowerCase().replace(/[._-]?(?:unit|integration|functional)?[._-]?(?:tests?|specs?)$/, ''),
    )
    .filter((segment) => segment !== '' && !neutral.has(segment))
}

/** Both say where they belong, and it is not the same place. */
function areElsewhere(a: readonly string[], b: readonly string[]): boolean {
  return a.length > 0 && b.length > 0 && !a.some((segment) => b.includes(segment))
}

/** Directory names in common, and as few as possible that are not. */
function likeness(a: readonly string[], b: readonly string[]): number {
  const other = new Set(b)
  let shared = 0
  for (const segment of a) if (other.has(segment)) shared += 1
  return shared - (a.length + b.length - 2 * shared) / 100
}

/** `HTTPClient`, `http-client` and `http_client` are one name. */
function normalize(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
}

const families: readonly ReadonlySet<string>[] = [
  new Set(['ts', 'tsx', 'mts', 'cts', 'js', 'jsx', 'mjs', 'cjs', 'vue', 'svelte', 'astro']),
]

function sameFamily(a: string, b: string): boolean {
  const left = extension(a)
  const right = extension(b)
  return left === right || families.some((family) => family.has(left) && family.has(right))
}

function extension(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1)
}
