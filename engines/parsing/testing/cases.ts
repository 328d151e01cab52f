import { describeFile } from '../description/describe-file.ts'
import type { SourceCase } from '../description/types.ts'
import type { Dialect } from '../dialects.ts'

/** The cases of a source given as text, as those of one symbol. */
export async function casesIn(dialect: Dialect, source: string): Promise<SourceCase[]> {
  const place = { name: 'all', startLine: 1, endLine: source.split('\n').length }
  const options = { timeoutMs: 5_000, checkNesting: true }
  const described = await describeFile(Buffer.from(source), dialect, [place], options)
  if ('unparsed' in described) throw new Error(`not described: ${described.unparsed}`)
  return described.symbols[0]?.cases ?? []
}

/** One line for each case, such as `3: count < 0 -> throws RangeError: negative`. */
export async function caseLines(dialect: Dialect, source: string): Promise<string[]> {
  const cases = await casesIn(dialect, source)
  return cases.map(
    ({ line, condition, outcome, result }) =>
      `${line}: ${condition} -> ${outcome}${result === undefined ? '' : ` ${result}`}`,
  )
}
