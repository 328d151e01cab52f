import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createTestApp } from '../testing/app.ts'
import { createProjectFor, createTokenFor, createUser } from '../testing/factories.ts'
import { startGitHost } from '../../engines/source/testing/git-host.ts'
import { createGitRepository } from '../../engines/source/testing/git-repository.ts'

async function startCore(settings: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const env = { PATH: process.env['PATH'], ...settings }
  const core = fork(new URL('../main.ts', import.meta.url), { env, stdio: 'ignore' })
  const ended = once(core, 'exit').then(([code]) => Promise.reject(new Error(`core ended with ${String(code)}`)))
  await Promise.race([once(core, 'message'), ended])
  ended.catch(() => {}) // The test kills it.
  return core
}

test('completes an analysis after the server was killed with kill -9 and restarted', async () => {
  await using opened = new AsyncDisposableStack()
  const repository = opened.use(await createGitRepository({ 'a.py': 'def a(x):\n    return 1 if x else 2\n' }))
  const host = opened.use(await startGitHost({ app: repository.path }, { stallAfterBytes: 1 }))
  const app = opened.use(await createTestApp({ role: 'web' }))
  const DATA_DIR = await mkdtemp(join(tmpdir(), 'assay-killed-'))
  opened.defer(() => rm(DATA_DIR, { recursive: true, force: true }))
  const user = await createUser(app)
  const project = await createProjectFor(app, { user, repository: `${host.url}/app` })
  const { analysis } = app.client(await createTokenFor(app, { user }))

  const settings = {
    DATABASE_URL: app.config.databaseUrl,
    DATA_DIR,
    PORT: '0',
    ROLE: 'worker',
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
  }
  const killed = await startCore(settings)
  const { id: analysisId } = await analysis.startAnalysis.mutate({ projectId: project.id })
  await host.stalled
  expect((await analysis.getAnalysis.query({ analysisId })).status).toBe('running')
  killed.kill('SIGKILL')

  host.behaviour.stallAfterBytes = undefined
  const core = await startCore(settings)
  opened.defer(async () => {
    core.kill('SIGTERM')
    await once(core, 'exit')
  })
  const result = () => analysis.getAnalysis.query({ analysisId, waitSeconds: 20, includeResult: true })
  await expect.poll(async () => (await result()).status, { timeout: 100_000 }).toBe('completed')
  const completed = await result()
  expect(completed).toMatchObject({ status: 'completed', error: null, languages: { Python: 1 } })
  expect(completed.result?.testCandidates?.[0]).toMatchObject({ symbol: 'a', path: 'a.py' })
  expect((await readdir(join(DATA_DIR, 'cache', project.id))).filter((name) => /\.lock|tmp/.test(name))).toEqual([])
})
