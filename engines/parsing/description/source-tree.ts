import { type Dialect, isGrammar } from '../dialects.ts'
import { ParseFailure } from '../failure.ts'
import { grammars } from '../grammars/index.ts'
import { parseTree } from '../grammars/parse-with-grammar.ts'
import { lineCounter } from '../javascript/lines.ts'
import { parseLeniently, release } from '../javascript/parse-javascript.ts'
import { plainProgram } from '../javascript/plain-program.ts'
import { scriptOf } from '../javascript/script-blocks.ts'
import type { ParseOptions } from '../messages.ts'
import { nestsTooDeep } from '../nesting.ts'
import { plainTree, type SyntaxNode } from '../syntax-tree.ts'

/** A source with its syntax tree. The node types are oxc's (ESTree) for JavaScript and tree-sitter's for the others. */
export interface SourceTree {
  source: string
  root: SyntaxNode
  text: (node: Pick<SyntaxNode, 'start' | 'end'>) => string
  /** The line of an offset, counted from 1. */
  lineOf: (offset: number) => number
}

/** The part of a source that is of interest. */
export interface Wanted {
  /** Both ends included. */
  lines: readonly { startLine: number; endLine: number }[]
  /** The types of functions, whose bodies are left out elsewhere. They are most of a tree. */
  functions: ReadonlySet<string>
}

/**
 * Reads a source, also one with syntax errors. Undefined for a component without a script.
 */
export async function readSourceTree(
  text: string,
  dialect: Dialect,
  options: ParseOptions,
  wanted?: Wanted,
): Promise<SourceTree | undefined> {
  if (isGrammar(dialect)) {
    const tree = await parseTree(text, grammars[dialect], options.timeoutMs)
    try {
      const lineOf = lineCounter(text)
      return sourceTree(text, plainTree(tree, bodiesElsewhere(lineOf, wanted)), lineOf)
    } finally {
      tree.delete()
    }
  }
  const script = dialect === 'component' ? scriptOf(text) : { source: text, dialect }
  if (!script) return undefined
  const { source } = script
  if (options.checkNesting && nestsTooDeep(source)) throw new ParseFailure('error', 'nested too deeply')
  const lineOf = lineCounter(source)
  const parsed = parseLeniently(source, script.dialect)
  const root = plainProgram(parsed.program, bodiesElsewhere(lineOf, wanted))
  release(parsed)
  return sourceTree(source, root, lineOf)
}

function bodiesElsewhere(lineOf: (offset: number) => number, wanted: Wanted | undefined) {
  if (!wanted) return undefined
  const { lines, functions } = wanted
  return ({ field, parent, start, end }: SyntaxNode): boolean => {
    if (field !== 'body' || !parent || !functions.has(parent.type)) return false
    const first = lineOf(start)
    const last = lineOf(end)
    return !lines.some(({ startLine, endLine }) => startLine <= last && first <= endLine)
  }
}

function sourceTree(source: string, root: SyntaxNode, lineOf: (offset: number) => number): SourceTree {
  return { source, root, text: ({ start, end }) => source.slice(start, end), lineOf }
}
