// Runs inside a sandbox, with whatever Node is shown there: leads a port of the sandbox's own loopback to the socket
// behind which the egress proxy listens.
import { closeSync } from 'node:fs'
import { createConnection, createServer } from 'node:net'

const [port, path] = process.argv.slice(2)

const server = createServer({ allowHalfOpen: true }, (client) => {
  const upstream = createConnection({ path, allowHalfOpen: true })
  client.pipe(upstream).pipe(client)
  client.on('error', () => upstream.destroy())
  upstream.on('error', () => client.destroy())
  client.on('close', () => upstream.destroy())
  upstream.on('close', () => client.destroy())
})
server.listen(Number(port), '127.0.0.1', () => {
  process.stdout.write('ready\n', () => closeSync(1))
})
