import { randomUUID } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ExpectStatic, test, vi } from 'vitest'
import { type GitHost, startGitHost } from '../../../engines/source/testing/git-host.ts'
import { runSettings } from '../../testing/config.ts'
import { createDataDirectory, processesWith, startWorker } from '../../testing/worker.ts'
import type { ChangePhase } from '../schema.ts'
import { cart, fixed, testFile } from '../testing/cart.ts'
import { type ChangeScene, createChangeScene } from '../testing/scene.ts'

// Twelve changes take long on a busy machine.
vi.setConfig({ testTimeout: 300_000 })

/** A test that waits in the phase of the variable WAIT. */
const waiting = (phases: { withCoverage: string; before: string; after: string }) => `
import { spawnSync } from 'node:child_process'
import { total as totalOf } from '../src/cart.js'
const phases = ${JSON.stringify(phases)}
const phase = process.env.NODE_V8_COVERAGE ? 'withCoverage' : totalOf([100]) === 100 ? 'before' : 'after'
if (phases[phase] === process.env.WAIT) spawnSync('sh', ['-c', 'sleep 300; true', process.env.MARKER])
`
const files = {
  'package.json': cart['package.json'],
  'src/cart.js': cart['src/cart.js'],
  'test/cart.test.js': cart['test/cart.test.js'] + waiting({ withCoverage: '', before: 'running_base', after: '' }),
}
const bordering = testFile("import { total } from '../src/cart.js'", {
  'gives a discount from 100': 'assert.equal(total([100]), 90)',
})
const change = {
  ...fixed,
  'test/border.test.js':
    bordering + waiting({ withCoverage: 'running_head', before: 'without_change', after: 'repeating or mutating' }),
}
/** Mutants and downloads that do not go on end soon, so they are last. */
const waits = {
  running_head: 'running_head',
  running_base: 'running_base',
  without_change: 'without_change',
  repeating: 'repeating or mutating',
  mutating: 'repeating or mutating',
  fetching: 'no',
} satisfies Partial<Record<ChangePhase, string>>
const phases = Object.keys(waits) as (keyof typeof waits)[]

interface Stalled {
  changes: Map<ChangePhase, { projectId: string; changeId: string }>
  host: GitHost
  marker: string
}

/** Starts a change for each phase, and waits until it is in its phase. */
async function stallInEveryPhase(
  scene: ChangeScene,
  { opened, expect }: { opened: AsyncDisposableStack; expect: ExpectStatic },
): Promise<Stalled> {
  const marker = `stalled-change-${randomUUID()}`
  const changes: Stalled['changes'] = new Map()
  let host: GitHost | undefined
  for (const phase of phases) {
    const environment = { WAIT: waits[phase], MARKER: marker }
    const { id: projectId, repository } = await scene.project(files, { environment })
    await scene.change(repository, change)
    if (phase === 'fetching') {
      host = opened.use(await startGitHost({ app: repository.path }, { stallAfterBytes: 1 }))
      await scene.client.projects.updateProject.mutate({ projectId, repository: `${host.url}/app` })
    }
    const repeats = phase === 'mutating' ? 1 : 2
    const wanted = { projectId, head: 'topic', repeats, mutants: 1 }
    const { id: changeId } = await scene.client.changes.verify.mutate(wanted)
    changes.set(phase, { projectId, changeId })
    for (;;) {
      const { progress, completedAt } = await scene.client.changes.get.query({ changeId })
      expect(completedAt, `ended before ${phase}`).toBeNull()
      const expected = phase === 'fetching' ? phases.length - 1 : changes.size
      if (progress?.phase === phase && (await processesWith(marker)).length === expected) break
      await sleep(100)
    }
  }
  if (!host) throw new Error('there is no host')
  await host.stalled
  return { changes, host, marker }
}

/** Waits until no process, folder or lock is left. */
async function nothingIsLeft(
  dataDir: string,
  { changes, host, marker }: Stalled,
  { expect }: { expect: ExpectStatic },
): Promise<void> {
  await expect.poll(() => processesWith(marker)).toEqual([])
  await expect.poll(() => processesWith(host.url)).toEqual([])
  await expect.poll(() => readdir(join(dataDir, 'changes'))).toEqual([])
  for (const { projectId } of changes.values()) {
    const cached = await readdir(join(dataDir, 'cache', projectId), { recursive: true }).catch(() => [])
    expect(cached.filter((name) => /\.lock|tmp/.test(name))).toEqual([])
  }
}

const atOnce = { verificationConcurrency: phases.length, runs: { ...runSettings, runsPerOwner: phases.length } }

// At once, because both wait most of the time.
test.concurrent('a change can be cancelled in every phase, which leaves nothing behind', async ({ expect }) => {
  await using opened = new AsyncDisposableStack()
  const scene = opened.use(await createChangeScene(atOnce))
  const stalled = await stallInEveryPhase(scene, { opened, expect })
  for (const [phase, { changeId }] of stalled.changes) {
    const cancelled = await scene.client.changes.cancel.mutate({ changeId })
    expect(cancelled, phase).toMatchObject({ status: 'cancelled', verdict: null, progress: null, error: null })
  }
  await nothingIsLeft(scene.app.config.dataDir, stalled, { expect })
})

test.concurrent('a change begins again after kill -9 of its worker in any phase, and nothing is left or counted twice', async ({
  expect,
}) => {
  await using opened = new AsyncDisposableStack()
  const scene = opened.use(await createChangeScene({ ...atOnce, role: 'web' }))
  const { path: DATA_DIR } = opened.use(await createDataDirectory())
  const count = String(phases.length)
  const settings = { DATA_DIR, VERIFICATION_CONCURRENCY: count, RUNS_PER_OWNER: count }
  const killed = await startWorker(scene.app, settings)
  const stalled = await stallInEveryPhase(scene, { opened, expect })
  killed.kill()
  await expect.poll(() => processesWith(stalled.marker)).toEqual([])
  stalled.host.behaviour.stallAfterBytes = undefined
  for (const { projectId } of stalled.changes.values()) {
    await scene.client.projects.updateProjectSettings.mutate({ projectId, settings: { environment: { WAIT: 'no' } } })
  }

  opened.use(await startWorker(scene.app, settings))
  for (const [phase, { projectId, changeId }] of stalled.changes) {
    const ended = await scene.waitForChange(changeId)
    expect(ended, `${phase}: ${JSON.stringify(ended.error)}`).toMatchObject({
      status: 'completed',
      verdict: 'proved',
      evidence: { head: { totalTests: 3 }, base: { totalTests: 2 }, counts: { new_passing: 1, passes_to_passes: 2 } },
    })
    const attempts = await scene.app.dataSource.query('SELECT attempt FROM changes WHERE id = $1', [changeId])
    expect(attempts).toEqual([{ attempt: 2 }])
    const events = await scene.app.dataSource.query(
      `SELECT type FROM events WHERE project_id = $1 AND type LIKE 'change.%'`,
      [projectId],
    )
    expect(events).toEqual([{ type: 'change.verified' }])
  }
  await nothingIsLeft(DATA_DIR, stalled, { expect })
})
