/** The minimum that a server with sessions must do: read the cookie, look up the session by primary key, respond. */
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import pg from 'pg'

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 10 })
const koa = new Koa()
koa.use(async (ctx) => {
  const { rows } = await pool.query('SELECT * FROM sessions WHERE id = $1', [ctx.cookies.get('session')])
  ctx.status = rows[0] ? 200 : 401
  ctx.body = { session: rows[0] ?? null }
})
const server = koa.listen(0, '127.0.0.1', () => {
  process.send?.({ ready: true, port: (server.address() as AddressInfo).port })
})
process.on('disconnect', () => process.exit(0))
process.on('SIGTERM', () => process.exit(0))
