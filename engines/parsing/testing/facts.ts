import type { FileFacts } from '../types.ts'
import type { Dialect } from '../dialects.ts'
import { parseFile } from '../parse-file.ts'

/** The facts of a source given as text; fails when there are none. */
export async function factsOf(dialect: Dialect, source: string): Promise<FileFacts> {
  const parsed = await parseFile(Buffer.from(source), dialect, { timeoutMs: 5_000, checkNesting: true })
  if ('unparsed' in parsed) throw new Error(`not parsed: ${parsed.unparsed}`)
  return parsed.facts
}

/** One line for each symbol, such as `method Router.handle 3-9 complexity 4, exported`. */
export async function symbolsOf(dialect: Dialect, source: string): Promise<string[]> {
  const { symbols } = await factsOf(dialect, source)
  return symbols.map(({ kind, name, startLine, endLine, complexity, exported, test }) =>
    [`${kind} ${name} ${startLine}-${endLine} complexity ${complexity}`, exported && 'exported', test && 'test']
      .filter(Boolean)
      .join(', '),
  )
}

/** Complexity by symbol name. */
export async function complexityOf(dialect: Dialect, source: string): Promise<Record<string, number>> {
  const { symbols } = await factsOf(dialect, source)
  return Object.fromEntries(symbols.map((symbol) => [symbol.name, symbol.complexity]))
}
