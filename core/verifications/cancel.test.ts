import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { processesWith } from '../testing/worker.ts'
import { VerificationEntity } from './entity.ts'
import type { VerificationPhase } from './schema.ts'
import { createVerificationScene, type VerificationScene } from './testing/scene.ts'

let scene: VerificationScene
beforeAll(async () => void (scene = await createVerificationScene()))
afterAll(() => scene[Symbol.asyncDispose]())

const marker = `verified-${process.pid}`
const files = {
  'package.json': JSON.stringify({ type: 'module', scripts: { test: 'node --test' } }),
  'a.js': 'export const a = 1\n',
  'a.test.js': "import { test } from 'node:test'\nimport './a.js'\ntest('a', () => {})\n",
}
const endless = {
  filePath: 'b.test.js',
  code: `import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
test('waits', () => void spawnSync('sh', ['-c', 'sleep 300; true', '${marker}']))
`,
}

const get = (verificationId: string) => scene.client.tests.getVerification.query({ verificationId })

async function startEndless(): Promise<{ projectId: string; verificationId: string }> {
  const { id: projectId } = await scene.project(files)
  const { id: verificationId } = await scene.client.tests.verify.mutate({ projectId, ...endless })
  while ((await processesWith(marker)).length === 0) await sleep(20)
  return { projectId, verificationId }
}

/** Until the worker has let go of what it worked in. */
async function workerIsDone(): Promise<void> {
  const left = async () => (await readdir(join(scene.app.config.dataDir, 'verifications'))).length
  while ((await left()) > 0) await sleep(20)
}

test('reports the progress of each phase', async () => {
  const { id: projectId } = await scene.project(files)
  const { id: verificationId } = await scene.client.tests.verify.mutate({ projectId, ...endless })
  const phases: VerificationPhase[] = []
  while (phases.at(-1) !== 'building') {
    const { progress } = await get(verificationId)
    if (progress && phases.at(-1) !== progress.phase) phases.push(progress.phase)
    await sleep(10)
  }
  const order = ['fetching', 'installing', 'building']
  expect(phases).toEqual(order.filter((phase) => phases.some((seen) => seen === phase)))
  expect(phases).toContain('building')
  await scene.client.tests.cancelVerification.mutate({ verificationId })
  await workerIsDone()
})

test('ends a cancelled verification and its processes', async () => {
  const { verificationId } = await startEndless()
  const waiting = scene.client.tests.getVerification.query({ verificationId, waitSeconds: 45 })
  await scene.client.tests.cancelVerification.mutate({ verificationId })
  expect(await waiting).toMatchObject({ status: 'cancelled', verdict: null, evidence: null, progress: null })
  await workerIsDone()
  expect(await processesWith(marker)).toEqual([])
  expect(await get(verificationId)).toMatchObject({ status: 'cancelled', verdict: null })
})

test('ends a verification that has a provisional verdict, which it loses, and its processes', async () => {
  // Waits only together with the new test.
  const waiting = `import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
test('waits', () => { if (existsSync('b.test.js')) spawnSync('sh', ['-c', 'sleep 300; true', '${marker}']) })
`
  const size = "export const size = (count) => (count >= 100 ? 'large' : 'small')\n"
  const { id: projectId } = await scene.project({ ...files, 'size.js': size, 'waiting.test.js': waiting })
  const code = `import assert from 'node:assert'
import { test } from 'node:test'
import { size } from './size.js'
test('b', () => assert.deepEqual([size(99), size(100)], ['small', 'large']))
`
  const written = { projectId, filePath: 'b.test.js', code }
  const { id: verificationId } = await scene.client.tests.verify.mutate(written)
  const first = await scene.client.tests.getVerification.query({ verificationId, waitSeconds: 45, final: false })
  expect(first).toMatchObject({ verdict: 'accepted', isProvisional: true })
  while ((await processesWith(marker)).length === 0) await sleep(20)
  await scene.client.tests.cancelVerification.mutate({ verificationId })
  await workerIsDone()
  expect(await processesWith(marker)).toEqual([])
  const none = { status: 'cancelled', verdict: null, isProvisional: false, evidence: null }
  expect(await get(verificationId)).toMatchObject(none)
})

test('ends a verification when its project is deleted', async () => {
  const { projectId, verificationId } = await startEndless()
  const before = scene.app.logLines.length
  await scene.client.projects.deleteProject.mutate({ projectId })
  await workerIsDone()
  expect(await processesWith(marker)).toEqual([])
  await expect(get(verificationId)).rejects.toThrow('No such verification')
  expect(await scene.app.dataSource.getRepository(VerificationEntity).countBy({ projectId })).toBe(0)
  const complaints = scene.app.logLines.slice(before).filter((line) => /"level":[456]0/.test(line))
  expect(complaints).toEqual([])
  const { id: other } = await scene.project(files)
  const next = await scene.client.tests.verify.mutate({ projectId: other, filePath: 'c.test.js', code: 'oh no (' })
  expect(await scene.waitForVerification(next.id)).toMatchObject({ status: 'completed' })
})
