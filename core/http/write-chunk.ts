import type { ServerResponse } from 'node:http'

/**
 * Writes a chunk and waits until the kernel has accepted it, for backpressure; the caller may reuse the buffer then.
 * Returns false if the client has disconnected or the signal aborts.
 */
export function writeChunk(res: ServerResponse, chunk: Buffer | string, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const abort = () => resolve(false)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort)
    res.write(chunk, (error) => {
      signal.removeEventListener('abort', abort)
      resolve(!error)
    })
  })
}
