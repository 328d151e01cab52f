import { child, namedChildren, nodesOf, type SyntaxNode, unwrap } from '../../parsing/syntax-tree.ts'
import type { MutantList } from '../mutant-list.ts'
import { nextTo, opposite, strictness } from '../operators.ts'
import { writtenNumber } from './values.ts'

/** Mutates single operators and numbers, unless the change makes no difference. */
export class GoChanges {
  readonly #list: MutantList

  constructor(list: MutantList) {
    this.#list = list
  }

  readonly #text = (node: SyntaxNode): string => this.#list.text(node)

  /** In the condition of a loop only the boundary is mutated, because other changes can make it endless. */
  limits(raw: SyntaxNode, counted: boolean): void {
    const node = unwrap(raw)
    const operator = child(node, 'operator')
    if (node.type !== 'binary_expression' || !operator) return
    if (operator.type === '&&' || operator.type === '||')
      for (const side of namedChildren(node)) this.limits(side, counted)
    const loose = strictness[operator.type]
    if (loose && (counted || operator.type.endsWith('='))) this.#list.add('boundary', operator, loose, node)
  }

  countsUpTo(test: SyntaxNode, body: SyntaxNode): boolean {
    const names = this.names(test)
    return [...nodesOf(body)].some((node) => {
      const [target] = namedChildren(node)
      const steps = /^(?:inc|dec)_statement$/.test(node.type) || /^[+-]=$/.test(child(node, 'operator')?.type ?? '')
      return steps && target !== undefined && names.includes(this.#text(target))
    })
  }

  swap(node: SyntaxNode, operator: SyntaxNode): void {
    // `x != 1 || x != 2` is always true, and `go vet`, which runs before tests, rejects it.
    const [left = [], right = []] = namedChildren(node).map((side) => this.#compared(side))
    if (left.some((one) => right.includes(one))) return
    this.#list.add('condition', operator, operator.type === '&&' ? '||' : '&&', node)
  }

  /** Returns the left operands of comparisons that are joined by `&&` and `||`. */
  #compared(raw: SyntaxNode): string[] {
    const node = unwrap(raw)
    const left = child(node, 'left')
    if (!left) return []
    if (this.isComparison(node)) return [this.#text(left)]
    return namedChildren(node).flatMap((side) => this.#compared(side))
  }

  isComparison(node: SyntaxNode): boolean {
    return opposite[child(unwrap(node), 'operator')?.type ?? ''] !== undefined
  }

  isParity(raw: SyntaxNode): boolean {
    const node = unwrap(raw)
    if (!['%', '&'].includes(child(node, 'operator')?.type ?? '')) return false
    return (writtenNumber(child(node, 'right'), this.#text) ?? 9) <= 2
  }

  /** Mutates a number in a comparison. */
  equal(node: SyntaxNode): void {
    const number = writtenNumber(node, this.#text)
    if (number !== undefined && number < 127) this.#list.add('boundary', node, String(number + 1))
  }

  place(node: SyntaxNode | undefined): void {
    const number = writtenNumber(node, this.#text)
    if (node && number !== undefined && number >= 0) this.#list.add('boundary', node, String(nextTo(number)))
  }

  names(node: SyntaxNode): string[] {
    return [...nodesOf(node)].filter((part) => part.type.endsWith('identifier')).map((part) => this.#text(part))
  }

  /** Matches `if a > best { best = a }`, whose result is the same for equal values. */
  isUpdateToLarger(node: SyntaxNode, test: SyntaxNode): boolean {
    const compared = namedChildren(unwrap(test)).map(this.#text)
    const block = child(node, 'consequence')
    const statements = block
      ? namedChildren(block).flatMap((part) => (part.type === 'statement_list' ? namedChildren(part) : [part]))
      : []
    const [only] = statements
    if (statements.length !== 1 || only?.type !== 'assignment_statement' || child(node, 'alternative')) return false
    return ['left', 'right'].every((side) => compared.includes(this.#text(child(only, side) ?? only)))
  }
}
