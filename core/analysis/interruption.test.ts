import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createTestApp } from '../testing/app.ts'
import { createProjectFor, createTokenFor, createUser } from '../testing/factories.ts'
import { createDataDirectory, startWorker } from '../testing/worker.ts'
import { startGitHost } from '../../engines/source/testing/git-host.ts'
import { createGitRepository } from '../../engines/source/testing/git-repository.ts'

test('completes an analysis after the server was killed with kill -9 and restarted', async () => {
  await using opened = new AsyncDisposableStack()
  const repository = opened.use(await createGitRepository({ 'a.py': 'def a(x):\n    return 1 if x else 2\n' }))
  const host = opened.use(await startGitHost({ app: repository.path }, { stallAfterBytes: 1 }))
  const app = opened.use(await createTestApp({ role: 'web' }))
  const { path: DATA_DIR } = opened.use(await createDataDirectory())
  const user = await createUser(app)
  const project = await createProjectFor(app, { user, repository: `${host.url}/app` })
  const { analysis } = app.client(await createTokenFor(app, { user }))

  const killed = await startWorker(app, { DATA_DIR })
  const { id: analysisId } = await analysis.startAnalysis.mutate({ projectId: project.id })
  await host.stalled
  expect((await analysis.getAnalysis.query({ analysisId })).status).toBe('running')
  killed.kill()

  host.behaviour.stallAfterBytes = undefined
  opened.use(await startWorker(app, { DATA_DIR }))
  const result = () => analysis.getAnalysis.query({ analysisId, waitSeconds: 20, includeResult: true })
  await expect.poll(async () => (await result()).status, { timeout: 100_000 }).toBe('completed')
  const completed = await result()
  expect(completed).toMatchObject({ status: 'completed', error: null, languages: { Python: 1 } })
  expect(completed.result?.testCandidates?.[0]).toMatchObject({ symbol: 'a', path: 'a.py' })
  expect((await readdir(join(DATA_DIR, 'cache', project.id))).filter((name) => /\.lock|tmp/.test(name))).toEqual([])
})
