import type { ByteRange } from './storage/storage.ts'

/**
 * Parses a `Range` header. For several ranges and malformed headers the whole file is sent, as RFC 9110 allows, because
 * a response with several ranges costs the server much more than the request costs the client.
 *
 * @returns undefined for the whole file; null if the range contains no byte of it
 */
export function readRange(header: string, size: number): ByteRange | undefined | null {
  const [, first, last] = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i.exec(header) ?? []
  if (first === undefined || last === undefined || first + last === '') return undefined
  const [start, end] =
    first === '' ? [Math.max(0, size - Number(last)), size - 1] : [Number(first), last === '' ? size - 1 : Number(last)]
  // A range that ends before it starts is malformed; a range beyond the end cannot be satisfied.
  if (first !== '' && last !== '' && start > end) return undefined
  return start < size ? { start, end: Math.min(end, size - 1) } : null
}
