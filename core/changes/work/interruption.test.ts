import { type ChildProcess, execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { border, cart, fixed } from '../testing/cart.ts'
import { createChangeScene } from '../testing/scene.ts'

async function startWorker(settings: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
  const env = { PATH, HOME, NODE_COMPILE_CACHE, ...settings }
  const core = fork(new URL('../../main.ts', import.meta.url), { env, stdio: 'ignore' })
  const ended = once(core, 'exit').then(([code]) => Promise.reject(new Error(`core ended with ${String(code)}`)))
  await Promise.race([once(core, 'message'), ended])
  ended.catch(() => {}) // From here on it is meant to end.
  return core
}

const marker = `killed-change-${process.pid}`

async function processes(): Promise<string[]> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'args'])
  return stdout.split('\n').filter((line) => line.startsWith('sh -c') && line.includes(marker))
}

test('restarts after kill -9 of its worker in two phases, and leaves no process', { timeout: 300_000 }, async () => {
  await using opened = new AsyncDisposableStack()
  const scene = opened.use(await createChangeScene({ role: 'web' }))
  const DATA_DIR = await mkdtemp(join(tmpdir(), 'assay-killed-change-'))
  opened.defer(() => rm(DATA_DIR, { recursive: true, force: true }))
  const waiting = `import { spawnSync } from 'node:child_process'\nspawnSync('sh', ['-c', 'sleep 2; true', '${marker}'])\n`
  const { id: projectId, repository } = await scene.project(cart)
  await scene.change(repository, { ...fixed, 'test/border.test.js': waiting + border })
  const environment = {
    DATABASE_URL: scene.app.config.databaseUrl,
    SECRET_KEY: scene.app.config.secretKey,
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
    DATA_DIR,
    PORT: '0',
    ROLE: 'worker',
    EXECUTOR: 'bwrap',
  }
  const { id: changeId } = await scene.client.changes.verify.mutate({
    projectId,
    head: 'topic',
    repeats: 2,
    mutants: 2,
  })
  for (const phase of ['running_head', 'repeating']) {
    const killed = await startWorker(environment)
    const isThere = async () =>
      (await scene.client.changes.get.query({ changeId })).progress?.phase === phase && (await processes()).length > 0
    while (!(await isThere())) await sleep(50)
    killed.kill('SIGKILL')
    while ((await processes()).length > 0) await sleep(50)
  }
  const last = await startWorker(environment)
  opened.defer(async () => {
    last.kill('SIGTERM')
    await once(last, 'exit')
  })
  const change = await scene.waitForChange(changeId)
  expect(change, JSON.stringify(change.error)).toMatchObject({ status: 'completed', verdict: 'proved' })
  expect(await scene.app.dataSource.query('SELECT attempt FROM changes')).toEqual([{ attempt: 3 }])
  while ((await readdir(join(DATA_DIR, 'changes'))).length > 0) await sleep(50)
})
