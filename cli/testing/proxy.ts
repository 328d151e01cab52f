import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export interface Proxy extends AsyncDisposable {
  url: string
  /** Paths of all requests so far. */
  asked: string[]
  untilAsked: (isEnough: (asked: readonly string[]) => boolean) => Promise<void>
  /** Ends every connection in the middle of its response. */
  cut: () => void
}

/** Starts a proxy between the program and core that can break connections. It answers blocked requests with an HTML page. */
export async function startProxy(target: string, blocks: (path: string) => boolean = () => false): Promise<Proxy> {
  const sockets = new Set<Socket>()
  const asked: string[] = []
  const server = createServer((req, res) => {
    const path = req.url ?? ''
    asked.push(path)
    if (blocks(path)) {
      res.writeHead(200, { 'content-type': 'text/html' })
      res.end('<html>No events here.</html>')
      return
    }
    const { method, headers } = req
    const passed = request(new URL(path, target), { method, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(res)
    })
    passed.on('error', () => res.destroy())
    res.on('close', () => passed.destroy())
    req.pipe(passed)
  })
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async untilAsked(isEnough) {
      while (!isEnough(asked)) await once(server, 'request')
    },
    cut,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      cut()
      await closed
    },
  }
}
