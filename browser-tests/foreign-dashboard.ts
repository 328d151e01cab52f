import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Starts a dashboard on another origin, which calls Assay with the browser's cookie. */
export async function startDashboard(): Promise<{ origin: string } & AsyncDisposable> {
  const server = createServer((_, res) => {
    res.setHeader('Content-Type', 'text/html').end('<!doctype html><title>A dashboard</title>')
  })
  await new Promise<void>((listening) => void server.listen(0, 'localhost', listening))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://localhost:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}
