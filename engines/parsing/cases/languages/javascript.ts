import type { SourceTree } from '../../description/source-tree.ts'
import { child, type SyntaxNode } from '../../syntax-tree.ts'
import { type CaseLanguage, climb, type Construct, type Ending, type Span } from '../construct.ts'
import { resultText, thrown } from '../text.ts'

/** ESTree, in which operators are no nodes: they are read from the text between the operands. */
export const javaScript: CaseLanguage = {
  blocks: new Set(['BlockStatement', 'SwitchCase', 'Program', 'StaticBlock']),
  wrappers: new Set(['ParenthesizedExpression']),
  functions: new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']),
  not: '!',
  countsValues: true,
  countsOperands: true,
  constructs,
  ending,
  isReturned,
}

const transparent = new Set([
  'AwaitExpression',
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'ConditionalExpression',
  'ParenthesizedExpression',
])

function isReturned(node: SyntaxNode): boolean {
  return climb(node, (inner, parent) => {
    if (parent.type === 'ReturnStatement') return true
    if (parent.type === 'ArrowFunctionExpression') return inner.field === 'body' && inner.type !== 'BlockStatement'
    if (transparent.has(parent.type) && inner.field !== 'test') return undefined
    return false
  })
}

function constructs(node: SyntaxNode, tree: SourceTree): readonly Construct[] {
  switch (node.type) {
    case 'IfStatement':
    case 'ConditionalExpression': {
      const test = child(node, 'test')
      const otherwise = child(node, 'alternate')
      if (!test) return []
      return [
        {
          kind: 'choice',
          test,
          onTrue: child(node, 'consequent') ?? null,
          onFalse: otherwise?.type === 'IfStatement' ? 'chained' : (otherwise ?? null),
          isValue: node.type === 'ConditionalExpression',
        },
      ]
    }
    case 'LogicalExpression':
      return logical(node, tree)
    case 'AssignmentExpression': {
      const operator = between(child(node, 'left'), child(node, 'right'), tree)
      const left = child(node, 'left')
      const right = child(node, 'right')
      if (!left || !right || (operator !== '??=' && operator !== '||=')) return []
      return [{ kind: 'fallback', value: left, state: stateOf(operator), instead: right }]
    }
    case 'AssignmentPattern': {
      const left = child(node, 'left')
      const right = child(node, 'right')
      if (!left || !right) return []
      const { parent } = node
      const body = node.field === 'params' && parent ? child(parent, 'body') : undefined
      return [{ kind: 'parameter', name: withoutType(left), state: 'is undefined', instead: right, body }]
    }
    case 'MemberExpression':
    case 'CallExpression':
      return [...missing(node, tree), ...calls(node, tree)]
    case 'SwitchStatement': {
      const subject = child(node, 'discriminant')
      if (!subject) return []
      const arms = node.children
        .filter(({ type }) => type === 'SwitchCase')
        .map((arm) => {
          const test = child(arm, 'test')
          const body = arm.children.filter(({ field }) => field === 'consequent')
          const header = { start: arm.start, end: test?.end ?? arm.start + 'default'.length }
          return { node: arm, header, body, isDefault: !test, falls: true }
        })
      return [
        { kind: 'switch', head: { start: node.start, end: closing(subject.end, tree) }, arms, without: 'nothing' },
      ]
    }
    case 'ForOfStatement':
    case 'ForInStatement': {
      const over = child(node, 'right')
      return over ? [{ kind: 'loop', over, body: child(node, 'body') }] : []
    }
    case 'ForStatement':
    case 'WhileStatement': {
      const test = child(node, 'test')
      if (!test || /^(?:true|1)$/.test(tree.text(test))) return []
      return [{ kind: 'loop', test, body: child(node, 'body') }]
    }
    case 'TryStatement': {
      const tried = child(node, 'block')
      const handler = child(node, 'handler')
      const body = handler && child(handler, 'body')
      if (!tried || !body) return []
      return [{ kind: 'handlers', tried, handlers: [{ header: upTo(handler, body, tree), body }] }]
    }
    default:
      return []
  }
}

/** Nodes in which a value only counts as true or false. */
const tests = new Set(['IfStatement', 'WhileStatement', 'DoWhileStatement', 'ForStatement', 'ConditionalExpression'])

function logical(node: SyntaxNode, tree: SourceTree): readonly Construct[] {
  const left = child(node, 'left')
  const right = child(node, 'right')
  if (!left || !right) return []
  const operator = between(left, right, tree)
  if (operator === '??') return [{ kind: 'fallback', value: left, state: stateOf(operator), instead: right }]
  const { parent } = node
  if (operator === '||') {
    const isTest = climb(node, (inner, outer) => {
      if (outer.type === 'LogicalExpression' || outer.type === 'ParenthesizedExpression') return undefined
      if (outer.type === 'UnaryExpression') return true
      return tests.has(outer.type) && inner.field === 'test'
    })
    return isTest ? [] : [{ kind: 'fallback', value: left, state: stateOf(operator), instead: right }]
  }
  if (operator !== '&&') return []
  if (parent?.type === 'ExpressionStatement' || parent?.type === 'JSXExpressionContainer') {
    return [{ kind: 'choice', test: left, onTrue: right, onFalse: null, isValue: true }]
  }
  if (!isReturned(node)) return []
  return [{ kind: 'short-circuit', test: left, isAnd: true, result: resultText(tree.text(left)) }]
}

const stateOf = (operator: string): string => (operator.startsWith('??') ? 'is null or undefined' : 'is falsy')

/** `a?.b` and `a?.()`. */
function missing(node: SyntaxNode, tree: SourceTree): Construct[] {
  const value = child(node, 'object') ?? child(node, 'callee')
  if (!value || !isOptional(node, value, tree)) return []
  // The rest of a chain gives the same result, and a default after it another one.
  let whole = node
  const isPart = climb(node, (inner, parent) => {
    whole = inner
    if (inner.field === 'object' || inner.field === 'callee') return isOptional(parent, inner, tree) ? true : undefined
    if (parent.type === 'ChainExpression' || parent.type === 'AwaitExpression') return undefined
    if (parent.type !== 'LogicalExpression' || inner.field !== 'left') return false
    return between(inner, child(parent, 'right'), tree) !== '&&'
  })
  if (isPart) return []
  return [{ kind: 'missing', value, state: 'is null or undefined', result: 'undefined', whole }]
}

const isOptional = (node: SyntaxNode, value: SyntaxNode, tree: SourceTree): boolean =>
  /^\s*\?\./.test(tree.text({ start: value.end, end: Math.min(node.end, value.end + 40) }))

const guards = /^(?:assert(?:\.ok|\.equal|\.strictEqual)?|invariant|tiny[iI]nvariant|nullthrows)$/

function calls(node: SyntaxNode, tree: SourceTree): Construct[] {
  const callee = child(node, 'callee')
  if (!callee || callee.end - callee.start > 200) {
    const property = callee && child(callee, 'property')
    const object = callee && child(callee, 'object')
    return property && object && tree.text(property) === 'catch' ? rejection(node, object, tree) : []
  }
  const property = child(callee, 'property')
  const object = child(callee, 'object')
  if (property && object && callee.end - property.end === 0 && tree.text(property) === 'catch')
    return rejection(node, object, tree)
  const name = tree.text(callee)
  if (!guards.test(name)) return []
  const [test, message] = node.children.filter(({ field }) => field === 'arguments')
  if (!test) return []
  if (name === 'assert.equal' || name === 'assert.strictEqual') {
    return [{ kind: 'guard', test: node, state: 'fails', result: 'AssertionError' }]
  }
  if (name === 'nullthrows') return [{ kind: 'guard', test, state: 'is null or undefined', result: 'Error' }]
  const isText = message && /^(?:Literal|TemplateLiteral)$/.test(message.type)
  const type = name.startsWith('assert') ? 'AssertionError' : 'Error'
  return [{ kind: 'guard', test, result: thrown(type, isText ? tree.text(message) : undefined) }]
}

function rejection(node: SyntaxNode, value: SyntaxNode, tree: SourceTree): Construct[] {
  if (!isPromise(node, value, tree)) return []
  const [handler] = node.children.filter(({ field }) => field === 'arguments')
  const body = handler && child(handler, 'body')
  return body ? [{ kind: 'rejection', value, handler: body }] : []
}

/** Other objects have a method of this name, too, such as the schemas of zod. */
function isPromise(node: SyntaxNode, value: SyntaxNode, tree: SourceTree): boolean {
  const text = tree.text({ start: value.start, end: Math.min(value.end, value.start + 2_000) })
  if (/^(?:fetch|import|Promise\b[\w.]*)\s*\(|\.then\s*\(/.test(text)) return true
  if (/^z(?:od)?\b/.test(text)) return false
  return climb(node, (inner, parent) => {
    if (inner.field === 'object' || inner.field === 'callee' || parent.type === 'ChainExpression') return undefined
    if (parent.type === 'UnaryExpression') return tree.source.startsWith('void', parent.start)
    if (parent.type === 'AwaitExpression' || parent.type === 'ExpressionStatement') return true
    return isReturned(inner)
  })
}

function ending(node: SyntaxNode, tree: SourceTree): Ending | undefined {
  switch (node.type) {
    case 'ReturnStatement': {
      const [value] = node.children
      if (!value) return { outcome: 'early_return' }
      const text = tree.text(value)
      const isError = /^(?:reject\b|Promise\.reject\b|new \w*Error\b)/.test(text.slice(0, 80))
      return { outcome: 'returns', result: resultText(text), isError }
    }
    case 'ThrowStatement': {
      const [value] = node.children
      return { outcome: 'throws', ...(value && { result: thrownText(value, tree) }) }
    }
    case 'ContinueStatement':
    case 'BreakStatement':
      return { outcome: 'early_return', result: resultText(tree.text(node).replace(/;$/, '')) }
    default:
      return undefined
  }
}

function thrownText(value: SyntaxNode, tree: SourceTree): string {
  const callee = child(value, 'callee')
  if (value.type !== 'NewExpression' || !callee) return resultText(tree.text(value))
  const [message] = value.children.filter(({ field }) => field === 'arguments')
  const isText = message && /^(?:Literal|TemplateLiteral)$/.test(message.type) && /^["'`]/.test(tree.text(message))
  return thrown(tree.text(callee), isText ? tree.text(message) : undefined)
}

/** The text between two nodes without space, comments and parentheses: an operator. */
function between(left: SyntaxNode | undefined, right: SyntaxNode | undefined, tree: SourceTree): string {
  if (!left || !right) return ''
  const text = tree.source.slice(left.end, Math.min(right.start, left.end + 1_000))
  return /(\?\?=|\|\|=|&&=|\?\?|\|\||&&)/.exec(text.replace(/\/\*[^*]*\*\/|\/\/[^\n]*/g, ''))?.[1] ?? ''
}

function withoutType(node: SyntaxNode): Span {
  const type = node.children.find(({ field }) => field === 'typeAnnotation')
  return { start: node.start, end: type?.start ?? node.end }
}

function upTo(node: SyntaxNode, body: SyntaxNode, tree: SourceTree): Span {
  return { start: node.start, end: node.start + tree.source.slice(node.start, body.start).trimEnd().length }
}

/** The end of the parentheses around a subject. */
function closing(end: number, tree: SourceTree): number {
  return tree.source[end] === ')' ? end + 1 : end
}
