import type { FileFacts, UnparsedReason } from './types.ts'
import type { Described, SymbolPlace } from './description/types.ts'
import type { Dialect } from './dialects.ts'

/** Files to parse, their contents end to end in one buffer: many small ones would cost more to pass on than to parse. */
export interface Batch {
  dialects: Dialect[]
  /** For each file the symbols to describe; null where its facts are wanted. */
  places: (readonly SymbolPlace[] | null)[]
  lengths: number[]
  content: Uint8Array
}

export type ToWorker = { batch: Batch } | { warm: readonly Dialect[] }

/** Results of one batch in its order, as JSON text: quicker to write and read than structured clones of small objects. */
export interface FromWorker {
  results: string
}

export type Parsed = { facts: FileFacts } | { unparsed: UnparsedReason }

/** What a worker answers for one file: its facts, or the descriptions that were asked for. */
export type Answer = Parsed | Described

export interface ParseOptions {
  timeoutMs: number
  /** Whether sources that would overflow the parser's stack are refused; see `nesting.ts`. */
  checkNesting: boolean
}

/**
 * Where a worker writes which file it is at, counted over its lifetime from 1: a file that both processes hold open.
 * It outlives a crash, and writing to it costs far less than a message for each file.
 */
export const scoreboardFd = 4
