const maxHeadBytes = 16 * 1024

/** Returns the beginning of a body as text that Postgres can store. Bytes that are not UTF-8 become replacement characters. */
export function headOf(chunks: readonly Buffer[], contentEncoding: string | undefined): string {
  if (contentEncoding !== undefined && contentEncoding !== 'identity') return ''
  const [first] = chunks
  if (!first) return ''
  const bytes = chunks.length === 1 ? first : Buffer.concat(chunks)
  const text = cut(bytes).replaceAll('\0', '')
  // Each invalid byte became a replacement character of three bytes.
  return text.length * 3 <= maxHeadBytes ? text : cut(Buffer.from(text))
}

function cut(bytes: Buffer): string {
  if (bytes.length <= maxHeadBytes) return bytes.toString()
  // With `stream`, the decoder drops a character that the cut splits.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, maxHeadBytes), { stream: true })
}

/** @param retryAfter - the header: seconds, or a date */
export function retryAfterMs(retryAfter: string | undefined, now: number): number | null {
  if (retryAfter === undefined) return null
  if (/^\d{1,15}$/.test(retryAfter)) return Number(retryAfter) * 1_000
  const time = retryAfter.endsWith(' GMT') ? Date.parse(retryAfter) : Number.NaN
  return Number.isNaN(time) ? null : Math.max(0, time - now)
}
