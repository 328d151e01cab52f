import { domainOf, isTest } from './find-violations.ts'
import type { Imports } from './read-imports.ts'

export interface Structure {
  files: number
  imports: number
  /** Files that import each other, directly or indirectly, including types. */
  circles: string[][]
  /** Domains of core that import each other. */
  mutualDomains: [string, string][]
  /** Files of the longest chain in which each imports the next. */
  longestChain: string[]
}

/** Measures the structure of everything but tests. */
export function measureStructure(all: Imports): Structure {
  const graph = new Map<string, string[]>()
  for (const [file, imports] of all) {
    if (isTest(file)) continue
    graph.set(
      file,
      [...new Set(imports.map(({ target }) => target))].filter((target) => all.has(target) && !isTest(target)),
    )
  }
  const components = stronglyConnected(graph)
  return {
    files: graph.size,
    imports: [...graph.values()].reduce((sum, targets) => sum + targets.length, 0),
    circles: components.filter(({ length }) => length > 1).map((files) => files.toSorted()),
    mutualDomains: mutualDomains(graph),
    longestChain: longestChain(graph, components),
  }
}

function mutualDomains(graph: ReadonlyMap<string, readonly string[]>): [string, string][] {
  const edges = new Set<string>()
  for (const [file, targets] of graph) {
    for (const target of targets) {
      const [from, to] = [domainOf(file), domainOf(target)]
      if (from !== undefined && to !== undefined && from !== to) edges.add(`${from} ${to}`)
    }
  }
  return [...edges]
    .map((edge) => edge.split(' ') as [string, string])
    .filter(([from, to]) => from < to && edges.has(`${to} ${from}`))
}

/** Tarjan's algorithm; components come after all that they lead to. */
function stronglyConnected(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const components: string[][] = []
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const visit = (file: string): void => {
    index.set(file, index.size)
    low.set(file, index.size - 1)
    stack.push(file)
    for (const target of graph.get(file) ?? []) {
      if (!index.has(target)) visit(target)
      if (stack.includes(target)) low.set(file, Math.min(low.get(file) ?? 0, low.get(target) ?? 0))
    }
    if (low.get(file) === index.get(file)) components.push(stack.splice(stack.indexOf(file)))
  }
  for (const file of graph.keys()) if (!index.has(file)) visit(file)
  return components
}

function longestChain(graph: ReadonlyMap<string, readonly string[]>, components: readonly string[][]): string[] {
  const componentOf = new Map(components.flatMap((files) => files.map((file) => [file, files] as const)))
  const chains = new Map<readonly string[], string[]>()
  for (const files of components) {
    const next = files
      .flatMap((file) => graph.get(file) ?? [])
      .map((target) => componentOf.get(target))
      .filter((other) => other !== undefined && other !== files)
      .map((other) => (other && chains.get(other)) ?? [])
    const longest = next.reduce((best, chain) => (chain.length > best.length ? chain : best), [])
    chains.set(files, [...files, ...longest])
  }
  return [...chains.values()].reduce((best, chain) => (chain.length > best.length ? chain : best), [])
}
