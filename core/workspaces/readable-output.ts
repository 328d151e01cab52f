/** Go cuts the lines of a test at 4 KiB, which escapes can make six times as long. Parsing hostile lines would take long. */
const maxEventLength = 65_536

/**
 * Converts the output of runners that print for programs: unwraps the events of `go test -json`. Passes on all other
 * output unchanged.
 */
export function readableOutput(report: string | undefined, print: (text: string) => void): (text: string) => void {
  if (report !== 'go.json') return print
  let partial = ''
  return (text) => {
    // A line of this length is not an event, and joining its pieces would be slow.
    if (partial.length > maxEventLength) {
      print(partial)
      partial = ''
    }
    const lines = (partial + text).split('\n')
    partial = lines.pop() ?? ''
    for (const line of lines) print(outputOf(line))
    if (text === '' && partial !== '') {
      print(outputOf(partial))
      partial = ''
    }
  }
}

function outputOf(line: string): string {
  if (line.length > maxEventLength) return `${line}\n`
  try {
    const event: unknown = JSON.parse(line)
    if (typeof event === 'object' && event !== null && 'Action' in event) {
      return 'Output' in event && typeof event.Output === 'string' ? event.Output : ''
    }
  } catch {
    // Some lines are not events, for example errors of the compiler.
  }
  return `${line}\n`
}
