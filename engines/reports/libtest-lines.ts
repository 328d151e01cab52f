import type { CaseStatus } from './report.ts'

/** A line of the output of `cargo test` that the reader uses. */
export type LibtestLine =
  | { kind: 'binary'; name: string; file: string | null }
  | { kind: 'running'; count: number }
  | { kind: 'test'; name: string; status: CaseStatus; reason: string | null; durationMs: number | null }
  /** The result comes later, because the test prints to the same output. */
  | { kind: 'started'; name: string; rest: string }
  | { kind: 'panic'; name: string }
  | { kind: 'output-of'; name: string }
  | { kind: 'failed-name'; name: string }
  | { kind: 'result'; passed: number; failed: number; ignored: number; measured: number }
  | { kind: 'problem'; text: string }
  | { kind: 'other' }

const result =
  /^test result: (?:ok|FAILED)\. (\d{1,9}) passed; (\d{1,9}) failed; (\d{1,9}) ignored; (\d{1,9}) measured; \d+ filtered out/
const testEnd = /^(ok|FAILED|ignored|bench:)(?:$|,? )/
const seconds = / ?<(\d{1,9}\.\d{1,9})s>$/
// Output without a newline comes before the line of another test.
const testAfterOutput = /test ([\w:]+(?: - should panic)?) \.\.\. (ok|FAILED)$/

export function parseLibtestLine(line: string): LibtestLine {
  if (line.startsWith('test result: ')) {
    const match = result.exec(line)
    if (match) {
      const [passed = 0, failed = 0, ignored = 0, measured = 0] = match.slice(1).map(Number)
      return { kind: 'result', passed, failed, ignored, measured }
    }
  }
  if (line.startsWith('test ')) {
    const dots = line.indexOf(' ... ')
    if (dots !== -1) return parseTest(line.slice('test '.length, dots), line.slice(dots + ' ... '.length))
  }
  if (line.startsWith('thread ')) {
    const match = /^thread '([^']+)'.* panicked at /.exec(line)
    if (match?.[1] !== undefined) return { kind: 'panic', name: match[1] }
  }
  if (line.startsWith('---- ')) {
    const match = /^---- (.+) stdout ----$/.exec(line)
    if (match?.[1] !== undefined) return { kind: 'output-of', name: match[1] }
  }
  if (line.startsWith('    ') && !line.startsWith('     ')) return { kind: 'failed-name', name: line.trim() }
  if (line.startsWith('running ')) {
    const match = /^running (\d{1,15}) tests?$/.exec(line)
    if (match) return { kind: 'running', count: Number(match[1]) }
  }
  if (line.startsWith('   ')) return parseBinary(line)
  if (/^error(?:\[E\d+\])?:/.test(line)) return { kind: 'problem', text: line }
  const match = line.includes(' ... ') ? testAfterOutput.exec(line) : null
  return match ? testLine(match[1] ?? '', match[2] ?? '', '', undefined) : { kind: 'other' }
}

function parseTest(name: string, rest: string): LibtestLine {
  const time = seconds.exec(rest)
  const result = time ? rest.slice(0, time.index) : rest
  const match = testEnd.exec(result)
  if (!match) return { kind: 'started', name: withoutRemark(name), rest }
  return testLine(name, match[1] ?? '', result.slice(match[0].length), time?.[1])
}

function testLine(name: string, word: string, reason: string, seconds: string | undefined): LibtestLine {
  const status = word === 'FAILED' ? 'failed' : word === 'ignored' ? 'skipped' : 'passed'
  return {
    kind: 'test',
    name: withoutRemark(name),
    status,
    reason: status === 'skipped' && reason !== '' ? reason : null,
    durationMs: seconds === undefined ? null : Number(seconds) * 1_000,
  }
}

function parseBinary(line: string): LibtestLine {
  const doc = /^\s+Doc-tests (\S+)$/.exec(line)
  if (doc) return { kind: 'binary', name: `${doc[1]} doc-tests`, file: null }
  const match = /^\s+Running (?:unittests )?(\S+) \((?:.*[/\\])?([^/\\]+?)(?:-[0-9a-f]{16})?(?:\.exe)?\)$/.exec(line)
  if (!match) return { kind: 'other' }
  // Unit tests may be in any file of the crate. Other tests are in this file.
  return { kind: 'binary', name: match[2] ?? '', file: line.includes(' unittests ') ? null : (match[1] ?? null) }
}

/** Removes the mode of a test ("should panic", "compile fail") from its name. */
const withoutRemark = (name: string) => name.replace(/ - (?:should panic|compile fail|compile)$/, '')

export interface Panic {
  message: string
  stack: string | null
  file: string | null
  line: number | null
}

/** Splits the output of a failed test into its panic and the stack. */
export function readPanic(output: string): Panic {
  const place = placeOf(output)
  const backtrace = output.indexOf('\nstack backtrace:')
  const message = (backtrace === -1 ? output : output.slice(0, backtrace)).replace(
    /\nnote: run with `RUST_BACKTRACE[^\n]*/,
    '',
  )
  return {
    message: message.trim(),
    stack: backtrace === -1 ? null : output.slice(backtrace).trim(),
    file: place?.[1] ?? null,
    line: place ? Number(place[2]) : null,
  }
}

/** Finds the file and line behind `panicked at`, or behind the message in quotes that older versions print first. */
function placeOf(output: string): RegExpExecArray | null {
  const behindMessage = /', ([^\s:'][^:\n']*):(\d+):\d+/g
  const marks = [...output.matchAll(/(?:panicked|expected) at /g)]
  let isSearched = false
  for (const [index, mark] of marks.entries()) {
    const start = mark.index + mark[0].length
    const isQuoted = output[start] === "'"
    if (isQuoted && isSearched) continue
    isSearched ||= isQuoted
    behindMessage.lastIndex = start
    const direct = isQuoted ? null : output.slice(start, marks[index + 1]?.index)
    const place = direct === null ? behindMessage.exec(output) : /^([^\s:'][^:\n']*):(\d+):\d+/.exec(direct)
    if (place) return place
  }
  return null
}
