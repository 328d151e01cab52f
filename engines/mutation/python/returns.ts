import type { SyntaxNode } from '../../parsing/syntax-tree.ts'
import { namedChildren, unwrap } from '../../parsing/syntax-tree.ts'
import { joins, type Kind, kindOf, writtenNumber } from './values.ts'

/**
 * Returns another value of the same type for a returned value. Returns undefined if the value would be the same, or if
 * other operators mutate it already.
 */
export function otherResult(
  raw: SyntaxNode,
  declared: Kind,
  names: ReadonlySet<string>,
  text: (node: SyntaxNode) => string,
): string | undefined {
  const node = unwrap(raw)
  const number = writtenNumber(node, text)
  if (number !== undefined) return String(number + 1)
  const empty = namedChildren(node).length === 0
  switch (node.type) {
    case 'true':
      return 'False'
    case 'false':
      return 'True'
    case 'float':
      return `${text(node)} + 1`
    case 'string':
      return node.children.every((part) => part.type === 'string_start' || part.type === 'string_end')
        ? otherText(text(node), 'mutant')
        : otherText(text(node), '')
    case 'concatenated_string':
      return "''"
    case 'list':
      return empty ? '[None]' : '[]'
    case 'dictionary':
      return empty ? undefined : '{}'
    case 'tuple':
      return empty ? '(None,)' : '()'
    case 'list_comprehension':
      return '[]'
    case 'dictionary_comprehension':
      return '{}'
    case 'set':
    case 'set_comprehension':
      return 'set()'
    case 'binary_operator':
      return joins(node, names, text) ? 'None' : undefined
    case 'identifier':
      return /^(?:self|cls|NotImplemented)$/.test(text(node)) ? undefined : byKind(node, declared, text)
    case 'await':
    case 'call':
    case 'attribute':
    case 'subscript':
      return byKind(node, declared, text)
    case 'expression_list':
    case 'generator_expression':
      return 'None'
    default:
      return undefined
  }
}

/** Keeps the quotes and the prefix, so that bytes stay bytes. */
function otherText(written: string, content: string): string {
  const [, prefix = '', quote = "'"] = /^([a-z]*)("""|'''|"|')/i.exec(written) ?? []
  return prefix.replace(/[fr]/gi, '') + quote[0] + content + quote[0]
}

function byKind(node: SyntaxNode, declared: Kind, text: (node: SyntaxNode) => string): string | undefined {
  const called = node.type === 'await' ? namedChildren(node)[0] : node
  const kind = declared === 'unknown' && called ? kindOf(called, text) : declared
  switch (kind) {
    case 'number':
      return `${text(node)} + 1`
    case 'boolean':
      return `not ${text(node)}`
    case 'string':
      return "''"
    case 'list':
      return '[]'
    case 'tuple':
      return '()'
    case 'dict':
      return '{}'
    case 'set':
      return 'set()'
    case 'nothing':
      return undefined
    default:
      return 'None'
  }
}
