/**
 * The health of tests at scale: 10,000 tests and 100 runs a day, for as many days as given (30 by default; 90 days are 90
 * million results and about 35 GB). Shows how long the first judgement takes, what a page and an agent wait for, and how
 * soon the health of a run's tests is known after its upload. Usage: `npm run bench -- health [days] [tests] [runs a day]`
 */
import { createTRPCClient, httpLink } from '@trpc/client'
import { Client } from 'pg'
import { pino } from 'pino'
import { createApp } from '../core/app.ts'
import type { AppRouter } from '../core/router.ts'
import { testConfig } from '../core/testing/config.ts'
import { createProjectFor, createTokenFor, createUser } from '../core/testing/factories.ts'
import { enqueueHealth, projectsToJudge } from '../core/test-runs/request-health.ts'
import { rollUpDays } from '../core/tests/days/roll-up.ts'
import { contextOfSystem } from '../core/base/context.ts'
import { fillResults } from './health/fill.ts'
import { median, printTable } from './report.ts'
import { openScratch } from './scratch.ts'

const [days = 30, tests = 10_000, runsPerDay = 100] = process.argv.slice(2).map(Number)
const calls = 100

await using cleanUp = new AsyncDisposableStack()
const { directory, postgres } = await openScratch(cleanUp)
const config = testConfig({ databaseUrl: postgres.url, dataDir: `${directory}/data` })
const app = cleanUp.use(await createApp({ ...config, role: 'all' }, { log: pino({ level: 'error' }) }))
const { port } = await app.listen()
const user = await createUser(app)
const project = await createProjectFor(app, { user, repository: 'https://example.com/a/project.git' })
const token = await createTokenFor(app, { user })
const db = app.dataSource

const seconds = (ms: number) => (ms / 1_000).toFixed(1)
let from = performance.now()
// Filling takes longer than the server lets a statement take.
const client = new Client({ connectionString: postgres.url })
await client.connect()
const results = await fillResults(
  client,
  db.manager,
  { projectId: project.id, userId: user.id },
  { tests, runsPerDay, days },
)
const [{ bytes }] = await db.query<[{ bytes: string }]>(
  `SELECT sum(pg_total_relation_size(inhrelid)) AS bytes FROM pg_inherits WHERE inhparent = 'test_results'::regclass`,
)
console.log(
  `${results.toLocaleString('en')} results, ${(Number(bytes) / 2 ** 30).toFixed(1)} GiB, filled in ${seconds(performance.now() - from)} s\n`,
)

from = performance.now()
await enqueueHealth({ db: db.manager, jobs: app.services.jobs }, project.id)
const pending = async () => (await db.query<unknown[]>(`${projectsToJudge} LIMIT 1`)).length > 0
while (await pending()) await new Promise((resolve) => setTimeout(resolve, 100))
console.log(`First judgement of all tests: ${seconds(performance.now() - from)} s`)

from = performance.now()
const signal = new AbortController().signal
await rollUpDays(contextOfSystem(app.services, app.services.databases.jobs, { requestId: 'bench', signal }))
console.log(
  `Rolling up ${days} days: ${seconds(performance.now() - from)} s, ${seconds((performance.now() - from) / days)} s a day\n`,
)
await client.query('VACUUM ANALYZE tests')
await client.query('VACUUM ANALYZE test_days')
await client.end()

const api = createTRPCClient<AppRouter>({
  links: [httpLink({ url: `http://127.0.0.1:${port}/trpc`, headers: { authorization: `Bearer ${token}` } })],
})
const projectId = project.id
const listed = (await api.tests.list.query({ projectId, limit: 100 })).tests
const ids = await db.query<{ id: string }[]>('SELECT test_id AS id FROM filled ORDER BY n')
const someTest = (call: number) => ids[(call * 97) % ids.length]?.id ?? ''
const [latest] = (await api.testRuns.list.query({ projectId, limit: 1 })).runs
const runId = latest?.id ?? ''
const asked: [string, (call: number) => Promise<unknown>][] = [
  ['/health', () => fetch(`http://127.0.0.1:${port}/health`).then((response) => response.text())],
  ['tests.get, any test', (call) => api.tests.get.query({ projectId, testId: someTest(call) })],
  [
    'tests.get, tests with failures',
    (call) => api.tests.get.query({ projectId, testId: listed[call % listed.length]?.testId ?? '' }),
  ],
  ['testRuns.history', (call) => api.testRuns.history.query({ projectId, testId: someTest(call) })],
  ['tests.list by impact', (call) => api.tests.list.query({ projectId, offset: call })],
  ['tests.list, flaky and broken', () => api.tests.list.query({ projectId, health: ['flaky', 'broken'] })],
  ['tests.list, search', (call) => api.tests.list.query({ projectId, search: `number ${call}` })],
  ['digest (testRuns.failures)', () => api.testRuns.failures.query({ runId })],
]
const rows: (string | number)[][] = []
for (const [name, ask] of asked) {
  await ask(0)
  const times: number[] = []
  for (let call = 0; call < calls; call++) {
    const startedAt = performance.now()
    await ask(call)
    times.push(performance.now() - startedAt)
  }
  rows.push([
    name,
    median(times).toFixed(1),
    times.toSorted((a, b) => a - b)[Math.ceil(0.95 * calls) - 1]?.toFixed(1) ?? '',
  ])
}
printTable(['call', 'median ms', 'p95 ms'], rows)

console.log('\nUploads of a run with all tests, 25 of them failed:\n')
const uploads: (string | number)[][] = []
for (let round = 0; round < 7; round++) {
  const startedAt = performance.now()
  await upload(round)
  const storedAt = performance.now()
  while (await pending()) await new Promise((resolve) => setTimeout(resolve, 5))
  uploads.push([round + 1, Math.round(storedAt - startedAt), Math.round(performance.now() - storedAt)])
}
printTable(['upload', 'answered after ms', 'health known ms later'], uploads)
const [{ count }] = await db.query<[{ count: string }]>('SELECT count(*) FROM tests')
if (Number(count) !== tests) throw new Error(`There are ${count} tests, so the uploads contain others than the rows.`)
const column = (index: number) => median(uploads.map((row) => Number(row[index])))
console.log(`\nMedians: ${column(1)} ms and ${column(2)} ms.`)

async function upload(round: number): Promise<void> {
  const cases = Array.from({ length: tests }, (_, index) => {
    const number = index + 1
    const failure = number % 400 === 0 ? `<failure message="expected 1 to be 2 in test ${number}"/>` : ''
    return `<testcase classname="suite ${Math.floor(number / 20)}" name="does what number ${number} is about" file="src/part-${number % 20}/file-${Math.floor(number / 20)}.test.ts" time="0.05">${failure}</testcase>`
  })
  const form = new FormData()
  form.set('branch', 'main')
  form.set('commitSha', String(round).padStart(40, 'e'))
  form.append('reports', new Blob([`<testsuites><testsuite>${cases.join('')}</testsuite></testsuites>`]), 'junit.xml')
  const response = await fetch(`http://127.0.0.1:${port}/api/ci/upload/${project.id}`, {
    method: 'POST',
    body: form,
    headers: { authorization: `Bearer ${token}` },
  })
  if (response.status !== 201) throw new Error(await response.text())
}
