import { join } from 'node:path/posix'
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
 * Adds the reasons for which files could not be loaded to the cases of node:test, and those for which packages do not
 * compile to the cases of Go before 1.24. The reports do not contain them. node:test prints them above the result of the
 * file, and Go below the name of the package.
 *
 * @param printed - the end of the output
 */
export function withPrintedReasons(
  cases: readonly OutcomeCase[],
  printed: string,
  around: Surroundings,
): readonly OutcomeCase[] {
  if (!cases.some((found) => isUnexplained(found) || isUncompiled(found))) return cases
  const lines = printed.split('\n')
  return cases.map((found) => {
    const reason = isUncompiled(found)
      ? reasonOfCompiler(lines, found.suite, around)
      : isUnexplained(found)
        ? reasonAbove(lines, found.name, around)
        : null
    return reason === null ? found : { ...found, message: reason.message, place: found.place ?? reason.place }
  })
}

const isUnexplained = (found: OutcomeCase) =>
  found.status === 'failed' && isOutsideOfTests(found) && saysNothing.test(found.message ?? '')

const isUncompiled = ({ name, message }: OutcomeCase) =>
  name === 'package' && /^The package (?:does not compile|cannot be loaded): FAIL\t/.test(message ?? '')

interface Reason {
  message: string
  place: Place | null
}

const maxCompilerLines = 20

/** Returns the errors below `# example.org/shop` or `# example.org/shop [example.org/shop.test]`. */
function reasonOfCompiler(lines: readonly string[], name: string, around: Surroundings): Reason | null {
  const start = lines.findIndex((line) => line === `# ${name}` || line.startsWith(`# ${name} [`))
  if (start < 0) return null
  const below = lines.slice(start + 1, start + 1 + maxCompilerLines)
  const end = below.findIndex((line) => line.trim() === '' || /^(?:# |FAIL\b|ok |\{)/.test(line))
  const errors = end < 0 ? below : below.slice(0, end)
  if (errors.length === 0) return null
  const message = errors.map((line) => line.replace(/^\.\//, '')).join('\n')
  return { message, place: placeOfCompiler(message, around) }
}

/** Returns the place that an error of the Go compiler begins with, whose path starts at the folder of the command. */
function placeOfCompiler(message: string, { directory, files }: Surroundings): Place | null {
  const [, path = '', line] = /^([^\s:]{1,500}\.go):(\d{1,9}):/.exec(message) ?? []
  const file = join(directory, path)
  return path !== '' && files.has(file) ? { file, line: Number(line) } : null
}

function reasonAbove(
  lines: readonly string[],
  name: string,
  around: Surroundings,
): Reason | null {
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
