import { TextDecoder } from 'node:util'
import { ReportError, type ReportLimits, type ReportSource } from './report.ts'

/** The maximum number of characters that are passed on at once. */
const maxPiece = 64 * 1024

/** Decodes a report: as UTF-8, unless a byte order mark or zeros in the first characters show UTF-16. */
export async function* decodeText(source: ReportSource, limits: ReportLimits): AsyncGenerator<string> {
  let size = 0
  let start: Buffer | null = Buffer.alloc(0)
  let decoder: TextDecoder | undefined
  for await (const bytes of source.bytes) {
    size += bytes.length
    if (size > limits.maxBytes) {
      throw new ReportError('too_large', source.name, `the file has more than ${limits.maxBytes} bytes`)
    }
    let chunk: Buffer = bytes
    if (start !== null) {
      start = Buffer.concat([start, bytes])
      // Detecting the encoding takes four bytes.
      if (start.length < 4) continue
      decoder = decoderFor(start)
      chunk = start
      start = null
    }
    if (decoder) yield* pieces(decoder.decode(chunk, { stream: true }))
  }
  if (size === 0) throw new ReportError('empty', source.name, 'the file is empty')
  yield* pieces(start === null ? (decoder?.decode() ?? '') : decoderFor(start).decode(start))
}

function decoderFor(start: Buffer): TextDecoder {
  const [first, second] = start
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== 0)) return new TextDecoder('utf-16be')
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return new TextDecoder('utf-16le')
  return new TextDecoder()
}

function* pieces(text: string): Generator<string> {
  for (let start = 0; start < text.length; start += maxPiece) yield text.slice(start, start + maxPiece)
}

export interface Line {
  text: string
  /** From 1. */
  number: number
  /** Whether the line was longer than `maxLength` and was shortened. */
  cut: boolean
  /** False for a last line without a line end, which indicates an incomplete report. */
  ended: boolean
}

/**
 * Yields lines without their ends (LF, CRLF), some at a time.
 *
 * @param maxLength - the number of characters that are kept of a line
 */
export async function* readLines(
  source: ReportSource,
  limits: ReportLimits,
  maxLength: number,
): AsyncGenerator<Line[]> {
  let number = 0
  let rest = ''
  let cut = false
  const line = (end: string, ended = true): Line => {
    number += 1
    const whole = rest + end
    const text = whole.endsWith('\r') ? whole.slice(0, -1) : whole
    const isCut = cut || text.length > maxLength
    rest = ''
    cut = false
    return { text: isCut ? text.slice(0, maxLength) : text, number, cut: isCut, ended }
  }
  for await (const piece of decodeText(source, limits)) {
    const ends = piece.split('\n')
    const last = ends.pop() ?? ''
    const lines = ends.map((end) => line(end))
    if (rest.length <= maxLength) rest += last
    else if (last !== '') cut = true
    if (lines.length > 0) yield lines
  }
  if (rest !== '') yield [line('', false)]
}
