import type { Node } from 'oxc-parser'
import { unwrap } from '../../parsing/javascript/syntax.ts'
import { joins, type Kind, kindOf, writtenNumber } from './kinds.ts'

export interface Result {
  /** The return type of the enclosing function. */
  kind: Kind
  async: boolean
}

/**
 * Returns another value of the same type for a returned value, so that a test that checks the value fails by its
 * assertion. Returns undefined if the value would be the same, or if other operators mutate it already.
 */
export function otherResult(raw: Node, text: string, result: Result, names: ReadonlySet<string>): string | undefined {
  const node = unwrap(raw)
  const number = writtenNumber(node)
  if (number !== undefined) return Number.isInteger(number) ? String(number + 1) : `${text} + 1`
  switch (node.type) {
    case 'Literal':
      if (typeof node.value === 'boolean') return String(!node.value)
      return typeof node.value === 'string' ? otherText(node.value, text) : undefined
    case 'TemplateLiteral':
      return otherText(node.expressions.length === 0 ? (node.quasis[0]?.value.cooked ?? '') : text, text)
    case 'ArrayExpression':
      return node.elements.length > 0 ? '[]' : '[null]'
    case 'ObjectExpression':
      return node.properties.length > 0 ? '{}' : undefined
    case 'NewExpression':
      return otherInstance(node.callee, node.arguments.length)
    case 'BinaryExpression':
      return node.operator === '+' && joins(node, names) ? "''" : undefined
    case 'Identifier':
      return node.name === 'undefined' ? undefined : byKind(text, node, result)
    case 'CallExpression':
    case 'MemberExpression':
    case 'ChainExpression':
    case 'TaggedTemplateExpression':
    case 'ImportExpression':
    case 'AwaitExpression':
      return byKind(text, node, result)
    case 'JSXElement':
    case 'JSXFragment':
      return 'null'
    default:
      return undefined
  }
}

function otherText(value: string, text: string): string {
  const quote = text.startsWith('"') ? '"' : "'"
  return value === '' ? `${quote}mutant${quote}` : quote + quote
}

function otherInstance(callee: Node, argumentCount: number): string | undefined {
  const name = callee.type === 'Identifier' ? callee.name : ''
  if (name === 'Map' || name === 'Set') return argumentCount > 0 ? `new ${name}()` : undefined
  return 'null'
}

function byKind(text: string, node: Node, { kind: declared, async }: Result): string | undefined {
  const kind = declared === 'unknown' ? kindOf(node) : declared
  // An async function may return a promise.
  const value = async && node.type !== 'AwaitExpression' && declared !== 'unknown' ? `(await ${text})` : text
  switch (kind) {
    case 'number':
      return node.type === 'AwaitExpression' ? `(${text}) + 1` : `${value} + 1`
    case 'boolean':
      return `!${node.type === 'AwaitExpression' ? `(${text})` : value}`
    case 'string':
      return "''"
    case 'array':
      return '[]'
    case 'map':
      return 'new Map()'
    case 'set':
      return 'new Set()'
    case 'promise':
      return async ? 'null' : 'Promise.resolve(null)'
    case 'nothing':
      return undefined
    default:
      return 'null'
  }
}
