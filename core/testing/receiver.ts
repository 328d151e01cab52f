import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Receiver extends AsyncDisposable {
  url: string
  port: number
  /** So many have connected until now. */
  connections: number
}

/** A server that speaks whatever `onRequest` answers once a request's headers are there, byte for byte. */
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

/** Starts a server on a port of its own and, when it is disposed, ends its connections. */
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
 * A port of loopback on which connections are neither taken nor refused: its program is stopped, and others wait in
 * front of it already.
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
  // The system fills the queue with the first of them.
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
