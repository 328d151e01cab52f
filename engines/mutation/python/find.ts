import { child, namedChildren, type SyntaxNode, unwrap } from '../../parsing/syntax-tree.ts'
import type { MutantList } from '../mutant-list.ts'
import { inverseArithmetic, inverseAssignment, isNeutral } from '../operators.ts'
import { PythonChanges } from './changes.ts'
import { calledName, isLogging, isWorthRemoving } from './calls.ts'
import { otherResult } from './returns.ts'
import { declaredKind, joinedNames, joins, type Kind, writtenNumber } from './values.ts'

interface Context {
  /** The return annotation of the enclosing function. */
  result: Kind
  /** Names in the conditions of the enclosing `while` loops. */
  steers: ReadonlySet<string>
  /** Whether the node is inside a loop without a condition. */
  endless: boolean
}

const outside: Context = { result: 'unknown', steers: new Set(), endless: false }

const untouched = new Set([
  'import_statement',
  'import_from_statement',
  'future_import_statement',
  'decorator',
  'assert_statement',
  'type',
  'type_alias_statement',
  'format_specifier',
  'global_statement',
  'nonlocal_statement',
  'comment',
])

/** Without these exceptions an iteration never ends, which says nothing about a test. */
const endsLoops = /^raise\s+Stop(?:Async)?Iteration\b/

/** Finds the mutants of one module. */
export class PythonFinder {
  readonly #list: MutantList
  readonly #changes: PythonChanges
  readonly #joined: ReadonlySet<string>

  constructor(list: MutantList, root: SyntaxNode) {
    this.#list = list
    this.#changes = new PythonChanges(list)
    this.#joined = joinedNames(root, this.#text)
  }

  find(root: SyntaxNode): void {
    this.#walk(root, outside)
  }

  readonly #text = (node: SyntaxNode): string => this.#list.text(node)

  #walk(node: SyntaxNode, context: Context): void {
    if (!this.#list.touches(node) || untouched.has(node.type)) return
    switch (node.type) {
      case 'function_definition': {
        const declared = child(node, 'return_type')
        return this.#children(node, { ...context, result: declaredKind(declared && this.#text(declared)) })
      }
      case 'lambda': {
        const body = child(node, 'body')
        if (body) this.#returned(body, { ...context, result: 'unknown' })
        return
      }
      case 'true':
      case 'false':
        return this.#list.add('condition', node, node.type === 'true' ? 'False' : 'True')
      case 'if_statement':
      case 'elif_clause':
        return this.#if(node, context)
      case 'conditional_expression': {
        const [then, test, otherwise] = namedChildren(node)
        if (!then || !test || !otherwise) return
        this.#condition(test, context, this.#changes.sameAtTie(test, [then, otherwise]))
        this.#walk(then, context)
        return this.#walk(otherwise, context)
      }
      case 'if_clause': {
        const [test] = namedChildren(node)
        return test && this.#condition(test, context)
      }
      case 'while_statement':
        return this.#while(node, context)
      case 'boolean_operator':
        this.#changes.swap(node)
        return this.#children(node, context)
      case 'not_operator': {
        const argument = child(node, 'argument')
        if (argument && !this.#isComparison(argument)) {
          this.#list.add('condition', { start: node.start, end: node.start }, 'not ', node)
        }
        return argument && this.#inside(argument, context)
      }
      case 'comparison_operator':
        this.#changes.comparison(node)
        return this.#children(node, context)
      case 'binary_operator':
        return this.#arithmetic(node, context)
      case 'augmented_assignment':
        return this.#augmented(node, context)
      case 'assignment': {
        const left = child(node, 'left')
        if (left && this.#changes.names(left).some((name) => context.steers.has(name))) return
        break
      }
      case 'slice':
        for (const [index, part] of this.#changes.sliceParts(node).entries())
          if (part && index < 2) this.#changes.place(part)
        break
      case 'return_statement': {
        const [value] = namedChildren(node)
        return value && this.#returned(value, context)
      }
      case 'raise_statement':
        if (!context.endless && !endsLoops.test(this.#text(node))) this.#list.add('removed_throw', node, 'pass')
        return
      case 'expression_statement':
        this.#statement(node, context)
        break
      case 'call':
        if (isLogging(node, this.#text)) return
        if (calledName(node, this.#text).join('.') === 'range') this.#changes.range(node)
    }
    this.#children(node, context)
  }

  #children(node: SyntaxNode, context: Context): void {
    for (const part of node.children) if (part.named) this.#walk(part, context)
  }

  #if(node: SyntaxNode, context: Context): void {
    const test = child(node, 'condition')
    if (test && !/\b(?:__name__|TYPE_CHECKING)\b/.test(this.#text(test))) {
      this.#condition(test, context, this.#changes.isUpdateToLarger(node, test))
    }
    for (const part of node.children) if (part !== test && part.named) this.#walk(part, context)
  }

  #while(node: SyntaxNode, context: Context): void {
    const test = child(node, 'condition')
    const body = child(node, 'body')
    if (!test || !body) return
    const endless = ['true', 'integer'].includes(unwrap(test).type)
    if (this.#list.touches(test)) {
      this.#list.add('condition', unwrap(test), 'False')
      this.#changes.limits(test, this.#changes.countsUpTo(test, body))
    }
    const steers = new Set([...context.steers, ...this.#changes.names(test)])
    this.#walk(body, { ...context, steers, endless: context.endless || endless })
    const otherwise = node.children.find((part) => part.type === 'else_clause')
    if (otherwise) this.#walk(otherwise, context)
  }

  #statement(node: SyntaxNode, { steers, endless }: Context): void {
    const [only, ...others] = namedChildren(node)
    const awaited = only?.type === 'await'
    const call = awaited ? namedChildren(only)[0] : only
    if (call?.type !== 'call' || others.length > 0 || !isWorthRemoving(call, this.#text)) return
    const callee = child(call, 'function')
    const goesOn = callee && this.#changes.names(callee).some((name) => steers.has(name))
    if (!endless && !goesOn) this.#list.add('removed_call', only ?? call, 'pass')
  }

  #returned(value: SyntaxNode, context: Context): void {
    const other = otherResult(value, context.result, this.#joined, this.#text)
    if (other !== undefined && context.result !== 'nothing') this.#list.add('return', unwrap(value), other)
    const bare = unwrap(value)
    if (bare.type !== 'true' && bare.type !== 'false') this.#walk(value, context)
  }

  /** Mutates an expression that is used as a boolean. */
  #condition(raw: SyntaxNode, context: Context, sameAtTie = false): void {
    const node = unwrap(raw)
    if (!this.#list.touches(node)) return
    switch (node.type) {
      case 'boolean_operator':
        this.#changes.swap(node)
        for (const part of namedChildren(node)) this.#condition(part, context)
        return
      case 'not_operator': {
        const argument = child(node, 'argument')
        if (!argument) return
        if (!this.#isComparison(argument)) {
          this.#list.add('condition', { start: node.start, end: argument.start }, '', node)
        }
        return this.#inside(argument, context)
      }
      case 'comparison_operator':
        this.#changes.comparison(node, sameAtTie)
        return this.#children(node, context)
      case 'true':
      case 'false':
      case 'integer':
        return this.#walk(node, context)
      default: {
        const plain = ['identifier', 'call', 'attribute', 'subscript', 'await'].includes(node.type)
        const text = this.#text(node)
        this.#list.add('condition', node, plain ? `not ${text}` : `not (${text})`)
        this.#walk(node, context)
      }
    }
  }

  /** The operand of a `not`, which was already mutated. */
  #inside(argument: SyntaxNode, context: Context): void {
    const node = unwrap(argument)
    if (['boolean_operator', 'comparison_operator'].includes(node.type)) this.#condition(node, context)
    else if (node.type === 'not_operator') for (const part of namedChildren(node)) this.#walk(part, context)
    else this.#walk(node, context)
  }

  #isComparison(node: SyntaxNode): boolean {
    return unwrap(node).type === 'comparison_operator'
  }

  #arithmetic(node: SyntaxNode, context: Context): void {
    const operator = child(node, 'operator')
    const [left, right] = [child(node, 'left'), child(node, 'right')]
    if (!operator || !left || !right) return
    const other = inverseArithmetic[operator.type]
    const joined = /^[+*%]$/.test(operator.type) && joins(node, this.#joined, this.#text)
    const number = writtenNumber(right, this.#text)
    const clock = [left, right].some((side) => /^(?:time|datetime\w*)\.[\w.]+\(\)$/.test(this.#text(side)))
    if (other && !joined && !clock && !isNeutral(operator.type, number)) {
      this.#list.add('arithmetic', operator, other, node)
    }
    if (joined) return this.#joinedParts(node, context)
    for (const side of [left, right]) this.#walk(side, context)
  }

  /** In `a + b + 'text'` every `+` joins texts. */
  #joinedParts(node: SyntaxNode, context: Context): void {
    for (const side of [child(node, 'left'), child(node, 'right')]) {
      if (!side) continue
      const part = unwrap(side)
      const joins = part.type === 'binary_operator' && /^[+*%]$/.test(child(part, 'operator')?.type ?? '')
      if (joins) this.#joinedParts(part, context)
      else this.#walk(side, context)
    }
  }

  #augmented(node: SyntaxNode, { steers, endless, ...context }: Context): void {
    const operator = child(node, 'operator')
    const [left, right] = [child(node, 'left'), child(node, 'right')]
    if (!operator || !left || !right) return
    if (endless || this.#changes.names(left).some((name) => steers.has(name))) return
    const other = inverseAssignment[operator.type]
    const joined = [left, right].some((side) => joins(side, this.#joined, this.#text))
    const number = writtenNumber(right, this.#text)
    if (other && !joined && !isNeutral(operator.type, number)) this.#list.add('arithmetic', operator, other, node)
    this.#walk(right, { ...context, steers, endless })
  }
}
