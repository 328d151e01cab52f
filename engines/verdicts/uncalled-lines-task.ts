import { calledLines } from '../coverage/called-lines.ts'
import { parseRanges, type Ranges, uniteRanges } from '../coverage/ranges.ts'
import { detectLanguage } from '../languages/detect.ts'
import { dialectOf } from '../parsing/dialects.ts'
import { lineCounter } from '../parsing/javascript/lines.ts'
import { parseLeniently } from '../parsing/javascript/parse-javascript.ts'
import { uncalledCode } from '../parsing/javascript/uncalled-code.ts'
import { nestsTooDeep } from '../parsing/nesting.ts'
import type { UncalledLinesInput, UncalledLinesWork } from './uncalled-lines.ts'

/** The task of `withoutUncalledLines`. A source that the parser cannot read has no such lines. */
const work: UncalledLinesWork = (input) => uncalledLines(input)

export default work

export function uncalledLines({ path, source, covered, uncalled }: UncalledLinesInput): Ranges {
  const dialect = dialectOf(detectLanguage(path, Buffer.from(source)), path)
  const isJavaScript = dialect === 'js' || dialect === 'jsx' || dialect === 'ts' || dialect === 'tsx'
  if (!isJavaScript || nestsTooDeep(source)) return []
  const { program, errors } = parseLeniently(source, dialect)
  if (errors.length > 0) return []
  const called = calledLines({ covered: parseRanges(covered), uncalled: parseRanges(uncalled) })
  const { lines } = uncalledCode(program, lineCounter(source), called)
  return uniteRanges(
    lines.map((line) => [line, line]),
    [],
  )
}
