import { posix } from 'node:path'
import type { Example } from '../example.ts'
import { arrange, commentLines, stateExpectation } from '../wording.ts'

const hashed = new Set(['.ex', '.exs', '.sh', '.pl', '.r', '.jl', '.nim', '.cr'])

/** For languages that the mock writes no code in: what to write, as comments. */
export function writeOutline(example: Example): string {
  const sign = hashed.has(posix.extname(example.sourcePath).toLowerCase()) ? '#' : '//'
  const lines = [
    ...example.header,
    ...example.cases.map((sentence, index) => `${index + 1}. ${sentence}`),
    arrange(example),
    `Act. Then assert. ${stateExpectation.replace(/ It returned: $/, '')}`,
  ]
  return [...commentLines(lines, sign), ''].join('\n')
}
