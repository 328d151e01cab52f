/** The minimum that a file server must do: open the file and pipe it. */
import { createReadStream } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream'

const path = process.env['FILE'] ?? ''
const size = Number(process.env['FILE_SIZE'])
const server = createServer((_, res) => {
  res.writeHead(200, { 'content-length': size })
  pipeline(createReadStream(path), res, () => {})
})
server.listen(0, '127.0.0.1', () => {
  process.send?.({ ready: true, port: (server.address() as AddressInfo).port })
})
process.on('disconnect', () => process.exit(0))
process.on('SIGTERM', () => process.exit(0))
