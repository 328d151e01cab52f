import type { BlockStatement, ConditionalExpression, IfStatement, Node } from 'oxc-parser'
import { forEachChild, unwrap } from '../../parsing/javascript/syntax.ts'
import { opposite, strictness } from '../operators.ts'
import { writtenNumber } from './kinds.ts'

export type BinaryExpression = Extract<Node, { type: 'BinaryExpression' }>
type Text = (node: Node) => string

export function isComparison(node: Node): boolean {
  if (node.type !== 'BinaryExpression') return false
  return opposite[node.operator] !== undefined || node.operator === 'in' || node.operator === 'instanceof'
}

/** Whether a `!` needs parentheses around the expression. */
export function needsParentheses(node: Node): boolean {
  switch (node.type) {
    case 'Identifier':
    case 'ThisExpression':
    case 'MemberExpression':
    case 'CallExpression':
    case 'ChainExpression':
    case 'AwaitExpression':
    case 'UnaryExpression':
    case 'UpdateExpression':
    case 'TemplateLiteral':
      return false
    default:
      return true
  }
}

/** Conditions that check the environment of the program. */
export const isEnvironment = (text: string): boolean => /\b(?:process\.env|import\.meta\.env)\b/.test(text)

/** Returns the names in an expression, including properties. */
export function namesIn(node: Node): string[] {
  const names: string[] = []
  const visit = (inner: Node): void => {
    if (inner.type === 'Identifier' || inner.type === 'PrivateIdentifier') names.push(inner.name)
    forEachChild(inner, visit)
  }
  visit(node)
  return names
}

/** Matches `x % 2 === 0`, where comparing with 1 instead of 0 negates the condition. */
export function isParity(raw: Node): boolean {
  const node = unwrap(raw)
  return node.type === 'BinaryExpression' && ['%', '&'].includes(node.operator) && (writtenNumber(node.right) ?? 9) <= 2
}

/** Matches elapsed time such as `Date.now() - started`, which no test can assert. */
export function isClock({ left, right }: BinaryExpression, text: Text): boolean {
  return [left, right].some((side) => /^(?:Date|performance|process\.hrtime)\b[^(]*\(\)$/.test(text(side)))
}

/** Matches `a > b ? a : b` and `if (a > b) b = a`, whose results are the same for equal values. */
export function sameAtTie(node: IfStatement | ConditionalExpression, text: Text): boolean {
  const test = unwrap(node.test)
  if (test.type !== 'BinaryExpression' || !strictness[test.operator]) return false
  const compared = [text(test.left), text(test.right)]
  if (node.type === 'ConditionalExpression') {
    const results = [text(node.consequent), text(node.alternate)]
    return results[0] !== results[1] && results.every((result) => compared.includes(result))
  }
  if (node.alternate) return false
  const body = onlyStatement(node)
  if (body.type !== 'ExpressionStatement' || body.expression.type !== 'AssignmentExpression') return false
  const { left, right, operator } = body.expression
  return operator === '=' && [left, right].every((side) => compared.includes(text(side)))
}

/**
 * Returns the guards before the last `return value` of a block whose results are the same for equal values, as in
 * `if (value < min) return min`.
 */
export function guardsSameAtTie({ body }: BlockStatement, text: Text): IfStatement[] {
  const last = body.at(-1)
  const guards: IfStatement[] = []
  if (last?.type !== 'ReturnStatement' || !last.argument) return guards
  const value = text(last.argument)
  for (const statement of body.slice(0, -1).toReversed()) {
    const returned = statement.type === 'IfStatement' && !statement.alternate ? onlyStatement(statement) : undefined
    if (statement.type !== 'IfStatement' || returned?.type !== 'ReturnStatement' || !returned.argument) break
    const test = unwrap(statement.test)
    if (test.type !== 'BinaryExpression' || !strictness[test.operator]) continue
    const compared = [text(test.left), text(test.right)]
    const results = [text(returned.argument), value]
    if (results[0] !== results[1] && results.every((result) => compared.includes(result))) guards.push(statement)
  }
  return guards
}

function onlyStatement({ consequent }: IfStatement): Node {
  const [only, ...others] = consequent.type === 'BlockStatement' ? consequent.body : [consequent]
  return only && others.length === 0 ? only : consequent
}

/** Whether a loop changes its counter by a step. Other loops can become endless at equal values. */
export function countsUpTo(test: Node, body: Node, text: Text): boolean {
  const names = namesIn(test)
  let found = false
  const visit = (node: Node): void => {
    if (node.type === 'UpdateExpression') found ||= names.includes(text(node.argument))
    if (node.type === 'AssignmentExpression' && /^[+-]=$/.test(node.operator)) found ||= names.includes(text(node.left))
    if (!found) forEachChild(node, visit)
  }
  visit(body)
  return found
}
