import { child, namedChildren, nodesOf, type SyntaxNode, unwrap } from '../../parsing/syntax-tree.ts'
import type { MutantList } from '../mutant-list.ts'
import { nextTo, opposite, strictness } from '../operators.ts'
import { writtenNumber } from './values.ts'

const comparisons: Readonly<Record<string, string>> = {
  is: 'is not',
  'is not': 'is',
  in: 'not in',
  'not in': 'in',
}

/** Mutates single operators and numbers, unless the change makes no difference. */
export class PythonChanges {
  readonly #list: MutantList

  constructor(list: MutantList) {
    this.#list = list
  }

  readonly #text = (node: SyntaxNode): string => this.#list.text(node)

  swap(node: SyntaxNode): void {
    const operator = child(node, 'operator')
    if (operator) this.#list.add('condition', operator, operator.type === 'and' ? 'or' : 'and', node)
  }

  comparison(node: SyntaxNode, sameAtTie = false): void {
    const operators = node.children.filter((part) => part.field === 'operators')
    for (const operator of operators) {
      const text = this.#text(operator).replace(/\s+/g, ' ')
      const other = opposite[text] ?? comparisons[text]
      const loose = strictness[text]
      if (other) this.#list.add('condition', operator, other, node)
      if (loose && !sameAtTie) this.#list.add('boundary', operator, loose, node)
      if (loose || !opposite[text] || operators.length > 1) continue
      const [left, right] = namedChildren(node).filter((part) => part.field !== 'operators')
      if (left && this.#isParity(left)) continue
      for (const side of [left, right]) {
        if (side?.type !== 'integer') continue
        const number = writtenNumber(side, this.#text)
        if (number !== undefined) this.#list.add('boundary', side, String(number + 1))
      }
    }
  }

  /** In the condition of a loop only the boundary is mutated, because other changes can make it endless. */
  limits(raw: SyntaxNode, counted: boolean): void {
    const node = unwrap(raw)
    if (node.type === 'boolean_operator') for (const part of namedChildren(node)) this.limits(part, counted)
    if (node.type !== 'comparison_operator') return
    for (const operator of node.children) {
      const loose = operator.field === 'operators' ? strictness[operator.type] : undefined
      if (loose && (counted || operator.type.endsWith('='))) this.#list.add('boundary', operator, loose, node)
    }
  }

  /** Whether the body of a loop changes the counter by a step. Other loops can become endless at equal values. */
  countsUpTo(test: SyntaxNode, body: SyntaxNode): boolean {
    const names = this.names(test)
    return [...nodesOf(body)].some((node) => {
      const target = child(node, 'left')
      if (node.type !== 'augmented_assignment' || !target) return false
      return /^[+-]=$/.test(child(node, 'operator')?.type ?? '') && names.includes(this.#text(target))
    })
  }

  range(call: SyntaxNode): void {
    const places = namedChildren(child(call, 'arguments') ?? call).slice(0, 2)
    for (const place of places) this.place(place)
  }

  /** Returns start, end and step of a slice; omitted ones are missing. */
  sliceParts(slice: SyntaxNode): (SyntaxNode | undefined)[] {
    const parts: (SyntaxNode | undefined)[] = [undefined]
    for (const part of slice.children) {
      if (part.type === ':') parts.push(undefined)
      else if (part.named) parts[parts.length - 1] = part
    }
    return parts
  }

  place(node: SyntaxNode): void {
    const number = writtenNumber(node, this.#text)
    if (number !== undefined) this.#list.add('boundary', node, String(nextTo(number)))
  }

  names(node: SyntaxNode): string[] {
    return [...nodesOf(node)].filter((part) => part.type === 'identifier').map((part) => this.#text(part))
  }

  #isParity(raw: SyntaxNode): boolean {
    const node = unwrap(raw)
    if (node.type !== 'binary_operator' || !['%', '&'].includes(child(node, 'operator')?.type ?? '')) return false
    return (writtenNumber(child(node, 'right'), this.#text) ?? 9) <= 2
  }

  /** Matches `a if a > b else b`, whose result is the same for equal values. */
  sameAtTie(test: SyntaxNode, results: SyntaxNode[]): boolean {
    const node = unwrap(test)
    if (node.type !== 'comparison_operator') return false
    const compared = namedChildren(node).map(this.#text)
    const [first, second] = results.map(this.#text)
    return first !== second && [first, second].every((result) => compared.includes(result ?? ''))
  }

  /** Matches `if a > best: best = a` without other statements. */
  isUpdateToLarger(node: SyntaxNode, test: SyntaxNode): boolean {
    const statements = namedChildren(child(node, 'consequence') ?? node)
    const [only] = statements
    const assignment = only?.type === 'expression_statement' ? namedChildren(only)[0] : undefined
    if (statements.length !== 1 || assignment?.type !== 'assignment') return false
    if (node.type !== 'if_statement' || child(node, 'alternative')) return false
    return this.sameAtTie(test, namedChildren(assignment))
  }
}
