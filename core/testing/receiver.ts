import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Receiver extends AsyncDisposable {
  url: string
  port: number
  /** The number of connections so far. */
  connections: number
}

/** Starts a TCP server that calls `onRequest` with the raw request once its headers have arrived. */
export function rawReceiver(onRequest: (socket: Socket, received: string) => void): Promise<Receiver> {
  const server = createServer((socket) => {
    let received = ''
    socket.on('error', () => socket.destroy())
    socket.on('data', (chunk: Buffer) => {
      const begun = received.includes('\r\n\r\n')
      received += chunk.toString('latin1')
      if (!begun && received.includes('\r\n\r\n')) onRequest(socket, received)
    })
  })
  return listening(server)
}

export const httpReceiver = (listener: RequestListener) => listening(createHttpServer(listener))

/** Starts a server on a free port. Disposing it closes its connections. */
export async function listening(
  server: Server,
  { protocol = 'http', host = '127.0.0.1', port: wanted = 0 } = {},
): Promise<Receiver> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    receiver.connections += 1
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(wanted, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const receiver: Receiver = {
    url: `${protocol}://127.0.0.1:${port}/hook`,
    port,
    connections: 0,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return receiver
}

/**
 * Opens a loopback port that neither accepts nor refuses connections: its process is suspended, and its accept queue is
 * full.
 */
export async function deafReceiver(): Promise<Receiver> {
  const script = `require('net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, function () {
    console.log(this.address().port)
  })`
  const program = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [printed]: unknown[] = await once(program.stdout, 'data')
  const port = Number(String(printed))
  program.kill('SIGSTOP')
  const waiting = Array.from({ length: 6 }, () => connect(port, '127.0.0.1').on('error', () => undefined))
  // The first connections fill the accept queue.
  await Promise.race(waiting.map((socket) => once(socket, 'connect')))
  await sleep(50)
  return {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    connections: 0,
    async [Symbol.asyncDispose]() {
      for (const socket of waiting) socket.destroy()
      program.kill('SIGKILL')
      await once(program, 'exit')
    },
  }
}
