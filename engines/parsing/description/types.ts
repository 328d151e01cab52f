import type { UnparsedReason } from '../types.ts'

/** Where a symbol is in its file: the name and the lines of its `SymbolFact`. */
export interface SymbolPlace {
  name: string
  startLine: number
  endLine: number
  /** What a test calls to reach it, if that is another symbol of the file. */
  entry?: SymbolPlace
}

/**
 * What the second reading of a file says of one symbol. It costs too much for every symbol of a repository, so that only
 * those are read that an answer shows.
 */
export interface SymbolDescription {
  cases: SourceCase[]
  /** Undefined where the declaration could not be read. */
  declaration?: SymbolDeclaration
  /** The declaration of the place's `entry`. */
  entry?: SymbolDeclaration
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
  /** Those of a class are its constructor's. Undefined where the file does not show them. */
  parameters?: SymbolParameter[]
  /** What makes the object of a method, or of the class itself: `new Queue(options)`. */
  construct?: string
  /** The module exports it, or the class around it, as its default. */
  isDefault?: true
}

export interface SymbolParameter {
  name: string
  type?: string
  isOptional: boolean
}

/** The descriptions of the places asked for, in their order; null for a place where no declaration was found. */
export type Described = { symbols: (SymbolDescription | null)[] } | { unparsed: UnparsedReason }
