import { type ParseResult, parseSync, type ParserOptions, rawTransferSupported } from 'oxc-parser'
import { ParseFailure } from '../failure.ts'
import { FactsBuilder } from '../facts-builder.ts'
import { nestsTooDeep } from '../nesting.ts'
import type { FileFacts } from '../types.ts'
import { javascriptGlobals } from './roots.ts'
import { recordWrittenImports } from './written-imports.ts'
import { Walker } from './walker.ts'

export type JavaScriptDialect = 'js' | 'jsx' | 'ts' | 'tsx' | 'dts'

/**
 * Reading the tree out of the parser's memory is three times as fast as passing it as JSON. The option is not part
 * of the published types. It wants 64-bit little-endian memory and reserves 6 GiB of addresses, which not every
 * machine grants; then it is JSON.
 */
const options: ParserOptions & { experimentalRawTransfer: boolean } = {
  sourceType: 'unambiguous',
  preserveParens: false,
  experimentalRawTransfer: rawTransferSupported() && addressesAreGranted(),
}

function addressesAreGranted(): boolean {
  try {
    const trial: typeof options = { experimentalRawTransfer: true }
    parseSync('source.js', '', trial)
    return true
  } catch {
    return false
  }
}

/** `checkNesting: false` lets through what is known to crash the parser, for tests of what happens then. */
export function parseJavaScript(source: string, dialect: JavaScriptDialect, checkNesting = true): FileFacts {
  if (checkNesting && nestsTooDeep(source)) throw new ParseFailure('error', 'nested too deeply')
  const facts = new FactsBuilder(javascriptGlobals)
  const parsed = parseLeniently(source, dialect)
  facts.syntaxErrors = parsed.errors.length > 0
  new Walker(facts, source).program(parsed.program)
  recordWrittenImports(facts, source)
  release(parsed)
  return facts.finish()
}

/**
 * The result of the parser has getters of its own, and with them a hidden class of its own, which holds the tree until
 * the next full garbage collection. Emptied, it goes with the young objects, which saves a quarter of the time.
 */
export function release({ program, comments, module }: ParseResult): void {
  if (!options.experimentalRawTransfer) return
  program.body.length = 0
  comments.length = 0
  module.staticImports.length = 0
  module.staticExports.length = 0
}

/**
 * A script that is wrong as a module may be right as CommonJS, where `return` is allowed at the top; type annotations
 * in a .js file are Flow's, most of which TypeScript's grammar can read.
 */
export function parseLeniently(source: string, dialect: JavaScriptDialect): ParseResult {
  const first = parse(source, dialect)
  if (first.errors.length === 0 || dialect !== 'jsx') return first
  const retried =
    first.program.body.length === 0 ? parse(source, 'tsx') : parse(source, dialect, { sourceType: 'commonjs' })
  return retried.errors.length === 0 ? retried : first
}

function parse(source: string, dialect: JavaScriptDialect, overrides: ParserOptions = {}): ParseResult {
  return parseSync(`source.${dialect}`, source, { ...options, ...overrides, lang: dialect })
}
