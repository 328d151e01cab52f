import { buildGraph } from '../../graph/graph.ts'
import { SourceTree } from '../../graph/source-tree.ts'
import { repository, type TestRepository } from '../../graph/testing/repository.ts'
import { CallReach } from '../call-reach.ts'
import { rungOf } from '../estimate.ts'
import { FileReaches } from '../file-reach.ts'

/** How the tests of a repository reach its files and symbols. */
export function reachOf({ files, manifests }: TestRepository) {
  const tree = new SourceTree(files, manifests)
  const graph = buildGraph(tree)
  const reaches = new FileReaches(tree, graph)
  const calls = new CallReach(tree, graph, reaches)
  const idOf = (path: string) => tree.idOf(path) ?? -1
  return {
    rung: (path: string) => rungOf(reaches.of(idOf(path))),
    via: (path: string) => {
      const { via } = reaches.of(idOf(path))
      return via === undefined ? undefined : tree.pathOf(via)
    },
    nearest: (path: string) => tree.pathOf(reaches.of(idOf(path)).nearestTest ?? -1),
    symbol: (path: string, name: string) => {
      const id = idOf(path)
      const index = tree.facts(id)?.symbols.findIndex((symbol) => symbol.name === name) ?? -1
      return calls.of(id)[index]
    },
  }
}

/** The kinds of reach of the named symbols, which are given as `path name`. */
export async function kindsOf(sources: Record<string, string>, symbols: readonly string[]) {
  const reach = reachOf(await repository(sources))
  return Object.fromEntries(
    symbols.map((symbol) => {
      const space = symbol.indexOf(' ')
      return [symbol, reach.symbol(symbol.slice(0, space), symbol.slice(space + 1))?.kind]
    }),
  )
}
