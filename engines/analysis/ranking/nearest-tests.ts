import { directoryOf, sharedSegments, type SourceTree } from '../graph/source-tree.ts'
import type { SymbolReach } from './call-reach.ts'
import type { FileReach } from './file-reach.ts'

const maxTests = 3

/** Paths of the test files that come closest to a symbol, best first: where a new test would go, or be copied from. */
export function nearestTests(tree: SourceTree, path: string, file: FileReach, symbol: SymbolReach): string[] {
  const found: string[] = []
  const directory = directoryOf(path)
  const calling = symbol.kind === 'called-by-test' || symbol.kind === 'likely-called' ? symbol.tests : []
  const groups = [
    calling.filter((test) => file.namedTests.includes(test)),
    calling,
    file.namedTests,
    file.importingTests,
    file.nearestTest === undefined ? [] : [file.nearestTest],
  ]
  for (const group of groups) {
    const tests = group.map((id) => tree.pathOf(id)).filter((path) => !found.includes(path))
    const ranked = tests.map((path) => ({ path, closeness: closeness(path, directory) }))
    ranked.sort((a, b) => b.closeness - a.closeness || (a.path < b.path ? -1 : 1))
    found.push(...ranked.slice(0, maxTests - found.length).map(({ path }) => path))
    if (found.length >= maxTests) break
  }
  return found
}

function closeness(test: string, directory: string): number {
  return sharedSegments(directoryOf(test), directory)
}
