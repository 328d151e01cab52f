import { caseIds } from '../analysis/details/cases.ts'
import { detectLanguage } from '../languages/detect.ts'
import { dialectOf } from '../parsing/dialects.ts'
import { describeFile } from '../parsing/description/describe-file.ts'
import { parseFile } from '../parsing/parse-file.ts'
import type { CodeCase, PlacesWork } from './code-places.ts'

const options = { timeoutMs: 5_000, checkNesting: true }

/** The task of `readPlaces`. */
const work: PlacesWork = async ({ path, source, withCases }) => {
  const content = Buffer.from(source)
  const dialect = dialectOf(detectLanguage(path, content), path)
  const parsed = dialect && (await parseFile(content, dialect, options))
  if (!parsed || !('facts' in parsed)) return { symbols: [], cases: [] }
  const symbols = parsed.facts.symbols.map(({ name, kind, startLine, endLine }) => ({ name, kind, startLine, endLine }))
  if (!withCases) return { symbols, cases: [] }
  const functions = symbols.filter(({ kind }) => kind !== 'class')
  const described = await describeFile(content, dialect, functions, options)
  if (!('symbols' in described)) return { symbols, cases: [] }
  const cases = functions.flatMap(({ name: symbol }, index): CodeCase[] => {
    const idOf = caseIds(path, symbol)
    return (described.symbols[index]?.cases ?? []).map((one) => {
      const { line, condition, outcome, result, risk, run } = one
      const taken = { line, condition, outcome, ...(result !== undefined && { result }) }
      return { id: idOf(one), symbol, ...taken, risk, only: run.only ?? [] }
    })
  })
  return { symbols, cases }
}

export default work
