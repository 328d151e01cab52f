import { posix } from 'node:path'
import { conventionFor } from './conventions.ts'
import { folderOf, segmentsOf } from './paths.ts'
import { normalizeName } from './test-name.ts'

/** Folder names that say nothing about their files. */
const neutral = new Set(
  ['src', 'lib', 'app', 'source', 'sources', 'main', 'java', 'test', 'tests', 'spec', 'specs', 'unit', 'units']
    .concat(['__tests__', '__test__', 'integration', 'e2e', 'functional', 'packages', 'internal', 'pkg', 'testing'])
    .concat(['node', 'browser', 'code', 'crates', 'modules']),
)
/** File names that represent their folder. */
const indexNames = new Set(['index', '__init__', 'mod', 'lib', 'main'])
/** A test's name says nothing if more sources than this fit it equally well. */
const maxMatches = 3

/** Returns the tests that are named after each source. */
export function testsByName(sources: Iterable<string>, tests: Iterable<string>): Map<string, string[]> {
  const byStem = new Map<string, string[]>()
  for (const source of sources) for (const name of sourceNames(source)) addTo(byStem, name, source)
  const found = new Map<string, string[]>()
  for (const test of tests) for (const source of sourcesNamed(test, byStem)) addTo(found, source, test)
  return found
}

function addTo(lists: Map<string, string[]>, key: string, value: string): void {
  const known = lists.get(key)
  if (known) known.push(value)
  else lists.set(key, [value])
}

/** Returns the sources that a test is named after, with the folders most similar to that of the test. */
function sourcesNamed(test: string, byStem: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const stem = testStem(test)
  const around = meaningful(folderOf(test))
  // `parser.arrays.test.ts` and `parser-arrays` belong to `parser` if no source has the whole name.
  for (const name of new Set([stem, stem.split('.')[0] ?? '', stem.replace(/[-_][^-_]+$/, '')])) {
    const ranked: { source: string; likeness: number }[] = []
    for (const source of byStem.get(normalizeName(name)) ?? []) {
      const folder = meaningful(sourceHome(source))
      if (!sameFamily(test, source) || areElsewhere(around, folder)) continue
      ranked.push({ source, likeness: likeness(around, folder) })
    }
    if (ranked.length === 0) continue
    const best = Math.max(...ranked.map((entry) => entry.likeness))
    const matches = ranked.filter((entry) => entry.likeness === best)
    return matches.length <= maxMatches ? matches.map((entry) => entry.source) : []
  }
  return []
}

function testStem(path: string): string {
  const { base, name } = posix.parse(path)
  const { names, alsoNames = [], plainNames } = conventionFor(path)
  for (const pattern of [...alsoNames, ...names]) {
    const stem = pattern.exec(base)?.groups?.['stem']
    if (stem !== undefined) return stemOrFolder(path, stem)
  }
  return plainNames ? stemOrFolder(path, name) : base
}

const stemOrFolder = (path: string, stem: string) =>
  indexNames.has(stem) ? (meaningful(folderOf(path)).at(-1) ?? stem) : stem

/** The names that a test of this source may have: `container`, or `api_container` for a source in `api`. */
function sourceNames(path: string): Set<string> {
  const { name } = posix.parse(path)
  const stem = indexNames.has(name) ? posix.basename(folderOf(path)) : name
  return new Set(
    [normalizeName(stem), normalizeName(posix.basename(sourceHome(path)) + stem)].filter((key) => key !== ''),
  )
}

/** Returns the folder of a source, or the parent if the source represents its folder. */
function sourceHome(path: string): string {
  const folder = folderOf(path)
  return indexNames.has(posix.parse(path).name) ? folderOf(folder) : folder
}

/** Folder names that say where a file belongs; `Shop.UnitTests` belongs to `Shop`. */
function meaningful(folder: string): string[] {
  return segmentsOf(folder)
    .map((segment) =>
      segment.toLowerCase().replace(/[._-]?(?:unit|integration|functional)?[._-]?(?:tests?|specs?)$/, ''),
    )
    .filter((segment) => segment !== '' && !neutral.has(segment))
}

/** Whether both have significant folder names and none in common. */
function areElsewhere(a: readonly string[], b: readonly string[]): boolean {
  return a.length > 0 && b.length > 0 && !a.some((segment) => b.includes(segment))
}

/** Counts the folder names in common; among equals, fewer other names are better. */
function likeness(a: readonly string[], b: readonly string[]): number {
  const other = new Set(b)
  let shared = 0
  for (const segment of a) if (other.has(segment)) shared += 1
  return shared - (a.length + b.length - 2 * shared) / 100
}

const scripts = /\.(?:[cm]?[jt]s|[jt]sx|vue|svelte|astro)$/

function sameFamily(a: string, b: string): boolean {
  return posix.extname(a) === posix.extname(b) || (scripts.test(a) && scripts.test(b))
}
