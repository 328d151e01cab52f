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
export function testsByName(tree: SourceTree, sources: Iterable<number>, tests: Iterable<number>): Map<number, number[]> {
  const byStem = new Map<string, number[]>()
  for (const source of sources) {
    const stem = normalize(sourceStem(tree.pathOf(source)))
    if (stem === '') continue
    const known = byStem.get(stem)
    if (known) known.push(source)
    else byStem.set(stem, [source])
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
function sourcesNamed(tree: SourceTree, test: number, byStem: ReadonlyMap<string, readonly number[]>): readonly number[] {
  const path = tree.pathOf(test)
  const stem = testStem(path)
  // `parser.arrays.test.ts` and `parser-arrays` belong to `parser` when nothing is called as they are.
  for (const name of [stem, stem.split(/[.]/)[0] ?? '', lastWordCut(stem)]) {
    const candidates = byStem.get(normalize(name))?.filter((source) => sameFamily(path, tree.pathOf(source)))
    if (!candidates || candidates.length === 0) continue
    const around = meaningful(directoryOf(path))
    const ranked = candidates.map((source) => ({ source, likeness: likeness(around, sourceDirectory(tree.pathOf(source))) }))
    const best = Math.max(...ranked.map((entry) => entry.likeness))
    const matches = ranked.filter((entry) => entry.likeness === best)
    return matches.length <= maxMatches ? matches.map((entry) => entry.source) : []
  }
  return []
}

export function testStem(path: string): string {
  const name = baseName(path)
  for (const convention of conventions) {
    const stem = convention.exec(name)?.[1]
    if (stem === undefined) continue
    return indexNames.has(stem) ? (meaningful(directoryOf(path)).at(-1) ?? stem) : stem
  }
  return name
}

function sourceStem(path: string): string {
  const stem = baseName(path).replace(/\.[^.]+$/, '')
  return indexNames.has(stem) ? baseName(directoryOf(path)) : stem
}

/** The directory that a source lies in, seen from where its own name is used up. */
function sourceDirectory(path: string): string[] {
  const directory = directoryOf(path)
  const stem = baseName(path).replace(/\.[^.]+$/, '')
  return meaningful(indexNames.has(stem) ? directoryOf(directory) : directory)
}

function lastWordCut(stem: string): string {
  return stem.replace(/[-_][^-_]+$/, '')
}

function meaningful(directory: string): string[] {
  return directory.split('/').filter((segment) => segment !== '' && !neutral.has(segment.toLowerCase()))
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
