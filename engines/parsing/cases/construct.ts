import type { SourceTree } from '../description/source-tree.ts'
import type { SyntaxNode } from '../syntax-tree.ts'

/** A stretch of the source. */
export interface Span {
  start: number
  end: number
}

/** How a statement or expression leaves the code around it. */
export interface Ending {
  outcome: 'throws' | 'returns' | 'early_return'
  result?: string
  /** What it returns is an error. */
  isError?: boolean
}

/** One arm of a `switch`, `match` or `case`. */
export interface Arm {
  node: SyntaxNode
  /** Its own text up to the body, such as `case 1, 2` or `Kind::A if ready`. */
  header: Span
  body: readonly SyntaxNode[]
  isDefault: boolean
  /** Without statements it goes on with the next arm. */
  falls?: boolean
}

/** A place where code goes one way or another. */
export type Construct =
  | {
      kind: 'choice'
      test: Span
      /** Null for an `if` without statements in this branch. */
      onTrue: SyntaxNode | null
      /** `chained` where another construct is the alternative. */
      onFalse: SyntaxNode | 'chained' | null
      /** An expression with a value for each way. */
      isValue: boolean
      /** `unless`: the first branch is taken where the test fails. */
      isNegated?: boolean
      /** Text before the test that belongs to it, such as Go's `err := run();`. */
      from?: number
      /** The statement before, which gives the test its meaning. */
      after?: Span
    }
  /** `a && b` as a statement, and where it is returned. */
  | { kind: 'short-circuit'; test: Span; isAnd: boolean; result: string | undefined; ending?: Ending | undefined }
  /** A value that is used instead of another: `a ?? b`. */
  | { kind: 'fallback'; value: Span; state: string; instead: SyntaxNode }
  /** Ends the evaluation of `whole` where a value is missing: `a?.b`, Rust's `a?`. */
  | { kind: 'missing'; value: Span; state: string; ending?: Ending; result?: string; whole?: SyntaxNode }
  | { kind: 'parameter'; name: Span; state: string; instead: SyntaxNode; body: SyntaxNode | undefined }
  | { kind: 'switch'; head: Span; arms: readonly Arm[]; without: 'nothing' | 'impossible' | { throws: string } }
  /**
   * `over` for loops over the elements of something, with the state in which there are none; `test` for loops that have
   * a condition.
   */
  | { kind: 'loop'; over?: SyntaxNode; state?: string; test?: Span; isNegated?: boolean; body: SyntaxNode | undefined }
  | { kind: 'handlers'; tried: SyntaxNode; handlers: readonly { header: Span; body: SyntaxNode }[] }
  | { kind: 'rejection'; value: Span; handler: SyntaxNode }
  /** Throws unless the test holds; `state` where the text of the test is no condition itself. */
  | { kind: 'guard'; test: Span; state?: string; result: string }
  /** Leaves out what does not pass: the condition of a comprehension. */
  | { kind: 'filter'; test: Span }

/** How one language is read. */
export interface CaseLanguage {
  /** Nodes whose children are statements. */
  blocks: ReadonlySet<string>
  /** Nodes that hold one statement or expression and stand for it. */
  wrappers: ReadonlySet<string>
  /** Functions, whose statements are under `body`. */
  functions: ReadonlySet<string>
  not: '!' | 'not '
  /** Whether tools that measure branches count those of expressions: ternaries, defaults. */
  countsValues: boolean
  /** Whether they count the operands of defaults, such as those of `a || b`. */
  countsOperands?: true
  constructs(node: SyntaxNode, tree: SourceTree): readonly Construct[]
  /** How a statement leaves the code around it; undefined if the code after it runs. */
  ending(node: SyntaxNode, tree: SourceTree): Ending | undefined
  /** Whether the value of an expression is what its function returns. */
  isReturned(node: SyntaxNode): boolean
}

const maxClimb = 40

/**
 * Whether an expression is returned, as the nodes around it tell: `step` says of a node and its parent whether that is so
 * (true), is not so (false), or is decided further out (undefined).
 */
export function climb(node: SyntaxNode, step: (node: SyntaxNode, parent: SyntaxNode) => boolean | undefined): boolean {
  let inner = node
  for (let steps = 0; steps < maxClimb; steps += 1) {
    const { parent } = inner
    if (!parent) return false
    const decided = step(inner, parent)
    if (decided !== undefined) return decided
    inner = parent
  }
  return false
}
