import type { ByteRange } from './storage/storage.ts'

/**
 * The bytes that a `Range` header asks for. One range is answered; of several, and of what is malformed, the whole file
 * is sent instead, as RFC 9110 allows: putting ranges together costs the server more than it asks of the sender.
 *
 * @returns undefined for the whole file, null where the range has no byte of it
 */
export function readRange(header: string, size: number): ByteRange | undefined | null {
  const [, first, last] = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i.exec(header) ?? []
  if (first === undefined || last === undefined || first + last === '') return undefined
  const [start, end] =
    first === '' ? [Math.max(0, size - Number(last)), size - 1] : [Number(first), last === '' ? size - 1 : Number(last)]
  // Backwards is malformed; beyond the end is what cannot be had.
  if (first !== '' && last !== '' && start > end) return undefined
  return start < size ? { start, end: Math.min(end, size - 1) } : null
}
