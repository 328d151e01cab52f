import type { CaseRisk, RunEvidence } from '../description/types.ts'
import type { SourceTree } from '../description/source-tree.ts'
import type { SyntaxNode } from '../syntax-tree.ts'
import type { CaseLanguage, Ending, Span } from './construct.ts'
import { isBoundary, resultText } from './text.ts'

/** Of one branch. The first that a report knows decides. */
const maxStatements = 10

/** Reads the statements of branches: how they end, and on which lines coverage tells whether they ran. */
export class Branches {
  readonly #tree: SourceTree
  readonly #language: CaseLanguage

  constructor(tree: SourceTree, language: CaseLanguage) {
    this.#tree = tree
    this.#language = language
  }

  /** How a branch ends: the first statement that leaves it, else its value, else what it does first. */
  branch(statements: readonly SyntaxNode[], isReturned: boolean, isArm = false) {
    for (const statement of statements) {
      const ending = this.#language.ending(statement, this.#tree)
      if (ending && !(isArm && /^break\b/.test(ending.result ?? ''))) {
        return { ending, outcome: ending.outcome, result: ending.result }
      }
    }
    const shown = isReturned ? statements.at(-1) : statements[0]
    const result = shown && shown.type !== 'pass_statement' ? resultText(this.text(shown)) : undefined
    return { ending: undefined, outcome: isReturned && shown ? ('returns' as const) : ('default' as const), result }
  }

  /** The statements of a branch, without comments. */
  statements(body: SyntaxNode): SyntaxNode[] {
    const { blocks, wrappers } = this.#language
    if (!blocks.has(body.type) && !wrappers.has(body.type)) return isComment(body) ? [] : [body]
    return body.children
      .filter((child) => child.named && !isComment(child))
      .flatMap((child) => (blocks.has(child.type) && wrappers.has(body.type) ? this.statements(child) : [child]))
  }

  /** The statement after a construct, out of the alternatives that it may be in. */
  next(node: SyntaxNode): SyntaxNode | undefined {
    let inner = node
    for (let steps = 0; steps < 40 && inner.parent; steps += 1) {
      const { parent } = inner
      if (this.#language.blocks.has(parent.type)) return nextSibling(inner, parent)
      if (
        inner.field !== 'alternate' &&
        inner.field !== 'alternative' &&
        !/else|expression_statement/.test(parent.type)
      ) {
        return undefined
      }
      inner = parent
    }
    return undefined
  }

  /** How coverage tells that the statements of a block ran. */
  body(statements: readonly SyntaxNode[], at: Span): Omit<RunEvidence, 'at' | 'isAlone'> {
    return { ...this.only(statements, at), counted: 'always', ...this.bare(statements[0]) }
  }

  /** The lines of the first statements that run in this case only. */
  only(statements: readonly SyntaxNode[], at: Span): { only?: number[] } {
    const only = this.lines(statements, at)
    return only ? { only } : {}
  }

  /** Whether a statement has no block around it. */
  bare(body: SyntaxNode | null | undefined): { isBare?: true } {
    const isBlock = !body || this.#language.blocks.has(body.type) || this.#language.blocks.has(body.parent?.type ?? '')
    return isBlock && body?.parent?.type !== 'SwitchCase' ? {} : { isBare: true }
  }

  /** The lines of statements if they are on lines of their own. */
  lines(statements: readonly SyntaxNode[], { end }: Span): number[] | undefined {
    const last = this.line(Math.max(0, end - 1))
    const lines = statements.slice(0, maxStatements).map(({ start }) => this.line(start))
    return lines.length > 0 && lines.every((line) => line > last) ? lines : undefined
  }

  line(offset: number): number {
    return this.#tree.lineOf(offset)
  }

  text(span: Span): string {
    return this.#tree.text(span)
  }
}

const isComment = ({ type }: SyntaxNode): boolean => type.endsWith('comment')

/** Children are in source order, and there may be very many. */
function nextSibling(node: SyntaxNode, { children }: SyntaxNode): SyntaxNode | undefined {
  let low = 0
  let high = children.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((children[middle]?.start ?? 0) <= node.start) low = middle + 1
    else high = middle
  }
  for (let index = low; index < children.length && index < low + 20; index += 1) {
    const child = children[index]
    if (child?.named && !isComment(child) && child.start >= node.end) return child
  }
  return undefined
}

/** Whether a branch ends with an error. */
export const isFailure = ({ outcome, isError }: Ending): boolean => outcome === 'throws' || isError === true

/** The risk of a branch with this condition and end. */
export function riskOf(condition: string, ending: Ending | undefined, isGuard: boolean): CaseRisk {
  if (ending && isFailure(ending)) return 'error'
  return isGuard || isBoundary(condition.slice(0, 400)) ? 'boundary' : 'branch'
}
