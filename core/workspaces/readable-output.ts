const maxEventLength = 1_048_576

/**
 * What people get to read of a runner whose stdout is made for programs: of `go test -json` the output that it wraps.
 * Everything else is passed on as it is.
 */
export function readableOutput(report: string | undefined, print: (text: string) => void): (text: string) => void {
  if (report !== 'go.json') return print
  let partial = ''
  return (text) => {
    // A line that does not end is no event, and would be put together again and again.
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
  try {
    const event: unknown = JSON.parse(line)
    if (typeof event === 'object' && event !== null && 'Action' in event) {
      return 'Output' in event && typeof event.Output === 'string' ? event.Output : ''
    }
  } catch {
    // Not every line is an event: the compiler prints too.
  }
  return `${line}\n`
}
