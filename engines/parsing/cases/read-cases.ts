import type { Dialect } from '../dialects.ts'
import {
  type CaseRisk,
  maxSourceCases,
  type RunEvidence,
  type SourceCase,
  type SourceOutcome,
  type SymbolPlace,
} from '../description/types.ts'
import type { SourceTree } from '../description/source-tree.ts'
import { nodesOf, type SyntaxNode } from '../syntax-tree.ts'
import type { Arm, CaseLanguage, Construct, Span } from './construct.ts'
import { Branches, isFailure, riskOf } from './branches.ts'
import { languageOf } from './languages/index.ts'
import { Contexts } from './contexts.ts'
import { placesByLine } from './places.ts'
import { isWrittenOut } from './written-out.ts'
import { conditionText, isCompound, negated, resultText, stated } from './text.ts'

/** The cases of symbols of one file, in the order of the places. A case belongs to the innermost place around it. */
export function readCases(tree: SourceTree, dialect: Dialect, places: readonly SymbolPlace[]): SourceCase[][] {
  const reader = new CaseReader(tree, languageOf(dialect))
  const placeOf = placesByLine(places, tree)
  const cases: SourceCase[][] = places.map(() => [])
  for (const node of nodesOf(tree.root)) {
    for (const construct of reader.constructs(node)) {
      const own = cases[placeOf(node) ?? -1]
      if (own && own.length < maxSourceCases) own.push(...reader.casesOf(node, construct))
    }
  }
  for (const own of cases) {
    own.sort((a, b) => a.line - b.line)
    reader.contexts.complete(own)
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
  readonly #branches: Branches
  readonly contexts: Contexts
  /** How many constructs and functions begin on a line, as far as tools count branches there. */
  readonly #counted = new Map<number, number>()

  constructor(tree: SourceTree, language: CaseLanguage) {
    this.#tree = tree
    this.#language = language
    this.#branches = new Branches(tree, language)
    this.contexts = new Contexts(language.functions)
  }

  constructs(node: SyntaxNode): readonly Construct[] {
    const constructs = this.#language.constructs(node, this.#tree)
    const counts = constructs.length > 0 || this.#language.functions.has(node.type)
    if (counts) {
      const line = this.#branches.line(node.start)
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
    return this.#ways(node, construct).map(({ at, condition, outcome, result, risk, run }) => {
      const one: SourceCase = {
        line: this.#branches.line(at.start),
        condition,
        outcome,
        ...(result !== undefined && result !== '' && { result }),
        risk,
        run: { ...run, at: run.at ?? this.#branches.line(node.start), isAlone: false },
      }
      this.contexts.note(one, node)
      return one
    })
  }

  #ways(node: SyntaxNode, construct: Construct): Way[] {
    switch (construct.kind) {
      case 'choice':
        return this.#choice(node, construct)
      case 'short-circuit':
        return this.#shortCircuit(construct)
      case 'fallback': {
        const { value, state, instead } = construct
        const { ending, outcome, result } = this.#branches.branch([instead], this.#language.isReturned(node))
        return [
          {
            at: value,
            condition: stated(this.#branches.text(value), state),
            outcome,
            result,
            risk: ending && isFailure(ending) ? 'error' : 'default',
            run: {
              ...this.#branches.only([instead], value),
              counted: this.#value(),
              ...(this.#language.countsOperands && { isOperand: true as const }),
            },
          },
        ]
      }
      case 'missing': {
        const { value, state, ending, result, whole = node } = construct
        const outcome = ending?.outcome ?? (this.#language.isReturned(whole) ? 'returns' : 'default')
        const condition = stated(this.#branches.text(value), state)
        const risk = ending ? 'error' : 'skipped'
        return [{ at: value, condition, outcome, result: ending?.result ?? result, risk, run: { counted: 'never' } }]
      }
      case 'parameter': {
        const { name, state, instead, body } = construct
        const [first] = body ? this.#branches.statements(body) : []
        return [
          {
            at: name,
            condition: stated(this.#branches.text(name), state),
            outcome: 'default',
            result: resultText(this.#branches.text(instead)),
            risk: emptyValues.has(this.#branches.text(instead)) ? 'skipped' : 'default',
            // The line of a declaration runs when the module is loaded; only the body tells of a call.
            run: { ...(first && { at: this.#branches.line(first.start) }), counted: 'sometimes' },
          },
        ]
      }
      case 'switch':
        return this.#switch(construct)
      case 'loop': {
        const { over, state = 'is empty', test, isNegated = false, body } = construct
        const at = over ?? test
        if (!at) return []
        const text = this.#branches.text(at)
        if (over && isWrittenOut(over, this.#tree)) return []
        const condition = over ? stated(text, state) : isNegated ? conditionText(text) : this.#not(text)
        const other = body ? this.#branches.lines(this.#branches.statements(body), at) : undefined
        const run = { ...(other && { other }), counted: 'never' as const, at: this.#branches.line(node.start) }
        return [{ at, condition, outcome: 'loop_not_entered', risk: 'loop', run }]
      }
      case 'handlers':
        return this.#handlers(construct)
      case 'rejection': {
        const { value, handler } = construct
        const statements = this.#branches.statements(handler)
        const { ending, result } = this.#branches.branch(statements, true)
        const condition = stated(this.#branches.text(value), 'rejects')
        return [
          {
            at: value,
            condition,
            outcome: ending?.outcome === 'throws' ? 'throws' : 'catch',
            result,
            risk: 'error',
            run: this.#branches.body(statements, value),
          },
        ]
      }
      case 'guard': {
        const { test, state, result } = construct
        const text = this.#branches.text(test)
        const condition = state === undefined ? this.#not(text) : stated(text, state)
        return [{ at: test, condition, outcome: 'throws', result, risk: 'error', run: { counted: 'never' } }]
      }
      default: {
        const { test } = construct
        const condition = this.#not(this.#branches.text(test))
        return [{ at: test, condition, outcome: 'default', risk: 'branch', run: { counted: 'never' } }]
      }
    }
  }

  #choice(node: SyntaxNode, construct: Extract<Construct, { kind: 'choice' }>): Way[] {
    const { test, onTrue, onFalse, isValue, isNegated = false, from, after } = construct
    const isReturned = this.#language.isReturned(node)
    const text = this.#branches.text(test)
    const isPlain = !isCompound(text) && { isPlain: true as const }
    const own = from === undefined ? text : this.#branches.text({ start: from, end: test.end })
    const suffix = after ? ` after ${resultText(this.#branches.text(after))}` : ''
    const holds = `${conditionText(own, suffix.length)}${suffix}`
    const fails = `${this.#not(text, suffix.length)}${suffix}`
    const [whenTrue, whenFalse] = isNegated ? [fails, holds] : [holds, fails]
    if (!isValue) this.contexts.choice(node, { onTrue, onFalse, holds: whenTrue, fails: whenFalse })
    const thenStatements = onTrue ? this.#branches.statements(onTrue) : []
    const elseStatements = onFalse && onFalse !== 'chained' ? this.#branches.statements(onFalse) : []
    const first = this.#branches.branch(thenStatements, isReturned)
    const isGuard = onFalse === null && first.ending !== undefined
    const next = isGuard ? this.#branches.next(node) : undefined
    const thenLines = this.#branches.lines(thenStatements, test)
    const elseLines = this.#branches.lines(next ? [next] : elseStatements, test)
    const at = this.#branches.line(node.start)
    const ways: Way[] = [
      {
        at: from === undefined ? test : { start: from, end: test.end },
        condition: whenTrue,
        outcome: first.outcome,
        result: first.result,
        risk: riskOf(text, first.ending, isGuard),
        run: {
          ...evidence(thenLines, elseLines),
          counted: isValue ? this.#value() : 'always',
          at,
          ...isPlain,
          ...this.#branches.bare(onTrue),
        },
      },
    ]
    if (onFalse === 'chained') return ways
    const second = this.#branches.branch(elseStatements, isReturned && onFalse !== null)
    // Where the code simply goes on, nothing but the counts of branches tells.
    const isSkip = elseStatements.length === 0
    ways.push({
      at: test,
      condition: whenFalse,
      outcome: second.outcome,
      result: second.result,
      risk: isGuard ? 'normal' : isSkip ? 'skipped' : riskOf(text, second.ending, false),
      run: {
        ...evidence(elseLines, thenLines),
        counted: isSkip ? 'sometimes' : isValue ? this.#value() : 'always',
        at,
        ...isPlain,
        ...this.#branches.bare(onFalse),
      },
    })
    return ways
  }

  #shortCircuit({ test, isAnd, result, ending }: Extract<Construct, { kind: 'short-circuit' }>): Way[] {
    const text = this.#branches.text(test)
    const condition = isAnd ? this.#not(text) : conditionText(text)
    const outcome = ending?.outcome ?? 'returns'
    const risk = riskOf(text, ending, false)
    return [{ at: test, condition, outcome, result: ending?.result ?? result, risk, run: { counted: 'sometimes' } }]
  }

  #switch({ head, arms, without }: Extract<Construct, { kind: 'switch' }>): Way[] {
    const subject = conditionText(this.#branches.text(head), 60)
    const ways: Way[] = []
    // From the last, with which those before it may go on.
    let next: { arm: Arm; statements: SyntaxNode[] } | undefined
    for (const arm of arms.toReversed()) {
      const statements = arm.body.flatMap((node) => this.#branches.statements(node))
      const falls = arm.falls === true && statements.length === 0 && next !== undefined
      if (!falls || !next) next = { arm, statements }
      const isReturned = this.#language.isReturned(arm.node)
      const { ending, outcome, result } = this.#branches.branch(next.statements, isReturned, true)
      const own = this.#branches.text(arm.header)
      const run = { ...this.#branches.body(next.statements, arm.header), ...(falls && { isShared: true as const }) }
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
    const statements = this.#branches.statements(tried)
    const [first] = statements
    if (!first) return []
    const text = resultText(this.#branches.text(first))
    const around = statements.length > 1 && !text.endsWith('…') ? `${text} …` : text
    return handlers.map(({ header, body }) => {
      const handling = this.#branches.statements(body)
      const { ending, outcome, result } = this.#branches.branch(handling, this.#language.isReturned(body))
      const own = conditionText(this.#branches.text(header), around.length + 8)
      const run = this.#branches.body(handling, header)
      return {
        at: header,
        condition: `${own} around ${around}`,
        outcome: ending ? outcome : 'catch',
        result,
        risk: 'error',
        run,
      }
    })
  }

  #value(): 'always' | 'sometimes' {
    return this.#language.countsValues ? 'always' : 'sometimes'
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
