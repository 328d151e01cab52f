import type { ReportSource } from '../reports/report.ts'
import type { ReportRecord } from './record.ts'

const maxLineLength = 2 ** 16
const newline = 10
const carriageReturn = 13
const nothing: Buffer = Buffer.alloc(0)

/**
 * Calls `line` with the start and end of each line, without its line end, and counts lines in `record.at`. Makes no
 * strings, because hardly any of the millions of lines of a report needs one.
 */
export async function eachLine(
  source: ReportSource,
  record: ReportRecord,
  line: (bytes: Buffer, start: number, end: number) => void,
): Promise<void> {
  let rest = nothing
  record.at = 0
  const take = (bytes: Buffer, start: number, end: number) => {
    record.at = (record.at ?? 0) + 1
    line(bytes, start, bytes[end - 1] === carriageReturn && end > start ? end - 1 : end)
  }
  for await (const chunk of source.bytes) {
    let start = 0
    if (rest.length > 0) {
      // Copies only the line that two chunks share: copies of all chunks would double the memory until it is freed.
      const end = chunk.indexOf(newline)
      start = end === -1 ? chunk.length : end + 1
      rest = Buffer.concat([rest, chunk.subarray(0, end === -1 ? chunk.length : end)])
      if (end !== -1) {
        take(rest, 0, rest.length)
        rest = nothing
      }
    }
    for (let end = chunk.indexOf(newline, start); end !== -1; end = chunk.indexOf(newline, start)) {
      take(chunk, start, end)
      start = end + 1
    }
    if (start < chunk.length) rest = Buffer.from(chunk.subarray(start))
    if (rest.length > maxLineLength) {
      record.at++
      record.fail(`the line is longer than ${maxLineLength} bytes`, 'too_large')
    }
  }
  if (rest.length > 0) take(rest, 0, rest.length)
}
