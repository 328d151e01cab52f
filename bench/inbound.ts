/**
 * Sends signed deliveries over 50 keep-alive connections, each stored durably before the response. Compares Assay, which
 * also enqueues a job, with a bare Koa server that verifies the same signature and makes one insert into the same
 * Postgres.
 */
import { createHmac, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { createApp } from '../core/app.ts'
import { readConfig } from '../core/config.ts'
import { exampleEvents } from '../core/inbound/testing.ts'
import { createLog } from '../core/base/log.ts'
import { createProjectFor, createTokenFor, createUser } from '../core/testing/factories.ts'
import { type Child, startChild } from '../local/child.ts'
import { median, printTable, recordFigure } from './report.ts'
import { openScratch } from './scratch.ts'

const rounds = Number(process.env['ROUNDS'] ?? 5)
const seconds = Number(process.env['SECONDS_PER_ROUND'] ?? 5)
const connections = 50

await using cleanUp = new AsyncDisposableStack()
const { directory, postgres } = await openScratch(cleanUp)
const { secret, path } = await prepare(postgres.url)

const push = (await exampleEvents()).find(({ event }) => event === 'push')
const body = JSON.stringify(push?.payload)
const headers = {
  'content-type': 'application/json',
  'x-github-event': 'push',
  'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
}

// The web process does not process deliveries, as in a larger installation.
const servers: Record<string, { child: Child; path: string }> = {
  Assay: { child: await start('core/main.ts'), path },
  'bare Koa': { child: await start('bench/inbound/bare-koa.ts'), path: '/' },
}

const figures = new Map(Object.keys(servers).map((name) => [name, { rate: [] as number[], p99: [] as number[] }]))
for (let round = 0; round <= rounds; round++) {
  for (const [name, server] of Object.entries(servers)) {
    const result = await autocannon({
      url: `http://127.0.0.1:${server.child.ready.port}${server.path}`,
      connections,
      duration: round === 0 ? 2 : seconds,
      method: 'POST',
      body,
      setupClient(client) {
        const next = () => client.setHeaders({ ...headers, 'x-github-delivery': randomUUID() })
        next()
        client.on('response', next)
      },
    })
    if (result.non2xx > 0 || result.errors > 0)
      throw new Error(`${name}: ${result.non2xx} refused, ${result.errors} failed`)
    // The first round warms up.
    if (round > 0) figures.get(name)?.rate.push(result.requests.average)
    if (round > 0) figures.get(name)?.p99.push(result.latency.p99)
  }
}

const ratesOf = (name: string) => figures.get(name)?.rate ?? []
/** Alternates between the servers, since the load of the machine varies. */
const ratios = (name: string) => ratesOf(name).map((rate, round) => rate / (ratesOf('bare Koa')[round] ?? Number.NaN))
recordFigure('webhooksIn', ratios('Assay'))
printTable(
  ['server', 'deliveries/s', 'of bare Koa', 'p99 ms'],
  [...figures].map(([name, { rate, p99 }]) => [
    name,
    Math.round(median(rate)),
    median(ratios(name)).toFixed(2),
    median(p99),
  ]),
)

async function start(script: string): Promise<Child> {
  const child = await startChild({
    name: script,
    script,
    environment: {
      ...process.env,
      DATABASE_URL: postgres.url,
      DATA_DIR: directory,
      PORT: '0',
      ROLE: 'web',
      BENCH_SECRET: secret,
    },
    logFile: join(directory, 'server.log'),
  })
  cleanUp.defer(() => child.stop())
  return child
}

/** Creates a project with an inbound secret, and the table of the bare server. */
async function prepare(databaseUrl: string): Promise<{ secret: string; path: string }> {
  const { config } = readConfig({ DATABASE_URL: databaseUrl, DATA_DIR: directory, PORT: '0' })
  if (!config) throw new Error('the configuration of the bench is wrong')
  await using app = await createApp(config, { log: createLog('silent') })
  await app.dataSource.query('CREATE TABLE bare_deliveries (id text PRIMARY KEY, event text, body_digest text)')
  const { port } = await app.listen()
  const user = await createUser(app)
  const project = await createProjectFor(app, { user })
  const response = await fetch(`http://127.0.0.1:${port}/trpc/projects.rotateInboundSecret`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await createTokenFor(app, { user })}`, 'content-type': 'application/json' },
    body: JSON.stringify({ projectId: project.id }),
  })
  const { result } = (await response.json()) as { result: { data: { secret: string; url: string } } }
  return { secret: result.data.secret, path: new URL(result.data.url).pathname }
}
