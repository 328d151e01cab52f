/**
 * The failures of a run (`testRuns.failures`) with 1,000, 10,000 and 100,000 failed tests of 100 errors. Of the tests, 99 %
 * failed in the run before too. Usage: `npm run bench -- digest [calls]`
 */
import { availableParallelism, loadavg } from 'node:os'
import { createTRPCClient, httpLink } from '@trpc/client'
import { pino } from 'pino'
import { createApp } from '../core/app.ts'
import type { AppRouter } from '../core/router.ts'
import { testConfig } from '../core/testing/config.ts'
import { createProjectFor, createRunFor, createTokenFor, createUser } from '../core/testing/factories.ts'
import { median, printTable, recordFigure, recordGrowth } from './report.ts'
import { openScratch } from './scratch.ts'

const calls = Number(process.argv[2] ?? 10)
const sizes = [1_000, 10_000, 100_000]

await using cleanUp = new AsyncDisposableStack()
const { directory, postgres } = await openScratch(cleanUp)
const config = testConfig({ databaseUrl: postgres.url, dataDir: `${directory}/data` })
const app = cleanUp.use(await createApp({ ...config, role: 'web' }, { log: pino({ level: 'error' }) }))
const { port } = await app.listen()
const user = await createUser(app)
const token = await createTokenFor(app, { user })
const { testRuns } = createTRPCClient<AppRouter>({
  links: [httpLink({ url: `http://127.0.0.1:${port}/trpc`, headers: { authorization: `Bearer ${token}` } })],
})
const db = app.services.databases.jobs

const times: number[][] = []
for (const size of sizes) {
  const runId = await createRuns(size)
  // The first call starts the process that reads stack traces.
  await testRuns.failures.query({ runId })
  const seconds: number[] = []
  for (let call = 0; call < calls; call++) {
    const start = performance.now()
    const { stillFailing, newFailures } = await testRuns.failures.query({ runId })
    seconds.push((performance.now() - start) / 1_000)
    if (newFailures !== size / 100 || stillFailing !== size - newFailures) throw new Error(`${size}: ${newFailures}`)
  }
  times.push(seconds)
}
recordFigure('digest', times.at(-1) ?? [])
const costs = sizes.map((size, index) => ({ size, ms: median(times[index] ?? []) * 1_000 }))
recordGrowth({ work: 'the digest of a run', of: 'failures', costs })

console.log(`\n${calls} calls; ${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(1)}\n`)
printTable(
  ['failures', 'ms', 'lowest', 'highest'],
  costs.map(({ size, ms }, index) => [
    size,
    Math.round(ms),
    Math.round(Math.min(...(times[index] ?? [])) * 1_000),
    Math.round(Math.max(...(times[index] ?? [])) * 1_000),
  ]),
)

/** Creates a project with two runs, and returns the second. */
async function createRuns(failures: number): Promise<string> {
  const project = await createProjectFor(app, { user, repository: `https://example.com/a/project-${failures}.git` })
  const facts = { projectId: project.id, branch: 'main', status: 'COMPLETED' as const, totalTests: failures }
  const before = await createRunFor(app, { ...facts, failedTests: failures - failures / 100 })
  const run = await createRunFor(app, { ...facts, failedTests: failures })
  for (const { id } of [before, run]) {
    await db.query(
      `INSERT INTO test_results (run_id, position, test_id, suite, name, file, line, status, message, stack, flaky, error_id)
       SELECT $1, n, md5($2 || n)::uuid, 'cart > checkout ' || n % 1000, 'adds up the price of item ' || n,
              'packages/shop/src/cart-' || n % 1000 || '.test.ts', n % 200,
              CASE WHEN $1 = $4 AND n % 100 = 0 THEN 'passed' ELSE 'failed' END,
              'expected ' || n || ' to be ' || n + 1,
              'AssertionError: expected ' || n || repeat(E'\\n    at add (/workspace/packages/shop/src/cart.ts:12:5)', 10),
              false, CASE WHEN $1 = $4 AND n % 100 = 0 THEN NULL ELSE md5((n % 100)::text)::uuid END
         FROM generate_series(1, $3::integer) AS n ORDER BY n`,
      [id, project.id, failures, before.id],
    )
  }
  await db.query('VACUUM ANALYZE test_results')
  return run.id
}
