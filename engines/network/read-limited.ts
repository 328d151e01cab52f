/** The text of an answer; undefined beyond the limit, which counts what comes out of decompression. */
export async function readLimited(response: Response, maxBytes: number): Promise<string | undefined> {
  const decoder = new TextDecoder()
  let received = 0
  let text = ''
  for await (const chunk of response.body ?? []) {
    received += chunk.length
    if (received > maxBytes) return undefined
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}
