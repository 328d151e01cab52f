const maxHeadBytes = 16 * 1024

/** The beginning of a body as text that Postgres can hold. What is no text comes out as replacement characters. */
export function headOf(chunks: readonly Buffer[], contentEncoding: string | undefined): string {
  if (contentEncoding !== undefined && contentEncoding !== 'identity') return ''
  const [first] = chunks
  if (!first) return ''
  const bytes = chunks.length === 1 ? first : Buffer.concat(chunks)
  const text = cut(bytes).replaceAll('\0', '')
  // Each byte that is no UTF-8 has become three.
  return text.length * 3 <= maxHeadBytes ? text : cut(Buffer.from(text))
}

function cut(bytes: Buffer): string {
  if (bytes.length <= maxHeadBytes) return bytes.toString()
  // As a stream, so that a character which the cut goes through is left out.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, maxHeadBytes), { stream: true })
}

/** @param retryAfter - the header: seconds, or a date */
export function retryAfterMs(retryAfter: string | undefined, now: number): number | null {
  if (retryAfter === undefined) return null
  if (/^\d{1,15}$/.test(retryAfter)) return Number(retryAfter) * 1_000
  const time = retryAfter.endsWith(' GMT') ? Date.parse(retryAfter) : Number.NaN
  return Number.isNaN(time) ? null : Math.max(0, time - now)
}
