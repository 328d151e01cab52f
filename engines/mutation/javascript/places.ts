import type { Node } from 'oxc-parser'
import { forEachChild } from '../../parsing/javascript/syntax.ts'
import type { Span } from '../mutant-list.ts'
import { functionBody, isFunction, loopBody, mayTakeName, type Target, targetOf } from './targets.ts'

/** Code that another form of it can replace while the program runs. */
export interface Host extends Span {
  /** A body is between its braces. A statement is an expression whose value nothing uses. */
  kind: 'body' | 'expression' | 'statement'
  /** Where code can be added that runs first: after the directives of a body. */
  entry: number
  /** Its loops, without those of inner functions. */
  loops: Loop[]
}

export interface Loop extends Span {
  body: Span
  isBlock: boolean
}

/** A statement of a host. Code can be added before one of a list; another one needs braces for that. */
export interface Statement extends Span {
  isListed: boolean
}

export interface Place {
  host: Host
  /** The innermost statement around the span; null in an expression. */
  statement: Statement | null
  /** The smallest code around the span that another form of it can replace; null if only the whole host can be. */
  target: Target | null
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
      if (around && child === loopBody(node)) {
        const { start, end } = node
        around.host.loops.push({ start, end, body: child, isBlock: child.type === 'BlockStatement' })
      }
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

export const contains = (outer: Span, inner: Span | undefined) =>
  inner !== undefined && inner.start >= outer.start && inner.end <= outer.end

function placeOf(child: Node, parent: Node, around: Place | null): Place | null {
  if (child === functionBody(parent)) return { host: hostOf(child), statement: null, target: null }
  if (around) {
    const statement = statementOf(child, parent)
    const target = targetOf(child, parent, statement !== null)
    if (!statement && !target) return around
    return { host: around.host, statement: statement ?? around.statement, target: target ?? around.target }
  }
  switch (parent.type) {
    case 'AssignmentPattern':
      return child === parent.right ? valueOf(child) : null
    case 'PropertyDefinition':
      return child === parent.value ? valueOf(child) : null
    case 'VariableDeclarator':
      return child === parent.init ? valueOf(child) : null
    case 'ExpressionStatement':
      return { host: { ...hostOf(child), kind: 'statement' }, statement: null, target: null }
    default:
      return null
  }
}

const valueOf = (node: Node): Place | null =>
  mayTakeName(node) ? null : { host: hostOf(node), statement: null, target: null }

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
    case 'StaticBlock':
      return { start, end, isListed: true }
    case 'SwitchCase':
      return parent.test === child ? null : { start, end, isListed: true }
    case 'IfStatement':
      return parent.test === child || child.type === 'BlockStatement' ? null : { start, end, isListed: false }
    default:
      return loopBody(parent) === child && child.type !== 'BlockStatement' ? { start, end, isListed: false } : null
  }
}
