/**
 * One tenant floods the server with one expensive call after the other. Measures the ordinary calls, the sign-in, the
 * deliveries and the jobs of another tenant, and `/health`, and compares them with the same calls on the quiet server.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTRPCClient, httpLink } from '@trpc/client'
import { migrate } from '../core/migrate.ts'
import { deliver, pushPayload } from '../core/inbound/testing.ts'
import type { AppRouter } from '../core/router.ts'
import { createPasswordFor, createTokenFor } from '../core/testing/factories.ts'
import { startChild } from '../local/child.ts'
import { createDataSource } from '../ormconfig.ts'
import { printTable } from './report.ts'
import { openScratch } from './scratch.ts'
import type { Flood } from './starvation/flood.ts'
import { createRepository, createTenant, fillLists } from './starvation/tenant.ts'
import { addWebhooks, percentile, startProcess, workerEnvironment } from './webhooks/scene.ts'

const rows = Number(process.env['ROWS'] ?? 40_000)
const connections = Number(process.env['CONNECTIONS'] ?? 64)
const seconds = Number(process.env['SECONDS'] ?? 6)
const only = process.env['ONLY']?.split(',')

await using cleanUp = new AsyncDisposableStack()
const { directory, postgres } = await openScratch(cleanUp)
const dataSource = createDataSource({ url: postgres.url, poolSize: 2, onPoolError: () => {} })
await dataSource.initialize()
cleanUp.defer(() => dataSource.destroy())
await migrate(dataSource)
const receiver = await startProcess(cleanUp, 'bench/webhooks/receiver.ts')
receiver.child.send({ expect: Number.MAX_SAFE_INTEGER })
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
const { port } = server.ready
const url = `http://127.0.0.1:${port}`

const repository = createRepository(directory, 600)
const attacker = await createTenant(dataSource, repository, rows)
await fillLists(dataSource, attacker, rows / 4)
const victim = await createTenant(dataSource, repository, 100)
const victimUser = { id: victim.userId, email: `${victim.userId.toLowerCase()}@example.com` }
await createPasswordFor({ dataSource }, 'a long password', victimUser as Parameters<typeof createPasswordFor>[2])
await dataSource.query('ANALYZE')
const clientOf = (token: string) =>
  createTRPCClient<AppRouter>({
    links: [httpLink({ url: `${url}/trpc`, headers: { authorization: `Bearer ${token}` } })],
  })
await clientOf(attacker.token).analysis.analyzeRepository.mutate({ projectId: attacker.projectId })
const { secret, url: inboundUrl } = await clientOf(victim.token).projects.rotateInboundSecret.mutate({
  projectId: victim.projectId,
})
const [webhookId = ''] = await addWebhooks(dataSource, 1, `http://127.0.0.1:${receiver.port}`, { paused: false })
await dataSource.query('UPDATE webhooks SET project_id = $2, user_id = $3 WHERE id = $1', [
  webhookId,
  victim.projectId,
  victim.userId,
])
const pendingRun = await createTenant(dataSource, repository, 0)
await dataSource.query(`UPDATE test_runs SET status = 'RUNNING', user_id = $2 WHERE id = $1`, [
  pendingRun.runId,
  pendingRun.userId,
])

// From another address than the flood.
const probes = new Agent({ keepAlive: true, localAddress: '127.0.0.2' })

async function timed(path: string, init: { method?: string; headers?: object; body?: string } = {}): Promise<number> {
  const startedAt = performance.now()
  const headers = {
    authorization: `Bearer ${victim.token}`,
    ...(init.body ? { 'content-type': 'application/json' } : {}),
  }
  const req = request({
    host: '127.0.0.1',
    port,
    path,
    agent: probes,
    ...init,
    headers: { ...headers, ...init.headers },
  })
  req.end(init.body)
  const [res] = (await once(req, 'response')) as [IncomingMessage]
  res.resume()
  await once(res, 'end')
  if (res.statusCode !== 200) failures.push(`${path.slice(0, 60)} ${res.statusCode}`)
  return performance.now() - startedAt
}

const query = (procedure: string, input: object) =>
  `/trpc/${procedure}?input=${encodeURIComponent(JSON.stringify(input))}`
const { projectId, runId } = victim
const ordinary: (() => Promise<number>)[] = [
  () => timed(query('projects.getProject', { projectId })),
  () => timed(query('testRuns.get', { runId })),
  () => timed('/trpc/projects.getProjects'),
  () => timed(query('testRuns.list', { projectId })),
  () => timed(query('testRuns.failures', { runId })),
  () =>
    timed('/trpc/projects.updateProject', {
      method: 'POST',
      body: JSON.stringify({ projectId, description: `${Math.random()}` }),
    }),
]
const signIn = () =>
  timed('/api/auth/sign-in/email', {
    method: 'POST',
    body: JSON.stringify({ email: victimUser.email, password: 'a long password' }),
    headers: { authorization: '' },
  })

let failures: string[] = []

interface Figures {
  ordinary: number
  slowest: number
  health: number
  signIn: number
  delivery: number
  job: number
}

async function probe(duration: number): Promise<Figures> {
  const startedAt = new Date()
  const until = performance.now() + duration
  const calls: number[] = []
  const health: number[] = []
  const signIns: number[] = []
  const often = async () => {
    for (let index = 0; performance.now() < until; index++) {
      const call = ordinary[index % ordinary.length]
      if (call) calls.push(await call())
      await sleep(15)
    }
  }
  const now = async () => {
    while (performance.now() < until) {
      health.push(await timed('/health'))
      signIns.push(await signIn())
      const delivered = await deliver(
        { fetch: (path, init) => fetch(`${url}${path}`, init) },
        new URL(inboundUrl).pathname,
        {
          secret,
          event: 'push',
          payload: pushPayload(),
        },
      )
      if (delivered.status !== 200) failures.push(`inbound ${delivered.status}`)
      await sleep(200)
    }
  }
  await Promise.all([often(), now()])
  await sleep(300)
  const delays = async (sql: string) =>
    (await dataSource.query<{ ms: string | null }[]>(sql, [startedAt])).map(({ ms }) =>
      ms === null ? Infinity : Number(ms),
    )
  const deliveries = await delays(
    'SELECT extract(epoch FROM delivered_at - created_at) * 1000 AS ms FROM webhook_deliveries WHERE created_at > $1',
  )
  const jobs = await delays(
    'SELECT extract(epoch FROM processed_at - received_at) * 1000 AS ms FROM inbound_deliveries WHERE received_at > $1',
  )
  return {
    ordinary: percentile(calls, 0.95),
    slowest: Math.max(...calls),
    health: percentile(health, 0.95),
    signIn: percentile(signIns, 0.95),
    delivery: percentile(deliveries, 0.95),
    job: percentile(jobs, 0.95),
  }
}

const worst = 'a'.repeat(199) + 'b'
const { projectId: own, runId: big } = attacker
const authorization = `Bearer ${attacker.token}`
const get = (path: string, token = authorization): Flood['requests'][number] => ({
  path,
  method: 'GET',
  headers: { authorization: token },
})
const post = (path: string, body: object): Flood['requests'][number] => ({
  path,
  method: 'POST',
  headers: { authorization, 'content-type': 'application/json' },
  body: JSON.stringify(body),
})
const cases: Record<string, Flood['requests']> = {
  'testRuns.results, hostile search': [get(query('testRuns.results', { runId: big, search: worst }))],
  'testRuns.results, last page': [get(query('testRuns.results', { runId: big, limit: 100, offset: rows - 100 }))],
  'testRuns.results, 100 failures': [get(query('testRuns.results', { runId: big, limit: 100, status: 'failed' }))],
  'testRuns.history, hostile search': [get(query('testRuns.history', { projectId: own, search: worst }))],
  'testRuns.failures': [get(query('testRuns.failures', { runId: big }))],
  'testRuns.coverage': [get(query('testRuns.coverage', { runId: big, limit: 100 }))],
  'testRuns.log': [get(query('testRuns.log', { runId: big }))],
  'files.list, last page': [get(query('files.list', { projectId: own, limit: 100, offset: rows / 4 - 100 }))],
  'auth.getAuditLogs, last page': [get(query('auth.getAuditLogs', { limit: 100, offset: rows / 4 - 100 }))],
  'tests.listVerifications': [get(query('tests.listVerifications', { projectId: own, limit: 100, offset: 5_000 }))],
  'projects.getLatestProjectAnalysis': [get(query('projects.getLatestProjectAnalysis', { projectId: own }))],
  'GET /api/v1/projects?search': [get(`/api/v1/projects?search=${worst}`)],
  'testRuns.plan': [post('/trpc/testRuns.plan', { projectId: own })],
  'testRuns.get, waiting': [
    get(query('testRuns.get', { runId: pendingRun.runId, waitSeconds: 45 }), `Bearer ${pendingRun.token}`),
  ],
  'POST /api/ci/upload': [upload()],
  'sign-in with wrong passwords': [
    post('/api/auth/sign-in/email', { email: 'nobody@example.com', password: 'wrong password' }),
  ],
  'unknown tokens': [
    get('/trpc/projects.getProjects', `Bearer ${(await createTokenFor({ dataSource })).slice(0, -8)}AAAAAAAA`),
  ],
}

function upload(): Flood['requests'][number] {
  const report = `<testsuite>${Array.from({ length: 5_000 }, (_, n) => `<testcase classname="a" name="test ${n}"/>`).join('')}</testsuite>`
  const body = [
    '--x\r\nContent-Disposition: form-data; name="branch"\r\n\r\nmain\r\n',
    `--x\r\nContent-Disposition: form-data; name="commitSha"\r\n\r\n${'a'.repeat(40)}\r\n`,
    `--x\r\nContent-Disposition: form-data; name="reports"; filename="junit.xml"\r\n\r\n${report}\r\n--x--\r\n`,
  ].join('')
  return {
    path: `/api/ci/upload/${own}`,
    method: 'POST',
    headers: { authorization, 'content-type': 'multipart/form-data; boundary=x' },
    body,
  }
}

await probe(3_000)
const table: (string | number)[][] = []
for (const [name, requests] of Object.entries(cases)) {
  if (only && !only.some((part) => name.includes(part))) continue
  failures = []
  const quiet = await probe(4_000)
  const quietFailures = failures.length
  const flood = fork(resolve(import.meta.dirname, 'starvation/flood.ts'))
  const many = name.includes('waiting') ? 600 : connections
  flood.send({ port, connections: many, requests } satisfies Flood)
  // The calls that wait begin with a burst of 600 ordinary calls.
  await sleep(name.includes('waiting') ? 10_000 : 1_000)
  const busy = await probe(seconds * 1_000)
  const reported = once(flood, 'message')
  flood.send('stop')
  const [{ statuses }] = (await reported) as [{ statuses: Record<string, number> }]
  if (flood.exitCode === null) await once(flood, 'exit')
  const ms = (value: number) => (value === Infinity ? 'never' : Math.round(value))
  table.push([
    name,
    Object.entries(statuses)
      .map(([status, count]) => `${count} x ${status}`)
      .join(', ') || 'waiting',
    ms(quiet.ordinary),
    ms(busy.ordinary),
    (busy.ordinary / quiet.ordinary).toFixed(1),
    ms(busy.slowest),
    ms(busy.health),
    ms(busy.signIn),
    ms(busy.delivery),
    ms(busy.job),
    failures.length - quietFailures,
  ])
  if (failures.length > 0) console.log(name, failures.slice(0, 5))
  console.log(table.at(-1)?.join(' | '))
  await sleep(1_500)
}
printTable(
  [
    'flood',
    'answers to the flood',
    'quiet p95 ms',
    'p95 ms',
    'ratio',
    'slowest ms',
    '/health p95',
    'sign-in p95',
    'delivery p95',
    'job p95',
    'failed',
  ],
  table,
)
