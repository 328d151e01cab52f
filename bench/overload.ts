/**
 * Makes 1,000 concurrent calls of `projects.updateProject`, several times. Counts how many succeed, are rejected with
 * 503 or fail, and measures the effect on `/health` and on the deliveries of the same server.
 */
import { Agent, type IncomingMessage, request } from 'node:http'
import { once } from 'node:events'
import { join } from 'node:path'
import { migrate } from '../core/migrate.ts'
import { createProjectFor, createTokenFor, createUser } from '../core/testing/factories.ts'
import { startChild } from '../local/child.ts'
import { createDataSource } from '../ormconfig.ts'
import { printTable } from './report.ts'
import { openScratch } from './scratch.ts'
import { addWebhooks, percentile, startProcess, untilDone, workerEnvironment } from './webhooks/scene.ts'
import type { Arrival } from './webhooks/receiver.ts'

const callsAtOnce = Number(process.env['CALLS'] ?? 1_000)
const rounds = Number(process.env['ROUNDS'] ?? 3)
const projectCount = Number(process.env['PROJECTS'] ?? 1)

await using cleanUp = new AsyncDisposableStack()
const { directory, postgres } = await openScratch(cleanUp)
const dataSource = createDataSource({ url: postgres.url, poolSize: 2, onPoolError: () => {} })
await dataSource.initialize()
cleanUp.defer(() => dataSource.destroy())
await migrate(dataSource)

const receiver = await startProcess(cleanUp, 'bench/webhooks/receiver.ts')
const server = await startChild({
  name: 'core',
  script: 'core/main.ts',
  environment: {
    ...process.env,
    ...workerEnvironment(postgres.url, directory),
    PORT: '0',
    RATE_LIMIT: 'off',
    LOG_LEVEL: 'error',
  },
  logFile: join(directory, 'core.log'),
})
cleanUp.defer(() => server.stop())

const user = await createUser({ dataSource })
const token = await createTokenFor({ dataSource }, { user })
const projects = await Promise.all(
  Array.from({ length: projectCount }, () => createProjectFor({ dataSource }, { user })),
)
const webhookIds = await addWebhooks(dataSource, projectCount, `http://127.0.0.1:${receiver.port}`, { paused: false })
await dataSource.query(
  'UPDATE webhooks SET project_id = p.id, user_id = $3 FROM unnest($1::text[], $2::text[]) AS p(webhook_id, id) WHERE webhooks.id = p.webhook_id',
  [webhookIds, projects.map(({ id }) => id), user.id],
)

const calls = new Agent({ maxSockets: callsAtOnce })
// From another address, since the server allows 1,000 connections per address.
const probes = new Agent({ localAddress: '127.0.0.2' })

interface Answered {
  status: number
  retryAfter: string | undefined
  tookMs: number
}

async function send(path: string, agent: Agent, body?: object): Promise<Answered> {
  const startedAt = performance.now()
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const req = request({
    host: '127.0.0.1',
    port: server.ready.port,
    path,
    agent,
    ...(body ? { method: 'POST', headers } : {}),
  })
  req.end(body && JSON.stringify(body))
  const [res] = (await once(req, 'response')) as [IncomingMessage]
  res.resume()
  await once(res, 'end')
  return { status: res.statusCode ?? 0, retryAfter: res.headers['retry-after'], tookMs: performance.now() - startedAt }
}

async function update(index: number, round: number): Promise<Answered> {
  const projectId = projects[index % projectCount]?.id
  return send('/trpc/projects.updateProject', calls, { projectId, description: `${round}.${index}` })
}

const rows: (string | number)[][] = []
await measure('one call after the other', async () => {
  const answers: Answered[] = []
  for (let index = 0; index < 50; index++) answers.push(await update(index, -1))
  return answers
})
for (let round = 0; round < rounds; round++) {
  await measure(`${callsAtOnce} calls at once`, () =>
    Promise.all(Array.from({ length: callsAtOnce }, (_, index) => update(index, round))),
  )
}
printTable(
  [
    'load',
    '200',
    '503',
    '503 without Retry-After',
    'other',
    'call p95 ms',
    'all took s',
    '/health p95 ms',
    'delivery p95 ms',
    'slowest delivery ms',
  ],
  rows,
)

async function measure(name: string, load: () => Promise<Answered[]>): Promise<void> {
  receiver.child.send({ expect: Number.MAX_SAFE_INTEGER })
  const health: number[] = []
  const probing: Promise<unknown>[] = []
  const probe = setInterval(() => probing.push(send('/health', probes).then(({ tookMs }) => health.push(tookMs))), 50)
  const startedAt = performance.now()
  const answers = await load()
  const tookS = (performance.now() - startedAt) / 1_000
  clearInterval(probe)
  await Promise.all(probing)
  await untilDone(dataSource, webhookIds)
  const arriving = once(receiver.child, 'message')
  receiver.child.send({ expect: 0 })
  const [{ arrivals }] = (await arriving) as [{ arrivals: Arrival[] }]
  const emitted = await dataSource.query<{ id: string; at: Date }[]>(
    'SELECT id, created_at AS at FROM webhook_deliveries WHERE id = ANY($1)',
    [arrivals.map(({ id }) => id)],
  )
  const emittedAt = new Map(emitted.map(({ id, at }) => [id, at.getTime()]))
  const delays = arrivals.map(({ id, at }) => at - (emittedAt.get(id) ?? Number.NaN))
  const count = (test: (answer: Answered) => boolean) => answers.filter(test).length
  rows.push([
    name,
    count(({ status }) => status === 200),
    count(({ status }) => status === 503),
    count(({ status, retryAfter }) => status === 503 && retryAfter === undefined),
    count(({ status }) => status !== 200 && status !== 503),
    Math.round(
      percentile(
        answers.map(({ tookMs }) => tookMs),
        0.95,
      ),
    ),
    tookS.toFixed(1),
    Math.round(percentile(health, 0.95)),
    Math.round(percentile(delays, 0.95)),
    Math.round(Math.max(...delays)),
  ])
}
