import { type Node, type Program, visitorKeys } from 'oxc-parser'
import type { SyntaxNode } from '../syntax-tree.ts'
import type { Child } from './syntax.ts'

/** The nodes inside of types do not run. They are a third of the nodes of TypeScript sources. */
const types = new Set(['typeAnnotation', 'returnType', 'typeParameters', 'typeArguments', 'superTypeArguments'])
const typeDeclarations = new Set(['TSInterfaceDeclaration', 'TSTypeAliasDeclaration'])

/**
 * The tree of a program in the form that the grammars' trees have, so that one reader reads all languages. Fields are
 * ESTree's keys. Types are leaves.
 *
 * @param isSkipped - tells that no reader needs the children of a node
 */
export function plainProgram(program: Program, isSkipped?: (body: SyntaxNode) => boolean): SyntaxNode {
  const root = plainNode(program, null, null)
  const nodes: Node[] = [program]
  const plains: SyntaxNode[] = [root]
  const add = (child: Node, key: string, parent: SyntaxNode) => {
    const inner = plainNode(child, key, parent)
    const { children } = parent
    // Some keys are not in source order, such as those of a `do` loop.
    const isLast = children.length === 0 || (children.at(-1)?.start ?? 0) <= inner.start
    if (isLast) children.push(inner)
    else
      children.splice(
        children.findIndex(({ start }) => start > inner.start),
        0,
        inner,
      )
    if (types.has(key) || typeDeclarations.has(child.type) || isSkipped?.(inner)) return
    nodes.push(child)
    plains.push(inner)
  }
  for (let node = nodes.pop(), plain = plains.pop(); node && plain; node = nodes.pop(), plain = plains.pop()) {
    for (const key of visitorKeys[node.type] ?? []) {
      // Visitor keys are generated from the same definitions as the node types, so what they lead to are nodes.
      const value = (node as unknown as Record<string, Child | Child[]>)[key]
      if (Array.isArray(value)) {
        for (const child of value) if (child) add(child, key, plain)
      } else if (value) {
        add(value, key, plain)
      }
    }
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
