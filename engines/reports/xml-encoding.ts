import { TextDecoder } from 'node:util'
import { ReportError } from './report.ts'
import type { ReportLimits, ReportSource } from './report.ts'

/** Bytes that contain a byte order mark and an XML declaration. */
const declarationSize = 1024
/** Bytes decoded at a time: a source that is one large buffer is not held as text too. */
const pieceSize = 64 * 1024

/** Yields the file as text, in pieces. Replaces bytes that are not valid in the encoding, and warns of them. */
export async function* decodedXml(
  source: ReportSource,
  limits: ReportLimits,
  warn: (message: string) => void,
): AsyncGenerator<string> {
  let size = 0
  let start: Buffer = Buffer.alloc(0)
  let decoder: TextDecoder | undefined
  const decode = (bytes: Buffer | undefined) => {
    decoder ??= decoderFor(start, source.name)
    const text = bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true })
    if (text.includes('\uFFFD')) warn(`characters are lost, because its bytes are not valid ${decoder.encoding}`)
    return text
  }
  for await (const bytes of source.bytes) {
    size += bytes.length
    if (size > limits.maxBytes)
      throw new ReportError('too_large', source.name, `the file has more than ${limits.maxBytes} bytes`)
    let rest = bytes
    if (decoder === undefined) {
      start = rest = start.length === 0 ? bytes : Buffer.concat([start, bytes])
      if (start.length < declarationSize) continue
    }
    for (let from = 0; from < rest.length; from += pieceSize) yield decode(rest.subarray(from, from + pieceSize))
  }
  if (size === 0) throw new ReportError('empty', source.name, 'the file is empty')
  if (decoder === undefined) yield decode(start)
  yield decode(undefined)
}

function decoderFor(start: Buffer, name: string): TextDecoder {
  const label = encodingOf(start)
  try {
    return new TextDecoder(label)
  } catch (error) {
    if (error instanceof RangeError)
      throw new ReportError('malformed', name, `the file has an unknown encoding, ${label}`, 1)
    throw error
  }
}

/** Returns the encoding of an XML file by its first bytes; UTF-8 where they do not say. */
export function encodingOf(start: Buffer): string {
  const [first, second, third] = start
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0x3c && second === 0) return 'utf-16le'
  if (first === 0 && second === 0x3c) return 'utf-16be'
  const declared = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]{1,40})["']/.exec(start.toString('latin1'))?.[1]
  // A declaration that can be read byte by byte is not in UTF-16, though .NET's string writers say so.
  return declared === undefined || /^(utf-16|ucs-2|iso-10646)/i.test(declared) ? 'utf-8' : declared
}
