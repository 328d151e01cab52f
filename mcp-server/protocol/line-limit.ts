import { Transform } from 'node:stream'

/** The edges of a line that was too long to keep. */
export interface LongLine {
  start: string
  end: string
}

const edgeBytes = 256
const newline = 10

/**
 * Passes on whole lines, except lines over `maxBytes`, of which it keeps only the edges in memory. Drops text after the
 * last newline, which is no message.
 *
 * @param isMessage - returns false for lines to drop
 */
export function limitLines(
  maxBytes: number,
  onLongLine: (line: LongLine) => void,
  isMessage: (line: string) => boolean = () => true,
): Transform {
  let parts: Buffer[] = []
  let length = 0
  let start = Buffer.alloc(0)
  let end = Buffer.alloc(0)

  const add = (part: Buffer) => {
    if (start.length < edgeBytes) start = Buffer.concat([start, part.subarray(0, edgeBytes - start.length)])
    end = Buffer.concat([end, part.subarray(-edgeBytes)]).subarray(-edgeBytes)
    length += part.length
    if (length <= maxBytes) parts.push(part)
    else parts = []
  }

  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      let from = 0
      for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
        add(chunk.subarray(from, at + 1))
        if (length > maxBytes) onLongLine({ start: start.toString(), end: end.toString() })
        else {
          const line = Buffer.concat(parts)
          if (isMessage(line.toString())) this.push(line)
        }
        parts = []
        length = 0
        start = Buffer.alloc(0)
        end = Buffer.alloc(0)
        from = at + 1
      }
      if (from < chunk.length) add(chunk.subarray(from))
      done()
    },
  })
}

/** Returns the problem of a line that is no JSON-RPC message. Blank lines have none. */
export function lineProblem(line: string): { code: number; message: string } | undefined {
  if (line.trim() === '') return undefined
  try {
    const message: unknown = JSON.parse(line)
    if (Array.isArray(message))
      return { code: -32_600, message: 'Batches are not supported. Send one message per line.' }
    if (typeof message !== 'object' || message === null)
      return { code: -32_600, message: 'A message must be an object.' }
    return undefined
  } catch {
    return { code: -32_700, message: 'The line is not JSON.' }
  }
}

/** Finds the id of a JSON-RPC request in its edges: clients write it first or last. */
export function guessRequestId({ start, end }: LongLine): string | number | undefined {
  const found =
    /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d+|"[^"\\]*")\s*,/.exec(start) ??
    /,\s*"id"\s*:\s*(\d+|"[^"\\]*")\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(end)
  const id: unknown = found?.[1] === undefined ? undefined : JSON.parse(found[1])
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}
