/**
 * Requests `GET /api/auth/get-session` by cookie over 50 keep-alive connections, each with a different user and a cookie
 * jar. Compares Assay with everything enabled with better-auth and a bare Koa server on the same Postgres.
 */
import type { EventEmitter } from 'node:events'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { createApp } from '../core/app.ts'
import { readConfig } from '../core/config.ts'
import { createLog } from '../core/base/log.ts'
import { createSessionFor } from '../core/testing/factories.ts'
import { type Child, startChild } from '../local/child.ts'
import { median, printTable, recordFigure } from './report.ts'
import { openScratch } from './scratch.ts'

const rounds = Number(process.env['ROUNDS'] ?? 9)
const seconds = Number(process.env['SECONDS_PER_ROUND'] ?? 3)
const connections = 50

await using cleanUp = new AsyncDisposableStack()
const { directory, postgres } = await openScratch(cleanUp)
const environment = {
  ...process.env,
  NODE_ENV: 'production',
  DATABASE_URL: postgres.url,
  DATA_DIR: directory,
  SECRET_KEY: 'a key for the bench that is long enough to be one',
  BASE_URL: 'http://127.0.0.1:4000',
  PORT: '0',
  RATE_LIMIT: 'off',
}
const { config, problems } = readConfig(environment)
if (!config) throw new Error(problems.join('; '))
await using app = await createApp({ ...config, role: 'web' }, { log: createLog('silent') })
const sessions = await Promise.all(Array.from({ length: connections }, () => createSessionFor(app)))

interface Server {
  child: Child
  path: string
  /** The Cookie header of each connection, updated from responses. */
  cookies: string[]
  rates: number[]
  p99s: number[]
}
const servers: Record<string, Server> = {
  Assay: await start('core/main.ts', '/api/auth/get-session', () => sessions.map(({ cookie }) => cookie)),
  'better-auth': await start('bench/session/better-auth.ts', '/api/auth/get-session', signUpEverybody),
  'bare Koa': await start('bench/session/bare-koa.ts', '/', () =>
    sessions.map(({ sessionId }) => `session=${sessionId}`),
  ),
}

for (let round = 0; round <= rounds; round++) {
  for (const [name, server] of Object.entries(servers)) {
    const result = await measure(server, round === 0 ? 2 : seconds)
    if (result.non2xx > 0 || result.errors > 0)
      throw new Error(`${name}: ${result.non2xx} refused, ${result.errors} failed`)
    if (round === 0) continue // Warms up.
    server.rates.push(result.requests.average)
    server.p99s.push(result.latency.p99)
  }
}

/** Alternates between the servers, since the load of the machine varies. */
const ratios = (rates: number[], name: string) =>
  rates.map((rate, round) => rate / (servers[name]?.rates[round] ?? Number.NaN))
const ratio = (rates: number[], name: string) => median(ratios(rates, name))
recordFigure('rpcSession', ratios(servers['Assay']?.rates ?? [], 'better-auth'))
printTable(
  ['server', 'requests/s', 'min to max', 'of better-auth', 'of bare Koa', 'p99 ms'],
  Object.entries(servers).map(([name, { rates, p99s }]) => [
    name,
    Math.round(median(rates)),
    `${Math.round(Math.min(...rates))} to ${Math.round(Math.max(...rates))}`,
    ratio(rates, 'better-auth').toFixed(2),
    ratio(rates, 'bare Koa').toFixed(2),
    median(p99s),
  ]),
)
const [{ rotations, revoked }] = await app.dataSource.query<[{ rotations: string; revoked: string }]>(
  'SELECT sum(generation) AS rotations, count(revoked_at) AS revoked FROM sessions',
)
console.log(`\n${rotations} rotations in ${connections} sessions; ${revoked} sessions ended.`)

async function start(script: string, path: string, signIn: (port: number) => string[] | Promise<string[]>) {
  const child = await startChild({ name: script, script, environment, logFile: join(directory, 'server.log') })
  cleanUp.defer(() => child.stop())
  return { child, path, cookies: await signIn(child.ready.port), rates: [], p99s: [] } satisfies Server
}

function measure({ child, path, cookies }: Server, duration: number) {
  let next = 0
  return autocannon({
    url: `http://127.0.0.1:${child.ready.port}${path}`,
    connections,
    duration,
    setupClient(client) {
      const index = next++ % connections
      const send = () => client.setHeaders({ cookie: cookies[index] ?? '' })
      send()
      // The types of autocannon lack this event.
      const events: EventEmitter = client
      events.on('headers', ({ headers }: { headers: string[] }) => {
        const at = headers.findIndex((name, place) => place % 2 === 0 && name.toLowerCase() === 'set-cookie')
        const given = at < 0 ? undefined : headers[at + 1]?.split(';', 1)[0]
        if (given === undefined) return
        cookies[index] = given
        send()
      })
    },
  })
}

async function signUpEverybody(port: number): Promise<string[]> {
  const origin = `http://127.0.0.1:${port}`
  const cookies: string[] = []
  for (let index = 0; index < connections; index++) {
    const response = await fetch(`${origin}/api/auth/sign-up/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin },
      body: JSON.stringify({ email: `${index}@example.com`, name: 'Somebody', password: 'a password of some length' }),
    })
    if (!response.ok) throw new Error(`better-auth sign-up failed: ${response.status} ${await response.text()}`)
    cookies.push(response.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '')
  }
  return cookies
}
