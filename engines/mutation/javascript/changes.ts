import type { AssignmentExpression, LogicalExpression, Node } from 'oxc-parser'
import { unwrap } from '../../parsing/javascript/syntax.ts'
import type { MutationOperator } from '../schema.ts'
import type { MutantList, Span } from '../mutant-list.ts'
import { nextTo, strictness } from '../operators.ts'
import type { BinaryExpression } from './expressions.ts'
import { writtenNumber } from './kinds.ts'

type Operation = BinaryExpression | LogicalExpression | AssignmentExpression

/** Mutates single operators and numbers. */
export class JavaScriptChanges {
  readonly #list: MutantList

  constructor(list: MutantList) {
    this.#list = list
  }

  logical(node: LogicalExpression): void {
    if (node.operator !== '??') return this.operator('condition', node, node.operator === '&&' ? '||' : '&&')
    const fallback = unwrap(node.right)
    if (fallback.type === 'Identifier' && fallback.name === 'undefined') return
    this.#list.add(
      'condition',
      node,
      this.#list.text({ start: node.start, end: this.#operatorOf(node).start }).trimEnd(),
    )
  }

  /** Mutates a position in a text or list, or the first number of a loop. */
  place(value: Node): void {
    const number = writtenNumber(value)
    if (number !== undefined && Number.isInteger(number)) this.#list.add('boundary', value, String(nextTo(number)))
  }

  equal(value: Node): void {
    const number = writtenNumber(value)
    if (unwrap(value).type === 'Literal' && number !== undefined && Number.isInteger(number)) {
      this.#list.add('boundary', value, String(number + 1))
    }
  }

  /** In the condition of a loop only the boundary is mutated, because other changes can make it endless. */
  limits(test: Node, counted: boolean): void {
    const node = unwrap(test)
    if (node.type === 'LogicalExpression') {
      this.limits(node.left, counted)
      this.limits(node.right, counted)
    } else if (node.type === 'BinaryExpression') {
      const loose = strictness[node.operator]
      if (loose && (counted || node.operator.endsWith('='))) this.operator('boundary', node, loose)
    }
  }

  operator(operator: MutationOperator, node: Operation, replacement: string): void {
    const at = this.#operatorOf(node)
    // `a+-b` would become `a--b`.
    const glued = /[-+*/<>=&|]/.test(this.#list.source[at.end] ?? '')
    this.#list.add(operator, at, glued ? `${replacement} ` : replacement, node)
  }

  /** Parentheses are not nodes, so there can be parentheses and comments between an operand and its operator. */
  #operatorOf({ left, right, operator }: Operation): Span {
    const between = this.#list.text({ start: left.end, end: right.start })
    const [before = ''] = /^(?:[\s)]|\/\/.*|\/\*[^]*?\*\/)*/.exec(between) ?? []
    const start = left.end + before.length
    return { start, end: start + operator.length }
  }
}
