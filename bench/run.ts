/**
 * Times a warm run of a real Vitest project and of a real pytest project, from the trigger until the caller has the
 * result. Compares Assay with bubblewrap with the same command in a shell in a checkout with installed dependencies.
 * Then measures how the time grows with the tests. Vitest comes from the npm registry; pytest must be installed on the machine.
 */
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { createTRPCClient, httpLink } from '@trpc/client'
import { Client } from 'pg'
import { createApp } from '../core/app.ts'
import { readConfig } from '../core/config.ts'
import { createLog } from '../core/base/log.ts'
import type { AppRouter } from '../core/router.ts'
import type { RunPlan } from '../engines/test-plan/plan.ts'
import { createProjectFor, createTokenFor, createUser } from '../core/testing/factories.ts'
import { startChild } from '../local/child.ts'
import { median, printTable, recordFigure, recordGrowth } from './report.ts'
import { checkOutForShell } from './run/in-shell.ts'
import { type BenchProject, makePytestProject, makeVitestProject } from './run/projects.ts'
import { recordTimeline, stages, timelineOf } from './run/timeline.ts'
import { openScratch } from './scratch.ts'

const rounds = Number(process.env['ROUNDS'] ?? 5)

await using cleanUp = new AsyncDisposableStack()
const { directory, postgres } = await openScratch(cleanUp)
const environment = {
  ...process.env,
  DATABASE_URL: postgres.url,
  DATA_DIR: join(directory, 'data'),
  SECRET_KEY: 'a key for the bench that is long enough to be one',
  PORT: '0',
  RATE_LIMIT: 'off',
  REPOSITORIES_ALLOW_LOCAL: 'on',
  EXECUTOR: 'bwrap',
}
const projects = [
  await makeVitestProject(join(directory, 'vitest')),
  await makePytestProject(join(directory, 'pytest')),
].filter((project) => project !== undefined)
if (projects.length === 1) console.log('pytest is not installed for python3 and is skipped.\n')
const sized = await Promise.all(
  [3, 300].map((testFiles) => makePytestProject(join(directory, `pytest-${testFiles}`), { testFiles })),
)
const { token, ids } = await prepare([...projects, ...sized.filter((project) => project !== undefined)])
const database = new Client({ connectionString: postgres.url })
await database.connect()
cleanUp.defer(() => database.end())
await recordTimeline(database)

const core = await startChild({
  name: 'core',
  script: 'core/main.ts',
  environment,
  logFile: join(directory, 'core.log'),
})
cleanUp.defer(() => core.stop())
const client = createTRPCClient<AppRouter>({
  links: [httpLink({ url: `http://127.0.0.1:${core.ready.port}/trpc`, headers: { authorization: `Bearer ${token}` } })],
})

const warm: number[] = []
for (const [index, project] of projects.entries()) warm.push(await measure(project, ids[index] ?? ''))
await growth()

/** Milliseconds of a warm run of pytest. */
async function growth(): Promise<void> {
  const costs = projects.length < 2 ? [] : [{ size: projects[1]?.tests ?? 0, ms: warm[1] ?? Number.NaN }]
  for (const [index, project] of sized.entries()) {
    if (!project) continue
    const projectId = ids[projects.length + index] ?? ''
    await runOnce(projectId, project.tests)
    const times: number[] = []
    for (let round = 0; round < rounds; round++) times.push((await runOnce(projectId, project.tests)).ms)
    costs.push({ size: project.tests, ms: median(times) })
  }
  if (costs.length < 2) return
  recordGrowth({ work: 'a warm run of pytest', of: 'tests', costs: costs.toSorted((a, b) => a.size - b.size) })
}

/** Returns the median of the warm runs, in milliseconds. */
async function measure({ name, repository, tests }: BenchProject, projectId: string): Promise<number> {
  const first = await runOnce(projectId, tests)
  const second = await runOnce(projectId, tests)
  const shell = await checkOutForShell(repository, join(directory, `shell-${projectId}`), await planOf(first.id))
  await shell.test()

  const figures = { assay: [] as number[], shell: [] as number[] }
  const timelines: Map<string, number>[] = []
  for (let round = 0; round < rounds; round++) {
    figures.shell.push(await shell.test())
    const { id, ms, startedAt, endedAt } = await runOnce(projectId, tests)
    figures.assay.push(ms)
    const timeline = await timelineOf(database, id, startedAt)
    timelines.push(timeline.set('noticed', endedAt - startedAt - sum(timeline.values())))
  }

  console.log(`\n${name}, ${tests} tests, \`${first.command}\`\n`)
  printTable(
    ['', 's', 'min to max'],
    [
      ['first run, which installs', seconds(first.ms), first.installed ? '' : 'it did not install'],
      ['second run', seconds(second.ms), second.installed ? 'it installed again' : 'it did not install'],
      ['warm run', seconds(median(figures.assay)), range(figures.assay)],
      ['in a shell', seconds(median(figures.shell)), range(figures.shell)],
    ],
  )
  /** Alternates between Assay and the shell, since the load of the machine varies. */
  const compare = (how: (assay: number, shell: number) => number) =>
    median(figures.assay.map((milliseconds, round) => how(milliseconds, figures.shell[round] ?? Number.NaN)))
  const ratio = compare((a, b) => a / b).toFixed(2)
  const difference = seconds(compare((a, b) => a - b))
  const beyond = figures.assay.map((milliseconds, round) => milliseconds - 1.05 * (figures.shell[round] ?? Number.NaN))
  const load = (loadavg()[0] ?? Number.NaN).toFixed(1)
  console.log(
    `\n${ratio} times the shell, ${difference} s more; ${seconds(median(beyond))} s beyond 1.05 times the shell (goal: 0.5). The load is ${load}.\n`,
  )
  if (name === 'Vitest') {
    recordFigure(
      'runVitest',
      beyond.map((milliseconds) => milliseconds / 1_000),
    )
  }
  const parts = { ...stages, noticed: 'result noticed by the caller' }
  printTable(
    ['of a warm run', 'ms'],
    Object.entries(parts).flatMap(([state, what]) => {
      const values = timelines.flatMap((timeline) => timeline.get(state) ?? [])
      return values.length === 0 ? [] : [[what, Math.round(median(values))]]
    }),
  )
  return median(figures.assay)
}

interface Measured {
  id: string
  ms: number
  startedAt: number
  endedAt: number
  installed: boolean
  command: string
}

/** Triggers a run and waits for it like a caller. */
async function runOnce(projectId: string, tests: number): Promise<Measured> {
  const startedAt = Date.now()
  const { id } = await client.testRuns.trigger.mutate({ projectId })
  let run = await client.testRuns.get.query({ runId: id, waitSeconds: 45 })
  while (run.completedAt === null) run = await client.testRuns.get.query({ runId: id, waitSeconds: 45 })
  const endedAt = Date.now()
  const log = (await client.testRuns.log.query({ runId: id, limit: 1_000 })).lines
  if (run.reportedStatus !== 'PASSED' || run.passedTests !== tests)
    throw new Error(`${run.reportedStatus}, ${run.passedTests} tests passed: ${run.error?.message}\n${log.join('\n')}`)
  const steps = run.plan?.flatMap((part) => part.steps) ?? []
  const install = steps.find(({ kind }) => kind === 'install')?.command
  return {
    id,
    ms: endedAt - startedAt,
    startedAt,
    endedAt,
    installed: log.includes(`$ ${install}`),
    command: steps.find(({ kind }) => kind === 'test')?.command ?? '',
  }
}

async function planOf(runId: string) {
  const { rows } = await database.query<{ recipe: RunPlan }>('SELECT recipe FROM test_runs WHERE id = $1', [runId])
  const [part] = rows[0]?.recipe.parts ?? []
  if (!part) throw new Error('the run has no plan')
  return part
}

/** Creates a user with a token, and a project for each repository. */
async function prepare(projects: readonly BenchProject[]): Promise<{ token: string; ids: string[] }> {
  const { config, problems } = readConfig(environment)
  if (!config) throw new Error(problems.join('; '))
  await using app = await createApp({ ...config, role: 'web' }, { log: createLog('silent') })
  const user = await createUser(app)
  const ids: string[] = []
  for (const { repository } of projects) ids.push((await createProjectFor(app, { user, repository })).id)
  return { token: await createTokenFor(app, { user }), ids }
}

function sum(values: Iterable<number>): number {
  let total = 0
  for (const value of values) total += value
  return total
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1_000).toFixed(2)
}

function range(milliseconds: readonly number[]): string {
  return `${seconds(Math.min(...milliseconds))} to ${seconds(Math.max(...milliseconds))}`
}
