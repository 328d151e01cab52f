/** Sets up better-auth for Postgres as its documentation does, with defaults, but without a rate limit, like Assay here. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { toNodeHandler } from 'better-auth/node'
import pg from 'pg'

const server = createServer()
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo
const auth = betterAuth({
  baseURL: `http://127.0.0.1:${port}`,
  secret: process.env['SECRET_KEY'] ?? '',
  database: new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 10 }),
  emailAndPassword: { enabled: true },
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
})
const { runMigrations } = await getMigrations(auth.options)
await runMigrations()
const handle = toNodeHandler(auth)
server.on('request', (req, res) => void handle(req, res))
process.send?.({ ready: true, port })
process.on('disconnect', () => process.exit(0))
process.on('SIGTERM', () => process.exit(0))
