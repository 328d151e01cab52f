import type { Node } from 'oxc-parser'
import { unwrap } from '../../parsing/javascript/syntax.ts'
import type { Span } from '../mutant-list.ts'

/** A part of a function that another form of it can replace while the program runs. */
export interface Target extends Span {
  isStatement: boolean
}

/** Returns the child as a target if its place allows another form of it. */
export function targetOf(child: Node, parent: Node, isStatement: boolean): Target | null {
  const { start, end } = child
  if (isReplaceable(child, parent)) return { start, end, isStatement: false }
  return isStatement && keepsItsNames(child) ? { start, end, isStatement: true } : null
}

/** Whether the child is a whole expression whose value is all that matters. */
function isReplaceable(child: Node, parent: Node): boolean {
  switch (parent.type) {
    case 'IfStatement':
    case 'WhileStatement':
    case 'DoWhileStatement':
    case 'ConditionalExpression':
    case 'SwitchCase':
      return child === parent.test
    case 'ForStatement':
      if (child === parent.init) return child.type !== 'VariableDeclaration'
      return child === parent.test || child === parent.update
    case 'ForInStatement':
    case 'ForOfStatement':
      return child === parent.right
    case 'SwitchStatement':
      return child === parent.discriminant
    case 'VariableDeclarator':
      return child === parent.init && !mayTakeName(child)
    case 'AssignmentPattern':
      return child === parent.right && !mayTakeName(child)
    case 'PropertyDefinition':
      return child === parent.value && !mayTakeName(child)
    default:
      return false
  }
}

/** Whether the code after a statement sees the same names if the statement is in a block. */
function keepsItsNames(node: Node): boolean {
  if (node.type === 'VariableDeclaration') return node.kind === 'var'
  // Compilers search the statements of a constructor for the call of `super`, to initialize properties after it.
  if (node.type === 'ExpressionStatement' && node.expression.type === 'CallExpression') {
    return node.expression.callee.type !== 'Super'
  }
  return node.type.endsWith('Statement')
}

/** Functions and classes without a name take that of the variable or property that they are assigned to. */
export function mayTakeName(node: Node): boolean {
  const value = unwrap(node)
  return isFunction(value) || /^Class(?:Expression|Declaration)$/.test(value.type)
}

export const isFunction = ({ type }: Node): boolean =>
  /^(?:Function|ArrowFunction)(?:Expression|Declaration)$/.test(type)

export function functionBody(node: Node): Node | null {
  switch (node.type) {
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return node.body
    default:
      return null
  }
}

export function loopBody(node: Node): Node | null {
  switch (node.type) {
    case 'ForStatement':
    case 'ForInStatement':
    case 'ForOfStatement':
    case 'WhileStatement':
    case 'DoWhileStatement':
      return node.body
    default:
      return null
  }
}
