import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createProjectFor, createTokenFor, createUser } from '../testing/factories.ts'
import { createGitRepository, type GitRepository } from '../../engines/source/testing/git-repository.ts'
import type { ProcessPool } from '../../engines/processes/pool.ts'
import { createRunScene, type RunScene } from './testing/scene.ts'

vi.setConfig({ testTimeout: 180_000 })

let scene: RunScene
let repository: GitRepository
const opened = new AsyncDisposableStack()
beforeAll(async () => {
  scene = opened.use(await createRunScene({ readTimeoutMs: 8_000 }))
  repository = opened.use(await createGitRepository(files))
})
afterAll(() => opened.disposeAsync())

const files = {
  'package.json': JSON.stringify({ type: 'module', scripts: { test: 'node --test' } }),
  'cart.test.js': "import { test } from 'node:test'\ntest('adds', () => {})\n",
}
const junit = (inner = '') =>
  `<testsuite name="cart"><testcase classname="cart" name="adds" file="cart.test.ts">${inner}</testcase></testsuite>`
const failing = junit('<failure message="expected 3 to be 2">at total (src/cart.ts:4:2)</failure>')
const lcov = 'SF:src/cart.ts\nDA:1,1\nend_of_record\n'
const tookLonger = 'took longer than 8 s to read'

async function owner({ app }: RunScene = scene) {
  const user = await createUser(app)
  const token = await createTokenFor(app, { user })
  const { id: projectId } = await createProjectFor(app, { user, repository: repository.path })
  const { testRuns } = app.client(token)
  let commit = 0
  const upload = async (parts: Record<string, string>) => {
    const form = new FormData()
    form.set('branch', 'main')
    form.set('commitSha', String(++commit).padStart(40, 'a'))
    for (const [part, content] of Object.entries(parts)) form.append(part, new Blob([content]), `${part}.txt`)
    const response = await app.fetch(`/api/ci/upload/${projectId}`, { method: 'POST', body: form, token })
    const answer = (await response.json()) as { runId: string; message: string; coverage: number; totalTests: number }
    return { ...answer, http: response.status }
  }
  const plan = () => testRuns.plan.mutate({ projectId })
  return { token, projectId, testRuns, upload, plan }
}

/** Stops the processes, which to their parent looks like an endless loop. */
async function hang(pool: ProcessPool, start: () => Promise<unknown>): Promise<number[]> {
  await start()
  const { pids } = pool
  expect(pids.length).toBeGreaterThan(0)
  for (const pid of pids) process.kill(pid, 'SIGSTOP')
  return pids
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Calls while the processes hang. Health must answer before the call ends. */
async function answersMeanwhile<T>(call: () => Promise<T>): Promise<T> {
  const order: string[] = []
  const running = call().finally(() => order.push('call'))
  running.catch(() => {})
  await sleep(300)
  for (let times = 0; times < 5; times++) expect((await scene.app.fetch('/health')).status).toBe(200)
  order.push('health')
  const result = await running.catch((error: unknown) => Promise.reject(error))
  expect(order).toEqual(['health', 'call'])
  return result
}

test('a plan that hangs fails with the reason, and the next one succeeds', async () => {
  const { plan } = await owner()
  const { interactive } = scene.app.services.engines
  const stopped = await hang(interactive, plan)
  const failure = answersMeanwhile(plan)
  await expect(failure).rejects.toMatchObject({ data: { code: 'BAD_REQUEST' } })
  await expect(failure).rejects.toThrow(`The files that say how to run the tests ${tookLonger}`)
  expect(stopped.filter(isAlive)).toHaveLength(stopped.length - 1)
  for (const pid of stopped.filter(isAlive)) process.kill(pid, 'SIGKILL')
  expect((await plan()).parts).toMatchObject([{ framework: 'node:test' }])
})

test.for([
  ['report', { reports: junit() }, 'reports.txt'],
  ['coverage', { coverage: lcov }, 'coverage.txt'],
] as const)(
  'an upload whose %s hangs is rejected with its name, and the next one succeeds',
  async ([, parts, name]) => {
    const { upload, testRuns, projectId } = await owner()
    const { background } = scene.app.services.engines
    const stopped = await hang(background, () => upload({ reports: failing }))
    const before = (await testRuns.list.query({ projectId })).runs.length
    const answer = await answersMeanwhile(() => upload(parts))
    expect(answer).toMatchObject({ http: 400, message: `${name}: the file ${tookLonger}` })
    expect((await testRuns.list.query({ projectId })).runs).toHaveLength(before)
    for (const pid of stopped.filter(isAlive)) process.kill(pid, 'SIGKILL')
    expect(await upload(parts)).toMatchObject({ http: 201 })
  },
)

test('a digest of failures whose texts hang is answered without their positions', async () => {
  const { upload, testRuns } = await owner()
  const { runId } = await upload({ reports: failing })
  const digest = () => testRuns.failures.query({ runId })
  const stopped = await hang(scene.app.services.engines.interactive, digest)
  const position = (answer: Awaited<ReturnType<typeof digest>>) => answer.groups[0]?.examples[0]?.frame
  expect(position(await answersMeanwhile(digest))).toBeNull()
  for (const pid of stopped.filter(isAlive)) process.kill(pid, 'SIGKILL')
  expect(position(await digest())).toEqual({ file: 'src/cart.ts', line: 4 })
})

test('a run whose report hangs names it, and the next one succeeds', async () => {
  const command = `sh -c 'sleep 2; echo "$REPORT" > junit.xml'`
  const settings = { testCommand: command, reportGlobs: ['junit.xml'], environment: { REPORT: junit() } }
  const { id } = await scene.project(files, settings)
  const { background } = scene.app.services.engines
  const { id: runId } = await scene.client.testRuns.trigger.mutate({ projectId: id })
  await vi.waitFor(async () => expect(await scene.log(runId)).toContain('$ sh -c'), { timeout: 60_000 })
  await hang(background, () => Promise.resolve())
  const run = await answersMeanwhile(() => scene.waitFor(runId))
  expect(run).toMatchObject({ status: 'FAILED', totalTests: 0 })
  expect(run.error?.message).toContain(`junit.xml: the file ${tookLonger}`)
  for (const pid of background.pids) process.kill(pid, 'SIGKILL')
  expect(await scene.run(id)).toMatchObject({ reportedStatus: 'PASSED', totalTests: 1 })
})

test('an owner whose plans and uploads all hang leaves the others their turn', async () => {
  // Nothing in it reaches the deadline, however slow the machine is.
  await using patient = await createRunScene({ role: 'web', readTimeoutMs: 120_000 })
  const [flooding, other] = [await owner(patient), await owner(patient)]
  const { interactive, background } = patient.app.services.engines
  await hang(interactive, flooding.plan)
  await hang(background, () => flooding.upload({ reports: junit() }))
  let served = 0
  const flood = Array.from({ length: 4 }, () => [flooding.plan(), flooding.upload({ reports: junit() })]).flat()
  const settled = Promise.allSettled(flood.map((call) => call.then(() => served++)))
  await sleep(300)
  expect((await other.plan()).parts).toHaveLength(1)
  expect(await other.upload({ reports: junit() })).toMatchObject({ http: 201, totalTests: 1 })
  expect(served).toBe(0)
  for (const pid of [...interactive.pids, ...background.pids]) process.kill(pid, 'SIGCONT')
  await settled
})

test('leaves no process when the server stops', async () => {
  const one = await createRunScene({ role: 'web' })
  const user = await createUser(one.app)
  const { id: projectId } = await createProjectFor(one.app, { user, repository: repository.path })
  const { testRuns } = one.app.client(await createTokenFor(one.app, { user }))
  const { interactive } = one.app.services.engines
  await hang(interactive, () => testRuns.plan.mutate({ projectId }))
  const { pids } = interactive
  const waiting = testRuns.plan.mutate({ projectId }).catch((error: unknown) => error)
  await sleep(300)
  await one[Symbol.asyncDispose]()
  expect(await waiting).toBeInstanceOf(Error)
  expect(pids.filter(isAlive)).toEqual([])
})
