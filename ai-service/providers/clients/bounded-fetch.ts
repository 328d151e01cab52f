const maxAnswerBytes = 4 * 1_048_576

export class AnswerTooLarge extends Error {
  override name = 'AnswerTooLarge'
}

/**
 * A `fetch` for the packages of the providers. It does not follow redirects, which could send the key to another host,
 * and reads at most 4 MiB.
 */
export async function boundedFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, { ...init, redirect: 'error' })
  if (!response.body) return response
  let size = 0
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        size += chunk.byteLength
        if (size > maxAnswerBytes) controller.error(new AnswerTooLarge('the answer is larger than 4 MiB'))
        else controller.enqueue(chunk)
      },
    }),
  )
  return new Response(counted, { status: response.status, statusText: response.statusText, headers: response.headers })
}
