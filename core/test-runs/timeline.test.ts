import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRunFor } from '../testing/factories.ts'
import type { TimelineStep } from './schema.ts'
import { createRunScene, type RunScene } from './testing/scene.ts'
import { addStep } from './timeline.ts'

let scene: RunScene
beforeAll(async () => void (scene = await createRunScene()))
afterAll(() => scene[Symbol.asyncDispose]())

const report =
  '<testsuite name="a"><testcase classname="a" name="adds"/><testcase classname="a" name="sums"/></testsuite>'

test('a run shows its commands with their times, while it runs and afterwards', async () => {
  const { id } = await scene.project(
    { 'tests.sh': `mkdir -p results\ncat > results/junit.xml <<'END'\n${report}\nEND\nsleep 5\n` },
    { installCommand: 'echo installed', testCommand: 'sh tests.sh', reportGlobs: ['results/*.xml'] },
  )
  const { id: runId } = await scene.client.testRuns.trigger.mutate({ projectId: id })
  const timeline = async () => (await scene.client.testRuns.get.query({ runId })).timeline
  const install = expect.objectContaining({ kind: 'install', label: 'echo installed', tests: null, outcome: 'ok' })
  await expect.poll(timeline, { timeout: 60_000 }).toEqual([install])
  const run = await scene.waitFor(runId)
  const step = { kind: 'test', label: 'sh tests.sh', tests: 2, outcome: 'ok' }
  expect(run.timeline).toEqual([install, expect.objectContaining(step)])
  const [first, second] = run.timeline ?? []
  expect(second?.durationMs).toBeGreaterThanOrEqual(5_000)
  expect(Date.parse(second?.startedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(first?.startedAt ?? ''))
})

test('a run whose install fails shows where it ended', async () => {
  const { id } = await scene.project({ 'a.txt': '' }, { installCommand: 'false', testCommand: 'true' })
  const run = await scene.run(id)
  expect(run.reportedStatus).toBe('ERROR')
  expect(run.timeline).toMatchObject([{ kind: 'install', label: 'false', outcome: 'failed' }])
})

test('an upload in several parts shows each with the time that its tests took', async () => {
  const { id } = await scene.project({ 'a.txt': '' })
  const upload = async (name: string, body: string) => {
    const form = new FormData()
    for (const [field, value] of Object.entries({ branch: 'main', commitSha: 'a'.repeat(40), shardKey: 'build 7' })) {
      form.set(field, value)
    }
    form.set('reports', new Blob([`<testsuite name="a">${body}</testsuite>`]), name)
    const response = await scene.app.fetch(`/api/ci/upload/${id}`, { method: 'POST', token: scene.token, body: form })
    return ((await response.json()) as { runId: string }).runId
  }
  const runId = await upload('shard-1.xml', '<testcase classname="a" name="adds" time="1.5"/>')
  expect(await upload('shard-2.xml', '<testcase classname="a" name="sums" time="0.5"><failure/></testcase>')).toBe(
    runId,
  )
  const { timeline, duration } = await scene.client.testRuns.get.query({ runId })
  expect(duration).toBe(1_500)
  expect(timeline).toMatchObject([
    { kind: 'upload', label: 'shard-1.xml', durationMs: 1_500, tests: 1, outcome: 'ok' },
    { kind: 'upload', label: 'shard-2.xml', durationMs: 500, tests: 1, outcome: 'failed' },
  ])
})

test('a run of an earlier version has no timeline', async () => {
  const { id: projectId } = await scene.project({ 'a.txt': '' })
  const { id: runId } = await createRunFor(scene.app, { projectId, status: 'COMPLETED' })
  expect((await scene.client.testRuns.get.query({ runId })).timeline).toBeNull()
})

test('a timeline is limited in its steps and in the length of their labels', () => {
  const timeline: TimelineStep[] = []
  const label = `\u001b[31m${'x'.repeat(900)}`
  const step = { label, kind: 'test', startedAt: '', durationMs: 1, tests: null, outcome: 'ok' } as const
  for (let index = 0; index < 300; index++) addStep(timeline, step)
  expect(timeline).toHaveLength(200)
  expect(timeline[0]?.label).toMatch(/^x{299}…$/)
})
