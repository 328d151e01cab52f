import type { Node } from 'oxc-parser'
import { forEachChild } from '../../parsing/javascript/syntax.ts'
import type { Span } from '../mutant-list.ts'

/** Code that another form of it can replace while the program runs. */
export interface Host extends Span {
  /** A body is between its braces. A statement is an expression whose value nothing uses. */
  kind: 'body' | 'expression' | 'statement'
  /** The body of a function that is neither asynchronous nor a generator. */
  isPlain?: boolean
  /** Where code can be added that runs first: after the directives of a body. */
  entry: number
  /** The bodies of its loops, without those of inner functions. */
  loops: { body: Span; isBlock: boolean }[]
}

/** A statement of a host. Code can be added before one of a list; another one needs braces for that. */
interface Statement extends Span {
  isListed: boolean
}

export interface Place {
  host: Host
  /** The innermost statement around the span; null in an expression. */
  statement: Statement | null
}

/** Returns the place of each span, or null for code that nothing can replace while the program runs. */
export function placesOf(program: Node, spans: readonly Span[]): (Place | null)[] {
  const places = spans.map((): Place | null => null)
  const found = (inside: readonly number[], place: Place | null) => {
    for (const index of inside) places[index] = place
  }
  const walk = (node: Node, around: Place | null, inside: readonly number[]): void => {
    forEachChild(node, (child) => {
      const within = inside.filter((index) => contains(child, spans[index]))
      const body = loopBody(node)
      if (around && body === child) around.host.loops.push({ body: child, isBlock: child.type === 'BlockStatement' })
      // The loops of a host matter even where no span is.
      if (within.length === 0 && (!around || isFunction(child))) return
      const place = placeOf(child, node, around)
      found(within, place)
      walk(child, place, within)
    })
  }
  walk(program, null, [...spans.keys()])
  return places
}

const contains = (outer: Span, inner: Span | undefined) =>
  inner !== undefined && inner.start >= outer.start && inner.end <= outer.end

const isFunction = ({ type }: Node) => /^(?:Function|ArrowFunction)(?:Expression|Declaration)$/.test(type)
const isFunctionOrClass = (node: Node) => isFunction(node) || /^Class(?:Expression|Declaration)$/.test(node.type)

function loopBody(node: Node): Node | null {
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

function placeOf(child: Node, parent: Node, around: Place | null): Place | null {
  switch (parent.type) {
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      if (child === parent.body) {
        return { host: { ...hostOf(child), isPlain: !parent.async && !parent.generator }, statement: null }
      }
      return around
    case 'AssignmentPattern':
      // The default of a parameter, if it is not within a body.
      return around ?? (child === parent.right ? valueOf(child) : null)
    case 'PropertyDefinition':
      return around ?? (child === parent.value ? valueOf(child) : null)
    case 'VariableDeclarator':
      return around ?? (child === parent.init ? valueOf(child) : null)
    case 'ExpressionStatement':
      return around ?? { host: { ...hostOf(child), kind: 'statement' }, statement: null }
    default:
      return around && { host: around.host, statement: statementOf(child, parent) ?? around.statement }
  }
}

const valueOf = (node: Node): Place | null => (isFunctionOrClass(node) ? null : { host: hostOf(node), statement: null })

function hostOf(node: Node): Host {
  if (node.type !== 'BlockStatement') {
    return { kind: 'expression', start: node.start, end: node.end, entry: node.start, loops: [] }
  }
  const directive = lastDirective(node.body)
  const start = node.start + 1
  return { kind: 'body', start, end: node.end - 1, entry: directive?.end ?? start, loops: [] }
}

/** The last of the directives, such as `'use strict'`, that begin a body or program. */
export const lastDirective = (body: readonly Node[]): Node | undefined =>
  body.findLast((one) => one.type === 'ExpressionStatement' && typeof one.directive === 'string')

function statementOf(child: Node, parent: Node): Statement | null {
  const { start, end } = child
  switch (parent.type) {
    case 'BlockStatement':
      return { start, end, isListed: true }
    case 'SwitchCase':
      return parent.test === child ? null : { start, end, isListed: true }
    case 'IfStatement':
      return parent.test === child || child.type === 'BlockStatement' ? null : { start, end, isListed: false }
    default:
      return loopBody(parent) === child && child.type !== 'BlockStatement' ? { start, end, isListed: false } : null
  }
}
