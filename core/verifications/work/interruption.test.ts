import { type ChildProcess, execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { createVerificationScene } from '../testing/scene.ts'

async function startWorker(settings: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
  const env = { PATH, HOME, NODE_COMPILE_CACHE, ...settings }
  const core = fork(new URL('../../main.ts', import.meta.url), { env, stdio: 'ignore' })
  const ended = once(core, 'exit').then(([code]) => Promise.reject(new Error(`core ended with ${String(code)}`)))
  await Promise.race([once(core, 'message'), ended])
  ended.catch(() => {}) // From here on it is meant to end.
  return core
}

const marker = `killed-verification-${process.pid}`

async function processes(): Promise<string[]> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'args'])
  return stdout.split('\n').filter((line) => line.startsWith('sh -c') && line.includes(marker))
}

test('restarts a verification after kill -9 of its worker, and leaves no process', { timeout: 240_000 }, async () => {
  await using opened = new AsyncDisposableStack()
  const scene = opened.use(await createVerificationScene({ role: 'web' }))
  const DATA_DIR = await mkdtemp(join(tmpdir(), 'assay-killed-verification-'))
  opened.defer(() => rm(DATA_DIR, { recursive: true, force: true }))
  const { id: projectId } = await scene.project(
    {
      'package.json': JSON.stringify({ type: 'module', scripts: { test: 'node --test' } }),
      'a.js': 'export const isOne = (value) => value === 1\n',
    },
    { environment: { WAIT: 'yes-wait' } },
  )
  const code = `import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import assert from 'node:assert'
import { isOne } from './a.js'
if (process.env.WAIT === 'yes-wait') spawnSync('sh', ['-c', 'sleep 300; true', '${marker}'])
test('knows one', () => assert.ok(isOne(1) && !isOne(2)))
`
  const environment = {
    DATABASE_URL: scene.app.config.databaseUrl,
    SECRET_KEY: scene.app.config.secretKey,
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
    DATA_DIR,
    PORT: '0',
    ROLE: 'worker',
    EXECUTOR: 'bwrap',
  }
  const killed = await startWorker(environment)
  const how = { repeats: 2, mutants: 2 }
  const { id } = await scene.client.tests.verify.mutate({ projectId, filePath: 'a.test.js', code, ...how })
  while ((await processes()).length === 0) await sleep(50)
  killed.kill('SIGKILL')
  while ((await processes()).length > 0) await sleep(50)
  await scene.client.projects.updateProjectSettings.mutate({ projectId, settings: { environment: { WAIT: 'no' } } })

  const second = await startWorker(environment)
  opened.defer(async () => {
    second.kill('SIGTERM')
    await once(second, 'exit')
  })
  const verification = await scene.waitForVerification(id)
  expect(verification, JSON.stringify(verification.error)).toMatchObject({ status: 'completed', verdict: 'accepted' })
  expect(await scene.app.dataSource.query('SELECT attempt FROM verifications')).toEqual([{ attempt: 2 }])
  while ((await readdir(join(DATA_DIR, 'verifications'))).length > 0) await sleep(50)
})
