import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createDataDirectory, processesWith, startWorker } from '../../testing/worker.ts'
import { createVerificationScene } from '../testing/scene.ts'

const marker = `killed-verification-${process.pid}`

test('restarts a verification after kill -9 of its worker, and leaves no process', { timeout: 240_000 }, async () => {
  await using opened = new AsyncDisposableStack()
  const scene = opened.use(await createVerificationScene({ role: 'web' }))
  const { path: DATA_DIR } = opened.use(await createDataDirectory())
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
  const killed = await startWorker(scene.app, { DATA_DIR })
  const how = { repeats: 2, mutants: 2 }
  const { id } = await scene.client.tests.verify.mutate({ projectId, filePath: 'a.test.js', code, ...how })
  while ((await processesWith(marker)).length === 0) await sleep(50)
  killed.kill()
  while ((await processesWith(marker)).length > 0) await sleep(50)
  await scene.client.projects.updateProjectSettings.mutate({ projectId, settings: { environment: { WAIT: 'no' } } })

  opened.use(await startWorker(scene.app, { DATA_DIR }))
  const verification = await scene.waitForVerification(id)
  expect(verification, JSON.stringify(verification.error)).toMatchObject({ status: 'completed', verdict: 'accepted' })
  expect(await scene.app.dataSource.query('SELECT attempt FROM verifications')).toEqual([{ attempt: 2 }])
  while ((await readdir(join(DATA_DIR, 'verifications'))).length > 0) await sleep(50)
})

test('restarts a verification that was killed after its provisional verdict', { timeout: 240_000 }, async () => {
  await using opened = new AsyncDisposableStack()
  const scene = opened.use(await createVerificationScene({ role: 'web' }))
  const { path: DATA_DIR } = opened.use(await createDataDirectory())
  // Waits only together with the new test.
  const waiting = `import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
const waits = process.env.WAIT === 'yes-wait' && existsSync('b.test.js')
test('waits', () => { if (waits) spawnSync('sh', ['-c', 'sleep 300; true', '${marker}']) })
`
  const { id: projectId } = await scene.project(
    {
      'package.json': JSON.stringify({ type: 'module', scripts: { test: 'node --test' } }),
      'a.js': 'export const isOne = (value) => value === 1\n',
      'waiting.test.js': waiting,
    },
    { environment: { WAIT: 'yes-wait' } },
  )
  await scene.client.webhooks.create.mutate({ url: 'http://127.0.0.1:1/', events: ['test.verified'], projectId })
  const code = `import { test } from 'node:test'
import assert from 'node:assert'
import { isOne } from './a.js'
test('knows one', () => assert.ok(isOne(1) && !isOne(2)))
`
  const killed = await startWorker(scene.app, { DATA_DIR })
  const how = { repeats: 2, mutants: 2 }
  const { id } = await scene.client.tests.verify.mutate({ projectId, filePath: 'b.test.js', code, ...how })
  const get = () => scene.client.tests.getVerification.query({ verificationId: id })
  while ((await processesWith(marker)).length === 0) await sleep(50)
  expect(await get()).toMatchObject({ verdict: 'accepted', isProvisional: true })
  killed.kill()
  while ((await processesWith(marker)).length > 0) await sleep(50)
  await scene.client.projects.updateProjectSettings.mutate({ projectId, settings: { environment: { WAIT: 'no' } } })

  opened.use(await startWorker(scene.app, { DATA_DIR }))
  const verification = await scene.waitForVerification(id)
  expect(verification, JSON.stringify(verification.error)).toMatchObject({ status: 'completed', verdict: 'accepted' })
  expect(verification.evidence).not.toHaveProperty('notRun')
  expect(await scene.app.dataSource.query('SELECT attempt FROM verifications')).toEqual([{ attempt: 2 }])
  expect(await scene.app.dataSource.query('SELECT id FROM webhook_deliveries')).toHaveLength(1)
  while ((await readdir(join(DATA_DIR, 'verifications'))).length > 0) await sleep(50)
})
