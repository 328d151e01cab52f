import type { SourceTree } from '../description/source-tree.ts'
import type { SymbolPlace } from '../description/types.ts'
import type { SyntaxNode } from '../syntax-tree.ts'

const maxClimb = 100

/**
 * Tells of a node to which place it belongs: the innermost one whose lines it is on. Where declarations share a line,
 * such as in a minified file, the name of the function around the node decides.
 */
export function placesByLine(
  places: readonly SymbolPlace[],
  tree: SourceTree,
): (node: SyntaxNode) => number | undefined {
  const owners: (number | undefined)[] = []
  const shared = new Map<number, number[]>()
  const bySize = places.map((place, index) => ({ ...place, index })).toSorted((a, b) => sizeOf(b) - sizeOf(a))
  for (const { startLine, endLine, index } of bySize) {
    for (let line = startLine; line <= endLine; line += 1) {
      const owner = owners[line]
      const around = owner === undefined ? undefined : places[owner]
      const isInside =
        !around || (sizeOf(around) > endLine - startLine && around.startLine <= startLine && around.endLine >= endLine)
      if (!isInside && owner !== undefined) shared.set(line, [...(shared.get(line) ?? [owner]), index])
      else owners[line] = index
    }
  }
  return (node) => {
    const line = tree.lineOf(node.start)
    const rivals = shared.get(line)
    if (!rivals) return owners[line]
    const names = namesAround(node, tree)
    return rivals.findLast((index) => names.has(places[index]?.name.split('.').at(-1) ?? ''))
  }
}

const sizeOf = ({ startLine, endLine }: SymbolPlace): number => endLine - startLine

const nameFields = new Set(['name', 'id', 'key', 'left'])

/** The names of declarations around a node. */
function namesAround(node: SyntaxNode, tree: SourceTree): Set<string> {
  const names = new Set<string>()
  let outer: SyntaxNode | null = node
  for (let steps = 0; outer && steps < maxClimb; steps += 1) {
    for (const child of outer.children.slice(0, 10)) {
      if (child.field !== null && nameFields.has(child.field) && child.end - child.start < 200)
        names.add(tree.text(child))
    }
    outer = outer.parent
  }
  return names
}
