import type { Tree } from 'web-tree-sitter'
import { grammars } from './grammars/index.ts'
import { parseTree } from './grammars/parse-with-grammar.ts'

/** A node of tree-sitter's tree as a plain object: each look at one of its own goes through WebAssembly. */
export interface SyntaxNode {
  type: string
  /** Unnamed are keywords, operators and punctuation, whose type is their text. */
  named: boolean
  /** The name of its role in the parent, if the grammar has one. */
  field: string | null
  start: number
  end: number
  parent: SyntaxNode | null
  children: SyntaxNode[]
}

/** Reads the tree of a source; undefined for syntax errors. */
export async function readTree(
  source: string,
  language: 'python' | 'go',
  timeoutMs: number,
): Promise<SyntaxNode | undefined> {
  const tree = await parseTree(source, grammars[language], timeoutMs)
  try {
    return tree.rootNode.hasError ? undefined : plainTree(tree)
  } finally {
    tree.delete()
  }
}

/**
 * A loop instead of recursion: sources decide how deep the tree is.
 *
 * @param isSkipped - tells that no reader needs the children of a node
 */
export function plainTree(tree: Tree, isSkipped?: (body: SyntaxNode) => boolean): SyntaxNode {
  const cursor = tree.walk()
  try {
    const here = (parent: SyntaxNode | null): SyntaxNode => ({
      type: cursor.nodeType,
      named: cursor.nodeIsNamed,
      field: cursor.currentFieldName,
      start: cursor.startIndex,
      end: cursor.endIndex,
      parent,
      children: [],
    })
    const root = here(null)
    let node = root
    while (true) {
      if (!(isSkipped?.(node) ?? false) && cursor.gotoFirstChild()) {
        const child = here(node)
        node.children.push(child)
        node = child
        continue
      }
      while (!cursor.gotoNextSibling()) {
        if (!cursor.gotoParent() || !node.parent) return root
        node = node.parent
      }
      const { parent } = node
      const sibling = here(parent)
      parent?.children.push(sibling)
      node = sibling
    }
  } finally {
    cursor.delete()
  }
}

export const child = (node: SyntaxNode, field: string): SyntaxNode | undefined =>
  node.children.find((one) => one.field === field)

export const namedChildren = (node: SyntaxNode): SyntaxNode[] =>
  node.children.filter((one) => one.named && one.type !== 'comment' && one.type !== 'line_continuation')

/** The nearest node around this one that is of one of the types. */
export function around(node: SyntaxNode, ...types: string[]): SyntaxNode | undefined {
  for (let outer = node.parent; outer; outer = outer.parent) if (types.includes(outer.type)) return outer
  return undefined
}

/** All nodes of a tree, outer ones first, in source order. */
export function* nodesOf(root: SyntaxNode): Generator<SyntaxNode> {
  const waiting = [root]
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    yield node
    for (let index = node.children.length - 1; index >= 0; index -= 1) {
      const next = node.children[index]
      if (next) waiting.push(next)
    }
  }
}

/** Removes redundant parentheses. */
export function unwrap(node: SyntaxNode): SyntaxNode {
  let inner = node
  while (inner.type === 'parenthesized_expression') {
    const [only] = namedChildren(inner)
    if (!only) return inner
    inner = only
  }
  return inner
}
