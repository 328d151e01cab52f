import { randomUUID } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ExpectStatic, test, vi } from 'vitest'
import type { Files } from '../../../engines/source/testing/git-repository.ts'
import { type GitHost, startGitHost } from '../../../engines/source/testing/git-host.ts'
import { runSettings } from '../../testing/config.ts'
import { createDataDirectory, processesWith, startWorker } from '../../testing/worker.ts'
import type { ChangePhase } from '../schema.ts'
import { cart, fixed, testFile } from '../testing/cart.ts'
import { type ChangeScene, createChangeScene } from '../testing/scene.ts'

// Sixteen changes take long on a busy machine.
vi.setConfig({ testTimeout: 300_000 })

/** A test that waits where the variable WAIT says. */
const waiting = (places: { withCoverage?: string; before?: string; after?: string; withOldSetup?: string }) => `
import { spawnSync } from 'node:child_process'
import { total as totalOf } from '../src/cart.js'
const places = ${JSON.stringify(places)}
const after = globalThis.setup === 'old' ? 'withOldSetup' : 'after'
const place = process.env.NODE_V8_COVERAGE ? 'withCoverage' : totalOf([100]) === 100 ? 'before' : after
if (places[place] === process.env.WAIT) spawnSync('sh', ['-c', 'sleep 300; true', process.env.MARKER])
`
const files = {
  'package.json': cart['package.json'],
  'src/cart.js': cart['src/cart.js'],
  'test/cart.test.js': cart['test/cart.test.js'] + waiting({ before: 'running_base' }),
}
const bordering = testFile("import { total } from '../src/cart.js'", {
  'gives a discount from 100': 'assert.equal(total([100]), 90)',
})
const change = {
  ...fixed,
  'test/border.test.js':
    bordering +
    waiting({
      withCoverage: 'running_head',
      before: 'without_change',
      after: 'repeating or mutating',
      withOldSetup: 'with the setup of the base',
    }),
}

interface Stall {
  /** The phase that the progress names. */
  phase: ChangePhase
  wait: string
  repeats?: number
  /** More files of the base and of the change. */
  more?: { base: Files; head?: Files }
  installCommand?: string
}

const setUp = { 'package.json': cart['package.json'].replace('node --test', 'node --import ./tests/setup.js --test') }
/** Mutants and downloads that do not go on end soon, so they are last. */
const stalls: readonly Stall[] = [
  {
    phase: 'installing',
    wait: 'installing',
    more: { base: { 'install.sh': `if [ "$WAIT" = installing ]; then sh -c 'sleep 300; true' "$MARKER"; fi\n` } },
    installCommand: 'sh install.sh',
  },
  { phase: 'running_head', wait: 'running_head' },
  { phase: 'running_base', wait: 'running_base' },
  { phase: 'without_change', wait: 'without_change' },
  { phase: 'repeating', wait: 'repeating or mutating' },
  {
    phase: 'repeating',
    wait: 'with the setup of the base',
    repeats: 1,
    more: {
      base: { ...setUp, 'tests/setup.js': "globalThis.setup = 'old'\n" },
      head: { 'tests/setup.js': "globalThis.setup = 'new'\n" },
    },
  },
  { phase: 'mutating', wait: 'repeating or mutating', repeats: 1 },
  { phase: 'fetching', wait: 'no' },
]

interface Stalled {
  changes: { stall: Stall; projectId: string; changeId: string }[]
  host: GitHost
  marker: string
}

/** Starts a change for each phase, and waits until it is in its phase. */
async function stallInEveryPhase(
  scene: ChangeScene,
  { opened, expect }: { opened: AsyncDisposableStack; expect: ExpectStatic },
): Promise<Stalled> {
  const marker = `stalled-change-${randomUUID()}`
  const changes: Stalled['changes'] = []
  let host: GitHost | undefined
  for (const stall of stalls) {
    const { phase, wait, repeats = 2, more = { base: {} }, installCommand } = stall
    const settings = { environment: { WAIT: wait, MARKER: marker }, ...(installCommand && { installCommand }) }
    const { id: projectId, repository } = await scene.project({ ...files, ...more.base }, settings)
    await scene.change(repository, { ...change, ...more.head })
    if (phase === 'fetching') {
      host = opened.use(await startGitHost({ app: repository.path }, { stallAfterBytes: 1 }))
      await scene.client.projects.updateProject.mutate({ projectId, repository: `${host.url}/app` })
    }
    const wanted = { projectId, head: 'topic', repeats, mutants: 1 }
    const { id: changeId } = await scene.client.changes.verify.mutate(wanted)
    changes.push({ stall, projectId, changeId })
    for (;;) {
      const { progress, completedAt } = await scene.client.changes.get.query({ changeId })
      expect(completedAt, `ended before ${wait}`).toBeNull()
      const expected = phase === 'fetching' ? stalls.length - 1 : changes.length
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
  for (const { projectId } of changes) {
    const cached = await readdir(join(dataDir, 'cache', projectId), { recursive: true }).catch(() => [])
    expect(cached.filter((name) => /\.lock|tmp/.test(name))).toEqual([])
  }
}

const atOnce = { verificationConcurrency: stalls.length, runs: { ...runSettings, runsPerOwner: stalls.length } }

// At once, because both wait most of the time.
test.concurrent('a change can be cancelled in every phase, which leaves nothing behind', async ({ expect }) => {
  await using opened = new AsyncDisposableStack()
  const scene = opened.use(await createChangeScene(atOnce))
  const stalled = await stallInEveryPhase(scene, { opened, expect })
  for (const { stall, changeId } of stalled.changes) {
    const cancelled = await scene.client.changes.cancel.mutate({ changeId })
    expect(cancelled, stall.wait).toMatchObject({ status: 'cancelled', verdict: null, progress: null, error: null })
  }
  await nothingIsLeft(scene.app.config.dataDir, stalled, { expect })
})

test.concurrent('a change begins again after kill -9 of its worker in any phase, and nothing is left or counted twice', async ({
  expect,
}) => {
  await using opened = new AsyncDisposableStack()
  const scene = opened.use(await createChangeScene({ ...atOnce, role: 'web' }))
  const { path: DATA_DIR } = opened.use(await createDataDirectory())
  const count = String(stalls.length)
  const settings = { DATA_DIR, VERIFICATION_CONCURRENCY: count, RUNS_PER_OWNER: count }
  const killed = await startWorker(scene.app, settings)
  const stalled = await stallInEveryPhase(scene, { opened, expect })
  killed.kill()
  await expect.poll(() => processesWith(stalled.marker)).toEqual([])
  stalled.host.behaviour.stallAfterBytes = undefined
  for (const { projectId } of stalled.changes) {
    await scene.client.projects.updateProjectSettings.mutate({ projectId, settings: { environment: { WAIT: 'no' } } })
  }

  opened.use(await startWorker(scene.app, settings))
  for (const { stall, projectId, changeId } of stalled.changes) {
    const ended = await scene.waitForChange(changeId)
    expect(ended, `${stall.wait}: ${JSON.stringify(ended.error)}`).toMatchObject({
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
