import type { MutationOperator } from '../schema.ts'
import { child, namedChildren, type SyntaxNode, unwrap } from '../../parsing/syntax-tree.ts'
import type { MutantList } from '../mutant-list.ts'
import { inverseArithmetic, inverseAssignment, isNeutral, opposite, strictness } from '../operators.ts'
import { GoChanges } from './changes.ts'
import { isWorthRemoving, tellsPeople } from './calls.ts'
import { Uses } from './uses.ts'
import { joinedNames, joins, otherResult, resultTypes, writtenNumber, zeroOf } from './values.ts'

interface Context {
  /** The result types of the enclosing function. */
  results: readonly SyntaxNode[]
  /** Names in the conditions of the enclosing loops. */
  steers: ReadonlySet<string>
  /** Whether the node is inside a loop without a condition. */
  endless: boolean
}

const outside: Context = { results: [], steers: new Set(), endless: false }

const untouched = new Set(['package_clause', 'import_declaration', 'const_declaration', 'type_declaration', 'comment'])

/** Finds the mutants of one file. Nearly all of them compile. */
export class GoFinder {
  readonly #list: MutantList
  readonly #root: SyntaxNode
  readonly #changes: GoChanges
  readonly #uses: Uses
  readonly #joined: ReadonlySet<string>

  constructor(list: MutantList, root: SyntaxNode) {
    this.#list = list
    this.#root = root
    this.#changes = new GoChanges(list)
    this.#uses = new Uses(root, this.#text)
    this.#joined = joinedNames(root, this.#text)
  }

  find(): void {
    this.#walk(this.#root, outside)
  }

  readonly #text = (node: SyntaxNode): string => this.#list.text(node)

  #walk(node: SyntaxNode, context: Context): void {
    if (!this.#list.touches(node) || untouched.has(node.type)) return
    switch (node.type) {
      case 'function_declaration':
      case 'method_declaration':
      case 'func_literal': {
        const body = child(node, 'body')
        return body && this.#walk(body, { ...context, results: resultTypes(node) })
      }
      case 'true':
      case 'false':
        return this.#list.add('condition', node, node.type === 'true' ? 'false' : 'true')
      case 'if_statement': {
        const test = child(node, 'condition')
        if (test) this.#condition(test, context, this.#changes.isUpdateToLarger(node, test))
        for (const part of node.children) if (part !== test && part.named) this.#walk(part, context)
        return
      }
      case 'for_statement':
        return this.#for(node, context)
      case 'binary_expression':
        return this.#binary(node, context)
      case 'unary_expression': {
        const argument = child(node, 'operand')
        if (!argument || child(node, 'operator')?.type !== '!') break
        if (!this.#changes.isComparison(argument))
          this.#list.add('condition', { start: node.start, end: node.start }, '!', node)
        return this.#inside(argument, context)
      }
      case 'inc_statement':
      case 'dec_statement': {
        const at = { start: node.end - 2, end: node.end }
        const other = node.type === 'inc_statement' ? '--' : '++'
        if (this.#mayStep(node, context)) this.#list.add('arithmetic', at, other, node)
        return
      }
      case 'assignment_statement':
        return this.#assignment(node, context)
      case 'slice_expression':
        this.#slice(node)
        break
      case 'return_statement':
        return this.#returned(node, context)
      case 'expression_statement':
        this.#statement(node, context)
        break
      case 'call_expression':
        if (tellsPeople(node, this.#text)) return
    }
    this.#children(node, context)
  }

  #children(node: SyntaxNode, context: Context): void {
    for (const part of node.children) if (part.named) this.#walk(part, context)
  }

  #for(node: SyntaxNode, context: Context): void {
    const [head] = namedChildren(node)
    const body = child(node, 'body')
    if (!head || !body) return
    const test = head.type === 'for_clause' ? child(head, 'condition') : head
    const counted = head.type === 'for_clause' && child(head, 'update') !== undefined
    const initializer = child(head, 'initializer')
    if (head === body || !test || head.type === 'range_clause') {
      if (head.type === 'range_clause') this.#children(head, context)
      return this.#walk(body, { ...context, endless: context.endless || head.type !== 'range_clause' })
    }
    if (this.#list.touches(test) && test.type !== 'false') {
      this.#replace('condition', test, 'false')
      this.#changes.limits(test, counted || this.#changes.countsUpTo(test, body))
    }
    if (initializer) {
      if (test.type === 'binary_expression') this.#start(initializer)
      this.#walk(initializer, context)
    }
    this.#walk(body, { ...context, steers: new Set([...context.steers, ...this.#changes.names(test)]) })
  }

  #start(initializer: SyntaxNode): void {
    const values = child(initializer, 'right')
    for (const value of values ? namedChildren(values) : []) this.#changes.place(value)
  }

  #slice(node: SyntaxNode): void {
    const [start, end] = [child(node, 'start'), child(node, 'end')]
    // `s[1:0]` does not compile.
    if (!end || writtenNumber(end, this.#text) === undefined) this.#changes.place(start)
    this.#changes.place(end)
  }

  #assignment(node: SyntaxNode, context: Context): void {
    const [left, right] = [child(node, 'left'), child(node, 'right')]
    const operator = child(node, 'operator')
    if (!left || !right || !operator) return
    const names = this.#changes.names(left)
    const goesOn = operator.type !== '=' || this.#changes.names(right).some((name) => names.includes(name))
    if (!this.#mayStep(left, { ...context, endless: context.endless && goesOn })) return
    const other = inverseAssignment[operator.type]
    const joined = namedChildren(left)
      .concat(namedChildren(right))
      .some((side) => joins(side, this.#joined, this.#text))
    const number = writtenNumber(namedChildren(right)[0], this.#text)
    if (other && !joined && !isNeutral(operator.type, number)) this.#list.add('arithmetic', operator, other, node)
    this.#walk(right, context)
  }

  #statement(node: SyntaxNode, { steers, endless }: Context): void {
    const [call] = namedChildren(node)
    if (call?.type !== 'call_expression' || endless || !isWorthRemoving(call, this.#text)) return
    const called = child(call, 'function')
    if (called && this.#changes.names(called).some((name) => steers.has(name))) return
    const lost = this.#uses.lastIn(node)
    const kept = lost.length === 0 ? '' : `${lost.map(() => '_').join(', ')} = ${lost.join(', ')}`
    this.#list.add('removed_call', node, kept)
  }

  #returned(node: SyntaxNode, context: Context): void {
    const { results } = context
    const [list] = namedChildren(node)
    const values = list ? namedChildren(list) : []
    const [first] = values
    if (list && values.length === 1 && first?.type === 'call_expression' && results.length > 1) {
      this.#replace('return', list, results.map((type) => zeroOf(type, this.#text)).join(', '))
    }
    const last = results.at(-1)
    const fails =
      values.length > 1 && last !== undefined && this.#text(last) === 'error' && values.at(-1)?.type !== 'nil'
    for (const [index, value] of values.entries()) {
      const type = results[index]
      // Callers ignore the other values if there is an error.
      const matters = values.length === results.length && (!fails || index === values.length - 1)
      const other = matters && type ? otherResult(value, type, this.#text) : undefined
      if (other !== undefined) this.#replace('return', unwrap(value), other)
      const bare = unwrap(value)
      const text = type !== undefined && this.#text(type) === 'string' && child(bare, 'operator')?.type === '+'
      if (text) this.#joinedParts(bare, context)
      else if (bare.type !== 'true' && bare.type !== 'false') this.#walk(value, context)
    }
  }

  /** Adds the mutant unless it would leave a name unused. */
  #replace(operator: MutationOperator, node: SyntaxNode, replacement: string): void {
    const kept = replacement.includes(this.#text(node))
    if (kept || this.#uses.lastIn(node).length === 0) this.#list.add(operator, node, replacement)
  }

  /** Mutates a boolean expression. */
  #condition(raw: SyntaxNode, context: Context, sameAtTie = false): void {
    const node = unwrap(raw)
    const operator = child(node, 'operator')
    if (node.type === 'binary_expression' && operator && /^(?:&&|\|\|)$/.test(operator.type)) {
      this.#changes.swap(node, operator)
      for (const side of namedChildren(node)) this.#condition(side, context)
    } else if (node.type === 'binary_expression') {
      this.#binary(node, context, sameAtTie)
    } else if (node.type === 'unary_expression' && operator?.type === '!') {
      const argument = child(node, 'operand')
      if (!argument) return
      if (!this.#changes.isComparison(argument)) {
        this.#list.add('condition', { start: node.start, end: argument.start }, '', node)
      }
      this.#inside(argument, context)
    } else {
      if (node.type !== 'true' && node.type !== 'false') this.#list.add('condition', node, `!${this.#text(node)}`)
      this.#walk(node, context)
    }
  }

  /** The operand of a `!`, which was already mutated. */
  #inside(argument: SyntaxNode, context: Context): void {
    const node = unwrap(argument)
    if (node.type === 'binary_expression') this.#condition(node, context)
    else this.#walk(node, context)
  }

  #binary(node: SyntaxNode, context: Context, sameAtTie = false): void {
    const operator = child(node, 'operator')
    const [left, right] = [child(node, 'left'), child(node, 'right')]
    if (!operator || !left || !right) return
    const [flipped, loose] = [opposite[operator.type], strictness[operator.type]]
    if (/^(?:&&|\|\|)$/.test(operator.type)) this.#changes.swap(node, operator)
    if (flipped) this.#list.add('condition', operator, flipped, node)
    if (loose && !sameAtTie) this.#list.add('boundary', operator, loose, node)
    if (flipped && !loose && !this.#changes.isParity(left)) {
      for (const side of [left, right]) if (side.type === 'int_literal') this.#changes.equal(side)
    }
    const inverse = inverseArithmetic[operator.type]
    const joined = operator.type === '+' && joins(node, this.#joined, this.#text)
    if (inverse && !joined && !isNeutral(operator.type, writtenNumber(right, this.#text))) {
      this.#list.add('arithmetic', operator, inverse, node)
    }
    if (joined) return this.#joinedParts(node, context)
    for (const side of [left, right]) this.#walk(side, context)
  }

  /** In `a + b + "text"` every `+` joins texts. */
  #joinedParts(node: SyntaxNode, context: Context): void {
    for (const side of namedChildren(node)) {
      const part = unwrap(side)
      if (child(part, 'operator')?.type === '+') this.#joinedParts(part, context)
      else this.#walk(side, context)
    }
  }

  #mayStep(target: SyntaxNode, { steers, endless }: Context): boolean {
    return !endless && !this.#changes.names(target).some((name) => steers.has(name))
  }
}
