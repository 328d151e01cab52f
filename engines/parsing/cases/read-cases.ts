import type { Dialect } from '../dialects.ts'
import type { CaseRisk, RunEvidence, SourceCase, SourceOutcome, SymbolPlace } from '../description/types.ts'
import type { SourceTree } from '../description/source-tree.ts'
import { nodesOf, type SyntaxNode } from '../syntax-tree.ts'
import type { Arm, CaseLanguage, Construct, Ending, Span } from './construct.ts'
import { languageOf } from './languages/index.ts'
import { placesByLine } from './places.ts'
import { conditionText, isBoundary, isCompound, negated, resultText, stated } from './text.ts'

/** Of one symbol. Only generated code has more. */
const maxCases = 500
/** Of one branch. The first that a report knows decides. */
const maxStatements = 10

/** The cases of symbols of one file, in the order of the places. A case belongs to the innermost place around it. */
export function readCases(tree: SourceTree, dialect: Dialect, places: readonly SymbolPlace[]): SourceCase[][] {
  const reader = new CaseReader(tree, languageOf(dialect))
  const placeOf = placesByLine(places, tree)
  const cases: SourceCase[][] = places.map(() => [])
  for (const node of nodesOf(tree.root)) {
    for (const construct of reader.constructs(node)) {
      const own = cases[placeOf(node) ?? -1]
      if (own && own.length < maxCases) own.push(...reader.casesOf(node, construct))
    }
  }
  for (const own of cases) {
    own.sort((a, b) => a.line - b.line)
    for (const { run } of own) {
      run.isAlone = reader.isAlone(run.at)
      if (run.isBare && run.only?.some((line) => reader.countsOn(line))) delete run.isBare
    }
  }
  return cases
}

interface Way {
  at: Span
  condition: string
  outcome: SourceOutcome
  result?: string | undefined
  risk: CaseRisk
  run: Omit<RunEvidence, 'at' | 'isAlone'> & { at?: number }
}

class CaseReader {
  readonly #tree: SourceTree
  readonly #language: CaseLanguage
  /** How many constructs and functions begin on a line, as far as tools count branches there. */
  readonly #counted = new Map<number, number>()

  constructor(tree: SourceTree, language: CaseLanguage) {
    this.#tree = tree
    this.#language = language
  }

  constructs(node: SyntaxNode): readonly Construct[] {
    const constructs = this.#language.constructs(node, this.#tree)
    const counts = constructs.length > 0 || this.#language.functions.has(node.type)
    if (counts) {
      const line = this.#line(node.start)
      this.#counted.set(line, (this.#counted.get(line) ?? 0) + Math.max(1, constructs.length))
    }
    return constructs
  }

  /** Whether a construct or function begins on the line. */
  countsOn(line: number): boolean {
    return this.#counted.has(line)
  }

  isAlone(line: number): boolean {
    return this.#counted.get(line) === 1
  }

  casesOf(node: SyntaxNode, construct: Construct): SourceCase[] {
    return this.#ways(node, construct).map(({ at, condition, outcome, result, risk, run }) => ({
      line: this.#line(at.start),
      condition,
      outcome,
      ...(result !== undefined && result !== '' && { result }),
      risk,
      run: { ...run, at: run.at ?? this.#line(node.start), isAlone: false },
    }))
  }

  #ways(node: SyntaxNode, construct: Construct): Way[] {
    switch (construct.kind) {
      case 'choice':
        return this.#choice(node, construct)
      case 'short-circuit':
        return this.#shortCircuit(construct)
      case 'fallback': {
        const { value, state, instead } = construct
        const { ending, outcome, result } = this.#branch([instead], this.#language.isReturned(node))
        return [
          {
            at: value,
            condition: stated(this.#text(value), state),
            outcome,
            result,
            risk: ending && isFailure(ending) ? 'error' : 'default',
            run: {
              ...this.#only([instead], value),
              counted: this.#value(),
              ...(this.#language.countsOperands && { isOperand: true as const }),
            },
          },
        ]
      }
      case 'missing': {
        const { value, state, ending, result } = construct
        const outcome = ending?.outcome ?? (this.#language.isReturned(node) ? 'returns' : 'default')
        const condition = stated(this.#text(value), state)
        const risk = ending ? 'error' : 'skipped'
        return [{ at: value, condition, outcome, result: ending?.result ?? result, risk, run: { counted: 'never' } }]
      }
      case 'parameter': {
        const { name, state, instead, body } = construct
        const [first] = body ? this.#statements(body) : []
        return [
          {
            at: name,
            condition: stated(this.#text(name), state),
            outcome: 'default',
            result: resultText(this.#text(instead)),
            risk: emptyValues.has(this.#text(instead)) ? 'skipped' : 'default',
            // The line of a declaration runs when the module is loaded; only the body tells of a call.
            run: { ...(first && { at: this.#line(first.start) }), counted: 'sometimes' },
          },
        ]
      }
      case 'switch':
        return this.#switch(construct)
      case 'loop': {
        const { over, test, isNegated = false, body } = construct
        const at = over ?? test
        if (!at) return []
        const text = this.#text(at)
        if (over && isWrittenOut(text)) return []
        const condition = over ? stated(text, 'is empty') : isNegated ? conditionText(text) : this.#not(text)
        const other = body ? this.#lines(this.#statements(body), at) : undefined
        const run = { ...(other && { other }), counted: 'never' as const, at: this.#line(node.start) }
        return [{ at, condition, outcome: 'loop_not_entered', risk: 'loop', run }]
      }
      case 'handlers':
        return this.#handlers(construct)
      case 'rejection': {
        const { value, handler } = construct
        const statements = this.#statements(handler)
        const { result } = this.#branch(statements, true)
        const condition = stated(this.#text(value), 'rejects')
        return [{ at: value, condition, outcome: 'catch', result, risk: 'error', run: this.#body(statements, value) }]
      }
      case 'guard': {
        const { test, state, result } = construct
        const text = this.#text(test)
        const condition = state === undefined ? this.#not(text) : stated(text, state)
        return [{ at: test, condition, outcome: 'throws', result, risk: 'error', run: { counted: 'never' } }]
      }
      default: {
        const { test } = construct
        const condition = this.#not(this.#text(test))
        return [{ at: test, condition, outcome: 'default', risk: 'branch', run: { counted: 'never' } }]
      }
    }
  }

  #choice(node: SyntaxNode, construct: Extract<Construct, { kind: 'choice' }>): Way[] {
    const { test, onTrue, onFalse, isValue, isNegated = false, from, after } = construct
    const isReturned = this.#language.isReturned(node)
    const text = this.#text(test)
    const isPlain = !isCompound(text) && { isPlain: true as const }
    const own = from === undefined ? text : this.#text({ start: from, end: test.end })
    const suffix = after ? ` after ${resultText(this.#text(after))}` : ''
    const holds = `${conditionText(own, suffix.length)}${suffix}`
    const fails = `${this.#not(text, suffix.length)}${suffix}`
    const thenStatements = onTrue ? this.#statements(onTrue) : []
    const elseStatements = onFalse && onFalse !== 'chained' ? this.#statements(onFalse) : []
    const first = this.#branch(thenStatements, isReturned)
    const isGuard = onFalse === null && first.ending !== undefined
    const next = isGuard ? this.#next(node) : undefined
    const thenLines = this.#lines(thenStatements, test)
    const elseLines = this.#lines(next ? [next] : elseStatements, test)
    const at = this.#line(node.start)
    const ways: Way[] = [
      {
        at: from === undefined ? test : { start: from, end: test.end },
        condition: isNegated ? fails : holds,
        outcome: first.outcome,
        result: first.result,
        risk: riskOf(text, first.ending, isGuard),
        run: {
          ...evidence(thenLines, elseLines),
          counted: isValue ? this.#value() : 'always',
          at,
          ...isPlain,
          ...this.#bare(onTrue),
        },
      },
    ]
    if (onFalse === 'chained') return ways
    const second = this.#branch(elseStatements, isReturned && onFalse !== null)
    // Where the code simply goes on, nothing but the counts of branches tells.
    const isSkip = elseStatements.length === 0
    ways.push({
      at: test,
      condition: isNegated ? holds : fails,
      outcome: second.outcome,
      result: second.result,
      risk: isGuard ? 'normal' : isSkip ? 'skipped' : riskOf(text, second.ending, false),
      run: {
        ...evidence(elseLines, thenLines),
        counted: isSkip ? 'sometimes' : isValue ? this.#value() : 'always',
        at,
        ...isPlain,
        ...this.#bare(onFalse),
      },
    })
    return ways
  }

  #shortCircuit({ test, isAnd, result, ending }: Extract<Construct, { kind: 'short-circuit' }>): Way[] {
    const text = this.#text(test)
    const condition = isAnd ? this.#not(text) : conditionText(text)
    const outcome = ending?.outcome ?? 'returns'
    const risk = riskOf(text, ending, false)
    return [{ at: test, condition, outcome, result: ending?.result ?? result, risk, run: { counted: 'sometimes' } }]
  }

  #switch({ head, arms, without }: Extract<Construct, { kind: 'switch' }>): Way[] {
    const subject = conditionText(this.#text(head), 60)
    const ways: Way[] = []
    // From the last: an arm without statements goes on with the next one.
    let next: { arm: Arm; statements: SyntaxNode[] } | undefined
    for (const arm of arms.toReversed()) {
      const statements = arm.body.flatMap((node) => this.#statements(node))
      const falls = statements.length === 0 && next !== undefined
      if (!falls || !next) next = { arm, statements }
      const isReturned = this.#language.isReturned(arm.node)
      const { ending, outcome, result } = this.#branch(next.statements, isReturned, true)
      const own = this.#text(arm.header)
      const run = { ...this.#body(next.statements, arm.header), ...(falls && { isShared: true as const }) }
      const risk = ending && isFailure(ending) ? 'error' : arm.isDefault ? 'default' : riskOf(own, ending, false)
      const condition = `${subject}: ${conditionText(own, subject.length + 2)}`
      ways.push({ at: arm.header, condition, outcome, result, risk, run })
    }
    ways.reverse()
    if (arms.length > 0 && without !== 'impossible' && !arms.some((arm) => arm.isDefault)) {
      const throws = without === 'nothing' ? undefined : without.throws
      ways.push({
        at: head,
        condition: `${subject}: none of its cases`,
        outcome: throws ? 'throws' : 'default',
        result: throws,
        risk: throws ? 'error' : 'default',
        run: { counted: 'never' },
      })
    }
    return ways
  }

  #handlers({ tried, handlers }: Extract<Construct, { kind: 'handlers' }>): Way[] {
    const statements = this.#statements(tried)
    const [first] = statements
    if (!first) return []
    const text = resultText(this.#text(first))
    const around = statements.length > 1 && !text.endsWith('…') ? `${text} …` : text
    return handlers.map(({ header, body }) => {
      const handling = this.#statements(body)
      const { result } = this.#branch(handling, this.#language.isReturned(body))
      const own = conditionText(this.#text(header), around.length + 8)
      const run = this.#body(handling, header)
      return { at: header, condition: `${own} around ${around}`, outcome: 'catch', result, risk: 'error', run }
    })
  }

  /** How a branch ends: the first statement that leaves it, else its value, else what it does first. */
  #branch(statements: readonly SyntaxNode[], isReturned: boolean, isArm = false) {
    for (const statement of statements) {
      const ending = this.#language.ending(statement, this.#tree)
      if (ending && !(isArm && /^break\b/.test(ending.result ?? ''))) {
        return { ending, outcome: ending.outcome, result: ending.result }
      }
    }
    const shown = isReturned ? statements.at(-1) : statements[0]
    const result = shown && shown.type !== 'pass_statement' ? resultText(this.#text(shown)) : undefined
    return { ending: undefined, outcome: isReturned && shown ? ('returns' as const) : ('default' as const), result }
  }

  /** The statements of a branch, without comments. */
  #statements(body: SyntaxNode): SyntaxNode[] {
    const { blocks, wrappers } = this.#language
    if (!blocks.has(body.type) && !wrappers.has(body.type)) return isComment(body) ? [] : [body]
    return body.children
      .filter((child) => child.named && !isComment(child))
      .flatMap((child) => (blocks.has(child.type) && wrappers.has(body.type) ? this.#statements(child) : [child]))
  }

  /** The statement after a construct, out of the alternatives that it may be in. */
  #next(node: SyntaxNode): SyntaxNode | undefined {
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

  #body(statements: readonly SyntaxNode[], at: Span): Way['run'] {
    return { ...this.#only(statements, at), counted: 'always', ...this.#bare(statements[0]) }
  }

  #only(statements: readonly SyntaxNode[], at: Span): { only?: number[] } {
    const only = this.#lines(statements, at)
    return only ? { only } : {}
  }

  #bare(body: SyntaxNode | null | undefined): { isBare?: true } {
    const isBlock = !body || this.#language.blocks.has(body.type) || this.#language.blocks.has(body.parent?.type ?? '')
    return isBlock && body?.parent?.type !== 'SwitchCase' ? {} : { isBare: true }
  }

  /** The lines of statements if they are on lines of their own. */
  #lines(statements: readonly SyntaxNode[], { end }: Span): number[] | undefined {
    const last = this.#line(Math.max(0, end - 1))
    const lines = statements.slice(0, maxStatements).map(({ start }) => this.#line(start))
    return lines.length > 0 && lines.every((line) => line > last) ? lines : undefined
  }

  #value(): 'always' | 'sometimes' {
    return this.#language.countsValues ? 'always' : 'sometimes'
  }

  #line(offset: number): number {
    return this.#tree.lineOf(offset)
  }

  #text(span: Span): string {
    return this.#tree.text(span)
  }

  #not(text: string, room = 0): string {
    return negated(room > 0 ? conditionText(text, room + 6) : text, this.#language.not)
  }
}

const evidence = (only: number[] | undefined, other: number[] | undefined) => ({
  ...(only && { only }),
  ...(other && { other }),
})

/** Defaults that stand for no value at all, and say nothing of what the code does without one. */
const emptyValues = new Set(['None', 'null', 'nil', 'undefined', 'False', 'false'])

/** A list whose elements are in the source: the loop over it is entered. */
const isWrittenOut = (text: string): boolean => /^\(?(?:\[[^\]]|%[wi]|["'\d])/.test(text.slice(0, 10))

const isComment = ({ type }: SyntaxNode): boolean => type.endsWith('comment')

const isFailure = ({ outcome, isError }: Ending): boolean => outcome === 'throws' || isError === true

function riskOf(condition: string, ending: Ending | undefined, isGuard: boolean): CaseRisk {
  if (ending && isFailure(ending)) return 'error'
  return isGuard || isBoundary(condition.slice(0, 400)) ? 'boundary' : 'branch'
}

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
