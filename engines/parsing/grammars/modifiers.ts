import type { Node } from 'web-tree-sitter'

/**
 * The first part of a declaration that is none of `skipped`: where annotations, attributes and comments belong to
 * the declaration's node, its own first line comes after them.
 */
export function declaredAfter(node: Node, skipped: ReadonlySet<string>): Node {
  for (const child of node.children) {
    if (skipped.has(child.type)) continue
    if (child.type !== 'modifiers') return child
    const modifier = child.children.find((part) => !skipped.has(part.type))
    if (modifier) return modifier
  }
  return node
}
