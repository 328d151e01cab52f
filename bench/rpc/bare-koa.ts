import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { createPool, getProjects } from './statements.ts'

const pool = createPool()
const koa = new Koa()
koa.use(async (ctx) => {
  ctx.body = await getProjects(pool, ctx.req)
})
const server = koa.listen(0, '127.0.0.1', () => {
  process.send?.({ ready: true, port: (server.address() as AddressInfo).port })
})
process.on('disconnect', () => process.exit(0))
