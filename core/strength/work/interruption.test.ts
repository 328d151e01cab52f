import { randomUUID } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { createRunScene, type RunScene } from '../../test-runs/testing/scene.ts'
import { runSettings } from '../../testing/config.ts'
import { createDataDirectory, processesWith, startWorker, type Worker } from '../../testing/worker.ts'
import type { Measurement } from '../schema.ts'

vi.setConfig({ testTimeout: 300_000 })

const sums = Array.from({ length: 30 }, (_, index) => `export const sum${index} = (a, b) => a + b * ${index + 2}\n`)

/** Each mutant takes a while, and its processes have the marker in their command. */
const slowProject = (marker: string) => ({
  'package.json': '{ "type": "module", "scripts": { "test": "node --test" } }',
  'src/sums.js': sums.join(''),
  [`test/${marker}.test.js`]: `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import * as sums from '../src/sums.js'
for (const [name, sum] of Object.entries(sums)) {
  test(name, async () => {
    await sleep(120)
    assert.equal(sum(1, 0), 1)
  })
}
`,
})

const budgetSeconds = 100

async function waitFor(scene: RunScene, id: string, isEnough: (found: Measurement) => boolean): Promise<Measurement> {
  for (;;) {
    const found = await scene.client.strength.get.query({ measurementId: id, waitSeconds: 1 })
    if (isEnough(found) || found.completedAt !== null) return found
  }
}

const hasEnded = ({ completedAt }: Measurement) => completedAt !== null
const isTrying = ({ evidence }: Measurement) => (evidence?.tried ?? 0) > 0

/** Everything was tried, and nothing was counted twice. */
const complete = (kept: number) => ({
  status: 'completed',
  verdict: 'measured',
  evidence: { reason: 'all_tried', found: 60, reached: 60, tried: 60, kept },
})

async function nothingIsLeft(dataDir: string, marker: string): Promise<void> {
  await expect.poll(() => processesWith(marker), { timeout: 20_000 }).toEqual([])
  await expect.poll(() => readdir(join(dataDir, 'strength_measurements')), { timeout: 20_000 }).toEqual([])
}

type Interrupt = (worker: Worker, scene: RunScene, id: string) => Promise<void>

const isStored = (scene: RunScene) =>
  expect
    .poll(() => scene.app.dataSource.query(`SELECT name FROM mutant_results WHERE kind = 'code'`), { timeout: 60_000 })
    .toEqual([{ name: 'src/sums.js' }])

const interruptions: [string, Interrupt][] = [
  [
    'kill -9 of its worker, with the results that it had stored',
    async (worker, scene, id) => {
      expect(hasEnded(await waitFor(scene, id, isTrying))).toBe(false)
      await isStored(scene)
      worker.kill()
    },
  ],
  [
    'SIGTERM, with all results',
    async (worker, scene, id) => {
      expect(hasEnded(await waitFor(scene, id, isTrying))).toBe(false)
      await worker[Symbol.asyncDispose]()
      await isStored(scene)
    },
  ],
  [
    'kill -9 while it repeats a sample, with a new sample',
    async (worker, scene, id) => {
      const isChecking = ({ progress }: Measurement) => progress?.phase === 'checking'
      expect(hasEnded(await waitFor(scene, id, isChecking))).toBe(false)
      await isStored(scene)
      worker.kill()
    },
  ],
]

test.each(interruptions)('a measurement continues after %s', async (_name, interrupt) => {
  await using opened = new AsyncDisposableStack()
  const scene = opened.use(await createRunScene({ role: 'web' }))
  const { path: DATA_DIR } = opened.use(await createDataDirectory())
  const marker = `killed-${randomUUID()}`
  const { id: projectId } = await scene.project(slowProject(marker))
  const worker = await startWorker(scene.app, { DATA_DIR })
  const { id } = await scene.client.strength.measure.mutate({ projectId, budgetSeconds })
  await interrupt(worker, scene, id)
  await expect.poll(() => processesWith(marker), { timeout: 20_000 }).toEqual([])

  opened.use(await startWorker(scene.app, { DATA_DIR }))
  const ended = await waitFor(scene, id, hasEnded)
  expect(ended, JSON.stringify(ended.error)).toMatchObject(complete(expect.any(Number)))
  expect(ended.evidence?.kept).toBeGreaterThan(0)
  // Nothing of what was taken over had been repeated in fresh processes.
  expect(ended.evidence?.sample.tried).toBeGreaterThan(0)
  expect(await scene.app.dataSource.query('SELECT attempt FROM strength_measurements')).toEqual([{ attempt: 2 }])
  await nothingIsLeft(DATA_DIR, marker)
})

test('what a cancelled measurement has found counts in the next one, and two at once disturb nothing', async () => {
  const twice = { verificationConcurrency: 2, runs: { ...runSettings, runsPerOwner: 2 } }
  await using scene = await createRunScene(twice)
  const { dataDir } = scene.app.config
  const marker = `cancelled-${randomUUID()}`
  const { id: projectId } = await scene.project(slowProject(marker))
  const { id } = await scene.client.strength.measure.mutate({ projectId, budgetSeconds })
  const running = await waitFor(scene, id, isTrying)
  expect(running).toMatchObject({ completedAt: null, isProvisional: true, evidence: { reason: 'running' } })
  await scene.client.strength.cancel.mutate({ measurementId: id })
  await nothingIsLeft(dataDir, marker)
  const cancelled = await scene.client.strength.get.query({ measurementId: id })
  expect(cancelled).toMatchObject({
    status: 'cancelled',
    progress: null,
    error: null,
    evidence: { reason: 'cancelled' },
  })

  const both = await Promise.all([1, 2].map(() => scene.client.strength.measure.mutate({ projectId, budgetSeconds })))
  for (const one of both) {
    const ended = await waitFor(scene, one.id, hasEnded)
    expect(ended, JSON.stringify(ended.error)).toMatchObject(complete(expect.any(Number)))
    expect(ended.evidence?.kept).toBeGreaterThan(0)
  }
  const last = await scene.client.strength.measure.mutate({ projectId, budgetSeconds })
  expect(await waitFor(scene, last.id, hasEnded)).toMatchObject(complete(60))
  await nothingIsLeft(dataDir, marker)
})
