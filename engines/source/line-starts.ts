const newline = 10

/** Calls `onLine` with the first `max` bytes of each line of a stream, however long the lines are. */
export function lineStarts(max: number, onLine: (start: string) => void) {
  let start = ''
  return {
    read(chunk: Buffer): void {
      for (let from = 0; from < chunk.length;) {
        const end = chunk.indexOf(newline, from)
        const to = end === -1 ? chunk.length : end
        if (start.length < max) start += chunk.toString('latin1', from, Math.min(to, from + max - start.length))
        if (end === -1) return
        onLine(start)
        start = ''
        from = end + 1
      }
    },
    end(): void {
      if (start !== '') onLine(start)
    },
  }
}
