/**
 * Calls `projects.getProjects` with a bearer token over 50 keep-alive connections. Compares Assay with everything enabled
 * with a bare tRPC server and a bare Koa server that run the same two statements on the same Postgres.
 */
import { join } from 'node:path'
import autocannon from 'autocannon'
import { createApp } from '../core/app.ts'
import { readConfig } from '../core/config.ts'
import { createLog } from '../core/base/log.ts'
import { createProjectFor, createTokenFor, createUser } from '../core/testing/factories.ts'
import { type Child, startChild } from '../local/child.ts'
import { median, printTable } from './report.ts'
import { openScratch } from './scratch.ts'

const rounds = Number(process.env['ROUNDS'] ?? 5)
const seconds = Number(process.env['SECONDS_PER_ROUND'] ?? 5)
const connections = 50
const projectCount = 20

await using cleanUp = new AsyncDisposableStack()
const { directory, postgres } = await openScratch(cleanUp)
const token = await fill(postgres.url)

const servers: Record<string, { child: Child; path: string }> = {
  Assay: { child: await start('core/main.ts'), path: '/trpc/projects.getProjects' },
  'bare tRPC': { child: await start('bench/rpc/bare-trpc.ts'), path: '/trpc/projects.getProjects' },
  'bare Koa': { child: await start('bench/rpc/bare-koa.ts'), path: '/' },
}

const figures = new Map(Object.keys(servers).map((name) => [name, { rate: [] as number[], p99: [] as number[] }]))
for (let round = 0; round <= rounds; round++) {
  for (const [name, { child, path }] of Object.entries(servers)) {
    const result = await autocannon({
      url: `http://127.0.0.1:${child.ready.port}${path}`,
      connections,
      duration: round === 0 ? 2 : seconds,
      headers: { authorization: `Bearer ${token}` },
    })
    if (result.non2xx > 0 || result.errors > 0)
      throw new Error(`${name}: ${result.non2xx} refused, ${result.errors} failed`)
    // The first round warms up.
    if (round > 0) figures.get(name)?.rate.push(result.requests.average)
    if (round > 0) figures.get(name)?.p99.push(result.latency.p99)
  }
}

const rateOf = (name: string) => median(figures.get(name)?.rate ?? [])
printTable(
  ['server', 'requests/s', 'of bare tRPC', 'of bare Koa', 'p99 ms'],
  [...figures].map(([name, { rate, p99 }]) => [
    name,
    Math.round(median(rate)),
    (median(rate) / rateOf('bare tRPC')).toFixed(2),
    (median(rate) / rateOf('bare Koa')).toFixed(2),
    median(p99),
  ]),
)

async function start(script: string): Promise<Child> {
  const child = await startChild({
    name: script,
    script,
    environment: { ...process.env, DATABASE_URL: postgres.url, DATA_DIR: directory, PORT: '0', RATE_LIMIT: 'off' },
    logFile: join(directory, 'server.log'),
  })
  cleanUp.defer(() => child.stop())
  return child
}

/** Creates a user with projects, among other users with the same number of projects. */
async function fill(databaseUrl: string): Promise<string> {
  const { config } = readConfig({ DATABASE_URL: databaseUrl, DATA_DIR: directory })
  if (!config) throw new Error('the configuration of the bench is wrong')
  await using app = await createApp(config, { log: createLog('silent') })
  let token = ''
  for (let index = 0; index < 50; index++) {
    const user = await createUser(app)
    for (let made = 0; made < projectCount; made++) await createProjectFor(app, { user, name: `Project ${made}` })
    token = await createTokenFor(app, { user })
  }
  return token
}
