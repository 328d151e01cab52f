import { parseSync, type ParserOptions, rawTransferSupported } from 'oxc-parser'
import { ParseFailure } from '../failure.ts'
import { FactsBuilder } from '../facts-builder.ts'
import { nestsTooDeep } from '../nesting.ts'
import type { FileFacts } from '../../types.ts'
import { Walker } from './walker.ts'

export type JavaScriptDialect = 'js' | 'jsx' | 'ts' | 'tsx' | 'dts'

/**
 * Reading the tree out of the parser's memory is three times as fast as passing it as JSON. The option is not part
 * of the published types; platforms without 64-bit little-endian memory fall back to JSON.
 */
const options: ParserOptions & { experimentalRawTransfer: boolean } = {
  sourceType: 'unambiguous',
  preserveParens: false,
  experimentalRawTransfer: rawTransferSupported(),
}

/** `checkNesting: false` lets through what is known to crash the parser, for tests of what happens then. */
export function parseJavaScript(source: string, dialect: JavaScriptDialect, checkNesting = true): FileFacts {
  if (checkNesting && nestsTooDeep(source)) throw new ParseFailure('error', 'nested too deeply')
  const facts = new FactsBuilder()
  let { program, errors } = parse(source, dialect)
  // Type annotations in a .js file are Flow's, most of which TypeScript's grammar can read.
  if (program.body.length === 0 && errors.length > 0 && dialect === 'jsx') {
    ;({ program, errors } = parse(source, 'tsx'))
  }
  facts.syntaxErrors = errors.some((error) => error.severity === 'Error')
  new Walker(facts, source).program(program)
  return facts.finish()
}

function parse(source: string, dialect: JavaScriptDialect) {
  const parsed = parseSync(`source.${dialect}`, source, { ...options, lang: dialect })
  return { program: parsed.program, errors: parsed.errors }
}
