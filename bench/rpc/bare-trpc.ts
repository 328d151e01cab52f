import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { initTRPC } from '@trpc/server'
import { createHTTPServer } from '@trpc/server/adapters/standalone'
import { createPool, getProjects } from './statements.ts'

const pool = createPool()
const t = initTRPC.context<{ req: IncomingMessage }>().create()
const router = t.router({
  projects: t.router({ getProjects: t.procedure.query(({ ctx }) => getProjects(pool, ctx.req)) }),
})
const server = createHTTPServer({ router, basePath: '/trpc/', createContext: ({ req }) => ({ req }) })
server.listen(0, '127.0.0.1', () => {
  process.send?.({ ready: true, port: (server.address() as AddressInfo).port })
})
process.on('disconnect', () => process.exit(0))
