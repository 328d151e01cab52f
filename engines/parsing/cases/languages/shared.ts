import type { SourceTree } from '../../description/source-tree.ts'
import { child, namedChildren, type SyntaxNode } from '../../syntax-tree.ts'
import type { Construct, Span } from '../construct.ts'

/** The own text of a node up to its body, such as `case 1` or `catch (IOException e)`. */
export function headerOf(node: SyntaxNode, body: SyntaxNode | undefined, tree: SourceTree): Span {
  // Comments may come before the body.
  const parts = body ? node.children.filter((one) => one.end <= body.start && !one.type.endsWith('comment')) : []
  const end = parts.at(-1)?.end ?? body?.start ?? node.end
  let text = tree.source.slice(node.start, Math.min(end, node.start + 2_000)).trimEnd()
  for (let mark = openingOf(text); mark !== undefined; mark = openingOf(text)) {
    text = text.slice(0, -mark.length).trimEnd()
  }
  return { start: node.start, end: node.start + text.length }
}

/** What comes between a header and its body. */
const openingOf = (text: string): string | undefined =>
  [':', '{', '=>', '->', ' then'].find((mark) => text.endsWith(mark))

/** The node inside of parentheses. */
export function inside(node: SyntaxNode): SyntaxNode {
  const [only] = node.type === 'parenthesized_expression' ? namedChildren(node) : []
  return only ?? node
}

export const ofField = (node: SyntaxNode, field: string): SyntaxNode[] =>
  node.children.filter((one) => one.field === field)

export const ofType = (node: SyntaxNode, ...types: string[]): SyntaxNode[] =>
  node.children.filter((one) => types.includes(one.type))

/** The first literal text among the arguments of a call or construction. */
export function messageOf(args: SyntaxNode | undefined, tree: SourceTree): string | undefined {
  for (const one of args ? namedChildren(args).slice(0, 4) : []) {
    const value = one.type === 'argument' ? (namedChildren(one)[0] ?? one) : one
    if (/string/.test(value.type)) return tree.text(value)
  }
  return undefined
}

const isEndless = /^\(?(?:true|True|1)\)?$/

/** A loop with a condition, except for those that always run. */
export function testLoop(
  node: SyntaxNode,
  test: SyntaxNode | undefined,
  tree: SourceTree,
  isNegated = false,
): readonly Construct[] {
  if (!test || (test.end - test.start < 10 && isEndless.test(tree.text(test)))) return []
  return [{ kind: 'loop', test: inside(test), isNegated, body: child(node, 'body') }]
}

/** `a && b` and `a || b` of languages in which both are true or false, where that is what a function returns. */
export function shortCircuit(
  left: SyntaxNode | undefined,
  operator: string,
  [no, yes]: readonly [no: string, yes: string] = ['false', 'true'],
): readonly Construct[] {
  if (!left) return []
  if (operator === '&&' || operator === 'and') return [{ kind: 'short-circuit', test: left, isAnd: true, result: no }]
  if (operator === '||' || operator === 'or') return [{ kind: 'short-circuit', test: left, isAnd: false, result: yes }]
  return []
}

export const operatorOf = (node: SyntaxNode, tree: SourceTree): string => {
  const operator = child(node, 'operator')
  return operator ? tree.text(operator) : ''
}
