import { setImmediate } from 'node:timers/promises'
import { invalid } from '../base/errors.ts'

const maxFields = 1_000
const ampersand = 0x26
const plus = 0x2b
const equals = 0x3d
const percent = 0x25
const space = 0x20

/** How much is decoded between two pauses, which takes about a millisecond. */
const bytesPerStep = 131_072

/**
 * Returns the first value of a field in the body of a form; empty if there is none. Lets other work of this process go on
 * while it decodes a large value. URLSearchParams would decode all fields at once, of which a sender can write millions.
 *
 * @throws AppError 400 for a form of very many fields
 */
export async function formField(body: Buffer, name: string): Promise<Buffer> {
  for (let start = 0, count = 0; start <= body.length; count++) {
    if (count === maxFields) throw invalid(`The form has more than ${maxFields} fields.`)
    const separator = body.indexOf(ampersand, start)
    const end = separator < 0 ? body.length : separator
    const field = body.subarray(start, end)
    // Each character of the name may be escaped.
    const beginning = field.subarray(0, 3 * name.length + 1)
    const equal = beginning.indexOf(equals)
    const nameEnd = equal < 0 ? beginning.length : equal
    if (decode(beginning.subarray(0, nameEnd)).toString() === name) return decodeInSteps(field.subarray(nameEnd + 1))
    start = end + 1
  }
  return Buffer.alloc(0)
}

async function decodeInSteps(text: Buffer): Promise<Buffer> {
  const parts: Buffer[] = []
  for (let start = 0; start < text.length;) {
    let end = Math.min(start + bytesPerStep, text.length)
    // An escape stays whole.
    if (end < text.length) end -= text[end - 1] === percent ? 1 : text[end - 2] === percent ? 2 : 0
    parts.push(decode(text.subarray(start, end)))
    start = end
    await setImmediate()
  }
  return Buffer.concat(parts)
}

/** Replaces escapes and plus signs. An incomplete escape stays as it is. */
function decode(text: Buffer): Buffer {
  const decoded = Buffer.allocUnsafe(text.length)
  let length = 0
  for (let at = 0; at < text.length; at++) {
    const byte = text[at] ?? 0
    const high = byte === percent ? hexDigit(text[at + 1]) : undefined
    const low = high === undefined ? undefined : hexDigit(text[at + 2])
    if (high !== undefined && low !== undefined) {
      decoded[length++] = 16 * high + low
      at += 2
    } else decoded[length++] = byte === plus ? space : byte
  }
  return decoded.subarray(0, length)
}

function hexDigit(byte = 0): number | undefined {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : undefined
}
