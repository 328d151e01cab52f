import type { Node } from 'oxc-parser'
import { forEachChild } from './syntax.ts'

interface Span {
  start: number
  end: number
}

/** What a report says of the lines of a source. */
export interface CalledLines {
  /** Whether functions begin on the line of which none was called. */
  isUncalled: (line: number) => boolean
  /** Whether one of the lines ran. */
  hasRun: (first: number, last: number) => boolean
  /** How many branches a line has, if none of them was taken, and else 0. */
  untaken: (line: number) => number
}

export interface UncalledCode {
  /** Parameters and bodies of uncalled functions, and defaults of parameters that no call needed. In order. */
  parts: readonly Span[]
  /** The lines whose only code is such a part, ascending. They ran when the function was declared. */
  lines: readonly number[]
}

type FunctionNode = Extract<Node, { type: 'FunctionDeclaration' | 'FunctionExpression' | 'ArrowFunctionExpression' }>

/** Nodes that declare and name what is in them. All others do something when they run. */
const declaring = new Set<string>([
  'Program',
  'ExportNamedDeclaration',
  'ExportDefaultDeclaration',
  'VariableDeclaration',
  'VariableDeclarator',
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
  'ClassDeclaration',
  'ClassExpression',
  'ClassBody',
  'MethodDefinition',
  'PropertyDefinition',
  'ObjectExpression',
  'Property',
  'ExpressionStatement',
  'AssignmentExpression',
  'MemberExpression',
  'ThisExpression',
  'Identifier',
  'PrivateIdentifier',
  'BlockStatement',
  'EmptyStatement',
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSTypeAssertion',
])

/** Nodes for which tools count branches, or after which V8 counts anew. */
const branching = new Set<string>([
  'IfStatement',
  'ConditionalExpression',
  'LogicalExpression',
  'SwitchStatement',
  'SwitchCase',
  'ForStatement',
  'ForInStatement',
  'ForOfStatement',
  'WhileStatement',
  'DoWhileStatement',
  'TryStatement',
  'CatchClause',
  'ChainExpression',
  'ThrowStatement',
  'BreakStatement',
  'ContinueStatement',
  'AwaitExpression',
  'YieldExpression',
])

/** Finds the code that did not run, although it is on lines that ran. */
export function uncalledCode(program: Node, lineOf: (offset: number) => number, called: CalledLines): UncalledCode {
  const finder = new UncalledFinder(lineOf, called)
  finder.walk(program)
  return finder.finish()
}

class UncalledFinder {
  readonly #lineOf: (offset: number) => number
  readonly #called: CalledLines
  readonly #parts: Span[] = []
  /** Lines with such parts, and lines on which other code begins. */
  readonly #lines = new Set<number>()
  readonly #others = new Set<number>()
  readonly #defaults = new Map<number, Span[]>()
  readonly #branches = new Set<number>()

  constructor(lineOf: (offset: number) => number, called: CalledLines) {
    this.#lineOf = lineOf
    this.#called = called
  }

  walk(node: Node): void {
    if (isFunction(node)) {
      if (this.#leave(node, ('id' in node && node.id) || node)) return
    } else if (isNamed(node)) {
      // The function of a method begins after its name.
      if (node.value && isFunction(node.value) && isMethod(node) && this.#leave(node.value, node.key)) return
      return node.value ? this.walk(node.value) : undefined
    } else if (node.type === 'CallExpression' || node.type === 'NewExpression') {
      this.#others.add(this.#lineOf(node.callee.end))
    } else if (node.type === 'AssignmentPattern') {
      const line = this.#lineOf(node.start)
      const known = this.#defaults.get(line)
      if (known) known.push(node.right)
      else this.#defaults.set(line, [node.right])
    }
    const doesMore = !declaring.has(node.type) || (node.type === 'AssignmentExpression' && node.operator !== '=')
    if (doesMore) this.#others.add(this.#lineOf(node.start))
    if (branching.has(node.type) || (node.type === 'AssignmentExpression' && /[&|?]=$/.test(node.operator)))
      this.#branches.add(this.#lineOf(node.start))
    forEachChild(node, (child) => this.walk(child))
  }

  finish(): UncalledCode {
    for (const [line, defaults] of this.#defaults)
      if (!this.#branches.has(line) && this.#called.untaken(line) === defaults.length)
        for (const part of defaults) this.#parts.push(part)
    return {
      parts: this.#parts.toSorted((a, b) => a.start - b.start),
      lines: [...this.#lines].filter((line) => !this.#others.has(line)).toSorted((a, b) => a - b),
    }
  }

  /** Leaves a function out that was not called. Returns whether it was not. */
  #leave({ params, body, end }: FunctionNode, { start }: Span): boolean {
    const line = this.#lineOf(start)
    // If code within the function ran, the report means another function.
    if (!body || !this.#called.isUncalled(line) || this.#called.hasRun(line + 1, this.#lineOf(end) - 1)) return false
    for (const part of [...params, body]) this.#parts.push(part)
    const isHere = (part: Node) => this.#lineOf(part.start) === line
    const [first] = body.type === 'BlockStatement' ? body.body : [body]
    if ((first && isHere(first)) || params.some((param) => hasDefault(param, isHere))) this.#lines.add(line)
    return true
  }
}

/** A member of a class or an object whose name is written there. */
const isNamed = (node: Node): node is Extract<Node, { type: 'Property' | 'MethodDefinition' | 'PropertyDefinition' }> =>
  !('computed' in node && node.computed) &&
  (node.type === 'Property' ||
    ((node.type === 'MethodDefinition' || node.type === 'PropertyDefinition') && node.decorators.length === 0))

const isMethod = (node: Node) =>
  node.type === 'MethodDefinition' || (node.type === 'Property' && (node.method || node.kind !== 'init'))

function hasDefault(pattern: Node, isHere: (node: Node) => boolean): boolean {
  if (pattern.type === 'AssignmentPattern' && isHere(pattern.right)) return true
  let found = false
  forEachChild(pattern, (child) => (found ||= hasDefault(child, isHere)))
  return found
}

const isFunction = (node: Node): node is FunctionNode =>
  node.type === 'FunctionDeclaration' || node.type === 'FunctionExpression' || node.type === 'ArrowFunctionExpression'
