import type { Language, Node, Query } from 'web-tree-sitter'
import type { Walk } from './walk.ts'

/**
 * What a match means. A count of -1 takes back what a wider pattern counted, such as the catch-all among the arms of
 * a match or the comments among the children of a block.
 */
export type Rule =
  | { branch: string; count?: -1 }
  | { statement: string; count?: -1 }
  | { reference: string; capitalized?: true; bare?: true }
  | { value: string }
  | { visit: string; by: (node: Node, walk: Walk) => void }

/** How one language is read: query patterns over tree-sitter's tree, and what to do with their matches. */
export interface Grammar {
  /** Name of its file in `@vscode/tree-sitter-wasm`. */
  wasm: string
  /** Each pattern captures exactly one node, as `@it`. Matches arrive in source order, outer nodes first. */
  rules: Rule[]
  /** The names that the language declares, where the rules tell on which values members are called. */
  globals?: ReadonlySet<string>
}

export interface LoadedGrammar {
  language: Language
  query: Query
  rules: Rule[]
}

export function patternOf(rule: Rule): string {
  if ('branch' in rule) return rule.branch
  if ('statement' in rule) return rule.statement
  if ('reference' in rule) return rule.reference
  if ('value' in rule) return rule.value
  return rule.visit
}

/** One rule for each pattern that the list's rules hold, for lists of node types that mean the same. */
export const branches = (...types: string[]): Rule[] => types.map((type) => ({ branch: `(${type}) @it` }))
export const statements = (...types: string[]): Rule[] => types.map((type) => ({ statement: `(${type}) @it` }))
