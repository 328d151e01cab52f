import type { ReportSource } from '../reports/report.ts'
import type { ReportRecord } from './record.ts'

const maxLineLength = 2 ** 16
const newline = 10
const carriageReturn = 13
const nothing: Buffer = Buffer.alloc(0)

/**
 * Calls with where each line stands, without its end, and counts lines in `record.at`. No text is made of them: of the
 * millions of lines that a report has, hardly any is needed as one.
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
      // Only the line that was broken is copied: copies of all chunks would double what is held until memory is freed.
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
