import type { IncomingMessage } from 'node:http'

/** More than a body may have, for clients that read the response only after they have sent everything. */
const maxBytes = 128 * 2 ** 20
const maxMs = 10_000

/**
 * Reads and discards what is left of a request body when the response is decided. Closing a connection on which the
 * client still sends would often lose the response. Closes it nevertheless if the rest is too large or too slow.
 */
export function readRest(req: IncomingMessage): void {
  const { socket } = req
  if (req.complete || socket.destroyed) return
  const close = () => void socket.destroy()
  const deadline = setTimeout(close, maxMs)
  const stop = () => {
    clearTimeout(deadline)
    socket.off('close', stop)
  }
  let bytes = 0
  req.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > maxBytes) close()
  })
  req.once('end', stop)
  socket.once('close', stop)
  req.resume()
}
