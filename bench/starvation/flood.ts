/** Sends the same request over many connections until it is told to stop, then reports how the server answered. */
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'

export interface Flood {
  port: number
  connections: number
  /** The connections take them in turns. */
  requests: { path: string; method: 'GET' | 'POST'; headers: Record<string, string>; body?: string }[]
}

const [message] = (await once(process, 'message')) as [Flood]
const agent = new Agent({ keepAlive: true, maxSockets: message.connections })
const statuses: Record<string, number> = {}
const stopping = new AbortController()
process.once('message', () => stopping.abort())

async function send(index: number): Promise<void> {
  const chosen = message.requests[index % message.requests.length]
  if (!chosen) return
  const { body, ...options } = chosen
  const req = request({ host: '127.0.0.1', port: message.port, agent, ...options })
  req.end(body)
  let status = 'no answer'
  try {
    const [res] = (await once(req, 'response')) as [IncomingMessage]
    status = String(res.statusCode)
    res.resume()
    await once(res, 'end')
  } catch {
    // The server closed the connection.
  }
  if (!stopping.signal.aborted) statuses[status] = (statuses[status] ?? 0) + 1
}

await Promise.race([
  Promise.all(
    Array.from({ length: message.connections }, async (_, index) => {
      while (!stopping.signal.aborted) await send(index)
    }),
  ),
  once(process, 'message'),
])
process.send?.({ statuses })
process.disconnect()
process.exit()
