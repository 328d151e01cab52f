import type { UnparsedReason } from '../types.ts'

/** Where a symbol is in its file: the name and the lines of its `SymbolFact`. */
export interface SymbolPlace {
  name: string
  startLine: number
  endLine: number
}

/**
 * What the second reading of a file says of one symbol. It costs too much for every symbol of a repository, so that only
 * those are read that an answer shows.
 */
export interface SymbolDescription {
  cases: SourceCase[]
  /** Undefined where the declaration could not be read. */
  declaration?: SymbolDeclaration
}

/** One way through a symbol, as the source alone shows it. */
export interface SourceCase {
  /** Where the condition is evaluated. */
  line: number
  condition: string
}

/** How a symbol is called. */
export interface SymbolDeclaration {
  /** The declaration's own text, without its body. */
  signature: string
}

/** The descriptions of the places asked for, in their order; null for a place where no declaration was found. */
export type Described = { symbols: (SymbolDescription | null)[] } | { unparsed: UnparsedReason }
