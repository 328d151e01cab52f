import { type Node, type Program, visitorKeys } from 'oxc-parser'
import type { SyntaxNode } from '../syntax-tree.ts'

/**
 * The tree of a program in the form that the grammars' trees have, so that one reader reads all languages. Fields are
 * ESTree's keys.
 */
export function plainProgram(program: Program): SyntaxNode {
  const root = plainNode(program, null, null)
  const waiting: [Node, SyntaxNode][] = [[program, root]]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [node, plain] = next
    for (const key of visitorKeys[node.type] ?? []) {
      // Visitor keys are generated from the same definitions as the node types, so what they lead to are nodes.
      const value = (node as unknown as Record<string, Node | (Node | null)[] | null | undefined>)[key]
      for (const child of Array.isArray(value) ? value : [value]) {
        if (!child) continue
        const inner = plainNode(child, key, plain)
        plain.children.push(inner)
        waiting.push([child, inner])
      }
    }
    // Some keys are not in source order, such as those of a `do` loop.
    plain.children.sort((a, b) => a.start - b.start)
  }
  return root
}

const plainNode = ({ type, start, end }: Node, field: string | null, parent: SyntaxNode | null): SyntaxNode => ({
  type,
  named: true,
  field,
  start,
  end,
  parent,
  children: [],
})
