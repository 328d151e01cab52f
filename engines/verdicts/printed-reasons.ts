import { isOutsideOfTests } from './failure-kind.ts'
import { type Place, placeOfFailure, type Surroundings } from './failure-place.ts'
import type { OutcomeCase } from './outcome.ts'

const saysNothing = /^\[?(?:Error: )?test failed\b/
const result = /^\s*[✔✖▶ℹ﹣]/
const lastLine = /^Node\.js v\d/
const errorLine = /^(?:[A-Za-z]\w{0,100})?Error(?: \[\w{1,100}\])?: /
const sourceLine = /^(?:file:\/\/)?\/\S{1,1000}:\d+$/
const maxLines = 200

/**
 * Adds the reasons for which files could not be loaded to the cases of node:test. Its reports do not contain them; it
 * prints them above the result of the file.
 *
 * @param printed - the end of the output
 */
export function withPrintedReasons(
  cases: readonly OutcomeCase[],
  printed: string,
  around: Surroundings,
): readonly OutcomeCase[] {
  if (!cases.some(isUnexplained)) return cases
  const lines = printed.split('\n')
  return cases.map((found) => {
    const reason = isUnexplained(found) ? reasonAbove(lines, found.name, around) : null
    return reason === null ? found : { ...found, message: reason.message, place: found.place ?? reason.place }
  })
}

const isUnexplained = (found: OutcomeCase) =>
  found.status === 'failed' && isOutsideOfTests(found) && saysNothing.test(found.message ?? '')

function reasonAbove(
  lines: readonly string[],
  name: string,
  around: Surroundings,
): { message: string; place: Place | null } | null {
  const end = lines.findIndex((line) => line.startsWith(`✖ ${name} (`))
  if (end < 0) return null
  const above = lines.slice(Math.max(0, end - maxLines), end)
  const fatal = above.findLastIndex((line) => lastLine.test(line))
  const block = above.slice(above.findLastIndex((line, at) => at !== fatal && isEnd(line)) + 1)
  // What the file printed itself comes before the error.
  const at = block.findLastIndex((line) => errorLine.test(line))
  const message = block[at]
  if (message === undefined) return null
  const from = block.slice(0, at).findLastIndex((line) => sourceLine.test(line))
  const text = block.slice(from < 0 ? at : from).map((line) => line.replace(/^file:\/\//, ''))
  return { message, place: placeOfFailure(text.join('\n'), around).place }
}

const isEnd = (line: string) => result.test(line) || lastLine.test(line)
