import { type Dialect, isGrammar } from '../dialects.ts'
import { ParseFailure } from '../failure.ts'
import { grammars } from '../grammars/index.ts'
import { parseTree } from '../grammars/parse-with-grammar.ts'
import { lineCounter } from '../javascript/lines.ts'
import { type JavaScriptDialect, parseLeniently } from '../javascript/parse-javascript.ts'
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

/** Reads a source, also one with syntax errors. Undefined for a component without a script. */
export async function readSourceTree(
  text: string,
  dialect: Dialect,
  options: ParseOptions,
): Promise<SourceTree | undefined> {
  if (isGrammar(dialect)) {
    const tree = await parseTree(text, grammars[dialect], options.timeoutMs)
    try {
      return sourceTree(text, plainTree(tree))
    } finally {
      tree.delete()
    }
  }
  const script = dialect === 'component' ? scriptOf(text) : { source: text, dialect }
  return script && javaScriptTree(script.source, script.dialect, options)
}

function javaScriptTree(source: string, dialect: JavaScriptDialect, { checkNesting }: ParseOptions): SourceTree {
  if (checkNesting && nestsTooDeep(source)) throw new ParseFailure('error', 'nested too deeply')
  return sourceTree(source, plainProgram(parseLeniently(source, dialect).program))
}

function sourceTree(source: string, root: SyntaxNode): SourceTree {
  return { source, root, text: ({ start, end }) => source.slice(start, end), lineOf: lineCounter(source) }
}
