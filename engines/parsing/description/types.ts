import type { UnparsedReason } from '../types.ts'

/** Where a symbol is in its file: the name and the lines of its `SymbolFact`. */
export interface SymbolPlace {
  name: string
  startLine: number
  endLine: number
  /** What a test calls to reach it, if that is another symbol of the file. */
  entry?: SymbolPlace
  /** Is not described itself; its lines belong to no symbol around it. */
  isBoundary?: true
  /** Only its declaration is wanted; its lines belong to the symbols on them. */
  isEntry?: true
}

/**
 * What the second reading of a file says of one symbol. It costs too much for every symbol of a repository, so that only
 * those are read that an answer shows.
 */
export interface SymbolDescription {
  /** In source order. */
  cases: SourceCase[]
  /** Undefined where the declaration could not be read. */
  declaration?: SymbolDeclaration
  /** The declaration of the place's `entry`. */
  entry?: SymbolDeclaration
}

/** Of one symbol, reading cases stops here. Only generated code has more. */
export const maxSourceCases = 500

/** How code ends in one case; see `CaseOutcome` of the analysis. */
export type SourceOutcome = 'throws' | 'returns' | 'early_return' | 'loop_not_entered' | 'catch' | 'default'

/** One way through a symbol, as the source alone shows it. */
export interface SourceCase {
  /** Where the condition is evaluated. */
  line: number
  condition: string
  outcome: SourceOutcome
  result?: string
  risk: CaseRisk
  run: RunEvidence
}

/**
 * The kinds of cases by the damage of a defect that no test finds, the worst first. In a `skipped` case some code does not run
 * and nothing follows from it; `normal` is the way past a guard.
 */
export const caseRisks = ['error', 'boundary', 'default', 'loop', 'branch', 'skipped', 'normal'] as const
export type CaseRisk = (typeof caseRisks)[number]

/** How the coverage of lines and branches tells whether a case was run. */
export interface RunEvidence {
  /** The line of the construct. Where it does not run, none of its cases does. */
  at: number
  /** First lines of statements that run in this case only. */
  only?: number[]
  /** First lines of statements that run in the other case of two only. */
  other?: number[]
  /** Other cases run the statements of `only` too, such as that of an arm that falls through. */
  isShared?: true
  /** How tools that measure branches count this one: as a branch, not at all, or some of them. */
  counted: 'always' | 'sometimes' | 'never'
  /** Nothing else on the line `at` is counted as a branch. */
  isAlone: boolean
  /** The condition has no parts that are counted as branches. */
  isPlain?: true
  /** Counted as the last operand of two, of which the first always runs. */
  isOperand?: true
  /** The first statement has no block around it: tools may count its line as run because of the space before it. */
  isBare?: true
}

/** How a symbol is called. */
export interface SymbolDeclaration {
  /** The declaration's own text, without its body. */
  signature: string
  /** Those of a class are its constructor's. Undefined where the file does not show them. */
  parameters?: SymbolParameter[]
  /** The expression that constructs the object of a method, or of the class itself: `new Queue(options)`. */
  construct?: string
  /** The module exports it, or the class around it, as its default. */
  isDefault?: true
  /** Its parameters that nothing reads and that nothing asks for. */
  unread?: { name: string; line: number }[]
}

export interface SymbolParameter {
  name: string
  type?: string
  isOptional: boolean
}

/** The descriptions of the places, in their order; null for boundaries and where there is nothing to read. */
export type Described = { symbols: (SymbolDescription | null)[] } | { unparsed: UnparsedReason }
