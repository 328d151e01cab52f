import type { FileFacts } from './types.ts'
import { type Dialect, isGrammar } from './dialects.ts'
import { ParseFailure } from './failure.ts'
import { grammars } from './grammars/index.ts'
import { loadGrammar, parseWithGrammar } from './grammars/parse-with-grammar.ts'
import { parseJavaScript } from './javascript/parse-javascript.ts'
import { scriptOf } from './javascript/script-blocks.ts'
import type { Parsed, ParseOptions } from './messages.ts'

/**
 * The facts of one file, from its bytes alone. Sources can take this process down or keep it busy for long: call it
 * in a worker of the pool.
 */
export async function parseFile(content: Uint8Array, dialect: Dialect, options: ParseOptions): Promise<Parsed> {
  try {
    const source = new TextDecoder().decode(content)
    return { facts: await factsOf(source, dialect, options) }
  } catch (error) {
    // Stack overflows arrive as RangeError, corrupted WebAssembly memory as RuntimeError: both concern this file only.
    return { unparsed: error instanceof ParseFailure ? error.reason : 'error' }
  }
}

async function factsOf(source: string, dialect: Dialect, options: ParseOptions): Promise<FileFacts> {
  switch (dialect) {
    case 'component':
      return componentFacts(source, options)
    case 'js':
    case 'jsx':
    case 'ts':
    case 'tsx':
    case 'dts':
      return parseJavaScript(source, dialect, options.checkNesting)
    default:
      return parseWithGrammar(source, grammars[dialect], options.timeoutMs)
  }
}

/** A component is its file's default export, with or without a script. */
function componentFacts(source: string, options: ParseOptions): FileFacts {
  const script = scriptOf(source)
  const facts: FileFacts = script
    ? parseJavaScript(script.source, script.dialect, options.checkNesting)
    : { symbols: [], imports: [], exports: [], references: [] }
  if (!facts.exports.some((fact) => fact.name === 'default')) facts.exports.push({ name: 'default' })
  return facts
}

/** Loads what a dialect needs ahead of its first file, so that loading does not count as that file's time. */
export async function warmUp(dialect: Dialect): Promise<void> {
  if (isGrammar(dialect)) await loadGrammar(grammars[dialect])
  else parseJavaScript('', 'ts')
}
