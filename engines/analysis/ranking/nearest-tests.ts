import { normalizeName } from '../../test-names/test-name.ts'
import { baseName, directoryOf, sharedSegments } from '../graph/paths.ts'
import type { SourceTree } from '../graph/source-tree.ts'
import type { SymbolReach } from './call-reach.ts'
import type { FileReach } from './file-reach.ts'
import { ownName } from './implicit.ts'

const maxTests = 3
/** Shorter names are parts of many others. */
const minName = 4

/** Paths of the test files that come closest to a symbol, best first: where a new test would go, or be copied from. */
export function nearestTests(
  tree: SourceTree,
  { path, name, owners }: { path: string; name: string; owners: readonly number[] },
  file: FileReach,
  symbol: SymbolReach,
): string[] {
  const found: string[] = []
  const directory = directoryOf(path)
  const calling = symbol.kind === 'called-by-test' || symbol.kind === 'likely-called' ? symbol.tests : []
  const groups = [
    calling.filter((test) => file.namedTests.includes(test)),
    calling,
    file.namedTests,
    ...owners.map((test) => [test]),
    file.importingTests,
    file.nearestTest === undefined ? [] : [file.nearestTest],
  ]
  const own = normalizeName(ownName(name))
  // A default export has no name that a test could have.
  const isNamed = (test: string) =>
    own.length >= minName && own !== 'default' && normalizeName(baseName(test)).includes(own)
  for (const group of groups) {
    const tests = group.map((id) => tree.pathOf(id)).filter((path) => !found.includes(path))
    const ranked = tests.map((path) => ({ path, isNamed: isNamed(path), closeness: closeness(path, directory) }))
    ranked.sort(
      (a, b) => Number(b.isNamed) - Number(a.isNamed) || b.closeness - a.closeness || (a.path < b.path ? -1 : 1),
    )
    found.push(...ranked.slice(0, maxTests - found.length).map(({ path }) => path))
    if (found.length >= maxTests) break
  }
  return found
}

function closeness(test: string, directory: string): number {
  return sharedSegments(directoryOf(test), directory)
}
