import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { startGitHost } from '../../engines/source/testing/git-host.ts'
import { createDataDirectory, processesWith, startWorker } from '../testing/worker.ts'
import type { RunPhase } from './schema.ts'
import { createRunScene, type RunScene } from './testing/scene.ts'

async function reached({ client }: RunScene, runId: string, phase: RunPhase): Promise<void> {
  while ((await client.testRuns.get.query({ runId })).progress?.phase !== phase) await sleep(50)
}

const report = '<testsuite><testcase name="a"/></testsuite>'
const bothEvents = [{ type: 'test_run.started' }, { type: 'test_run.completed' }]
const eventsOf = (scene: RunScene, projectId: string) =>
  scene.app.dataSource.query(`SELECT type FROM events WHERE project_id = $1 AND type LIKE 'test_run.%' ORDER BY id`, [
    projectId,
  ])

test(
  'completes a run after kill -9 of its worker in any phase, and leaves no process',
  { timeout: 240_000 },
  async () => {
    await using opened = new AsyncDisposableStack()
    const scene = opened.use(await createRunScene({ role: 'web' }))
    const { path: DATA_DIR } = opened.use(await createDataDirectory())
    const marker = `marker-${process.pid}`
    const waits = (what: string) =>
      `echo ${what}\n(sleep 301 ${marker} || exec sleep 301) &\n[ "$WAIT" = no ] || sh -c 'sleep 300' ${marker}\n`
    const tests = `echo '${report}' > junit.xml\n`
    const settings = { testCommand: `sh tests.sh ${marker}`, reportGlobs: ['junit.xml'], environment: { WAIT: 'yes' } }

    const testing = await scene.project({ 'tests.sh': waits('tests') + tests }, settings)
    const installing = await scene.project(
      { 'tests.sh': tests, 'install.sh': waits('install') },
      { ...settings, installCommand: 'sh install.sh' },
    )
    const reading = await scene.project({ 'tests.sh': tests }, settings)
    const fetched = await scene.project({ 'tests.sh': tests }, settings)
    const host = opened.use(await startGitHost({ app: fetched.repository.path }, { stallAfterBytes: 1 }))
    await scene.client.projects.updateProject.mutate({ projectId: fetched.id, repository: `${host.url}/app` })
    const states = { testing, installing, reading, fetching: fetched }
    const { id: waiting } = await scene.project({ 'tests.sh': tests }, settings)

    // Not a connection of the application, which bounds how long a transaction may do nothing.
    const lock = new pg.Client({ connectionString: scene.app.config.databaseUrl })
    await lock.connect()
    opened.defer(() => lock.end())
    await lock.query('BEGIN; LOCK TABLE test_results IN ACCESS EXCLUSIVE MODE')
    const workerSettings = { DATA_DIR, RUN_CONCURRENCY: '4' }
    const killed = await startWorker(scene.app, workerSettings)
    const runs = new Map<RunPhase, string>()
    for (const [phase, { id: projectId }] of Object.entries(states) as [RunPhase, { id: string }][]) {
      runs.set(phase, (await scene.client.testRuns.trigger.mutate({ projectId })).id)
    }
    for (const [phase, runId] of runs) await reached(scene, runId, phase)
    const { id: waitingRun } = await scene.client.testRuns.trigger.mutate({ projectId: waiting })
    expect(await processesWith(marker)).not.toEqual([])
    expect(await scene.client.testRuns.get.query({ runId: waitingRun })).toMatchObject({ status: 'PENDING' })
    killed.kill()
    await expect.poll(() => processesWith(marker)).toEqual([])
    await lock.query('ROLLBACK')
    host.behaviour.stallAfterBytes = undefined
    for (const projectId of [waiting, ...Object.values(states).map(({ id }) => id)]) {
      await scene.client.projects.updateProjectSettings.mutate({ projectId, settings: { environment: { WAIT: 'no' } } })
    }

    opened.use(await startWorker(scene.app, workerSettings))
    for (const [phase, runId] of runs) {
      const run = await scene.waitFor(runId)
      expect(run, `${phase}: ${JSON.stringify(run.error)}`).toMatchObject({ status: 'COMPLETED', totalTests: 1 })
      expect(await scene.log(runId)).toContain('The run starts again.')
      expect(await eventsOf(scene, run.projectId)).toEqual(bothEvents)
    }
    expect(await scene.waitFor(waitingRun)).toMatchObject({ reportedStatus: 'PASSED', totalTests: 1 })
    expect(await eventsOf(scene, waiting)).toEqual(bothEvents)
    // A run's folder goes after its end has been told.
    await expect.poll(() => readdir(join(DATA_DIR, 'runs'))).toEqual([])
  },
)

test('completes a run after the loss of all database connections', async () => {
  await using scene = await createRunScene()
  const { id } = await scene.project(
    { 'tests.sh': `for i in 1 2 3 4; do echo line $i; sleep 0.5; done; echo '${report}' > junit.xml` },
    { testCommand: 'sh tests.sh', reportGlobs: ['junit.xml'] },
  )
  const { id: runId } = await scene.client.testRuns.trigger.mutate({ projectId: id })
  await reached(scene, runId, 'testing')
  for (let times = 0; times < 3; times++) {
    const cut = 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()'
    await scene.app.dataSource.query(cut).catch(() => {})
    await sleep(400)
  }
  const ended = async () =>
    (await scene.client.testRuns.get.query({ runId }).catch(() => undefined))?.completedAt ?? null
  while ((await ended()) === null) await sleep(100)
  expect(await scene.client.testRuns.get.query({ runId })).toMatchObject({ reportedStatus: 'PASSED', totalTests: 1 })
  expect(await scene.log(runId)).toMatch(/line 1\nline 2\nline 3\nline 4/)
  expect(await eventsOf(scene, id)).toEqual(bothEvents)
})
