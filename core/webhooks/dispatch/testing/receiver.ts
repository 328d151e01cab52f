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
  /** In the order in which they came. */
  received: Received[]
  /** Those that came to this path, of which each scene has one of its own. */
  at(path: string): Received[]
}

/** What it does with a request: answers this status, or does whatever it likes; undefined never answers. */
export type Answers = (request: Received, res: ServerResponse, earlier: number) => number | undefined

/** A receiver of deliveries; `answers` learns how many came to the same path before. */
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
