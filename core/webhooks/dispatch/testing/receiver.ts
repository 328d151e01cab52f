import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  id: string
  path: string
  headers: IncomingHttpHeaders
  body: string
  at: number
}

export interface Receiver extends AsyncDisposable {
  url: string
  /** In order of arrival. */
  received: Received[]
  /** The requests to this path. Tests share a receiver and use different paths. */
  at(path: string): Received[]
}

/** Returns the status to respond with, or undefined to write the response itself or not at all. */
export type Answers = (request: Received, res: ServerResponse, earlier: number) => number | undefined

/** Starts a receiver of deliveries; `answers` gets the number of earlier requests to the same path. */
export async function startReceiver(answers: Answers = () => 200): Promise<Receiver> {
  const received: Received[] = []
  const at = (path: string) => received.filter((one) => one.path === path)
  const server = createServer((req, res) => {
    const chunks: Buffer[] = []
    const arrivedAt = Date.now()
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      const path = req.url ?? ''
      const one = {
        id: String(req.headers['x-svc-delivery']),
        path,
        headers: req.headers,
        body: Buffer.concat(chunks).toString(),
        at: arrivedAt,
      }
      const earlier = at(path).length
      received.push(one)
      const status = answers(one, res, earlier)
      if (status !== undefined) res.writeHead(status).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    at,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
