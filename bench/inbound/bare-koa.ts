import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import pg from 'pg'
import getRawBody from 'raw-body'

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 10 })
const secret = process.env['BENCH_SECRET'] ?? ''
const koa = new Koa()
koa.use(async (ctx) => {
  const body = await getRawBody(ctx.req, { limit: 25 * 1_048_576 })
  const own = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`)
  const given = Buffer.from(ctx.get('x-hub-signature-256'))
  if (own.length !== given.length || !timingSafeEqual(own, given)) ctx.throw(401)
  const values = [ctx.get('x-github-delivery'), ctx.get('x-github-event'), hash('sha256', body)]
  await pool.query('INSERT INTO bare_deliveries VALUES ($1, $2, $3)', values)
  ctx.body = { received: true }
})
const server = koa.listen(0, '127.0.0.1', () => {
  process.send?.({ ready: true, port: (server.address() as AddressInfo).port })
})
process.on('disconnect', () => process.exit(0))
