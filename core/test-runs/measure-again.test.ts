import { afterAll, beforeAll, expect, test } from 'vitest'
import { coreFailure } from '../../client/core-client.ts'
import { startAi } from '../testing/ai-service.ts'
import { createRunScene, type RunScene } from './testing/scene.ts'

const opened = new AsyncDisposableStack()
let scene: RunScene
beforeAll(async () => {
  const ai = opened.use(await startAi())
  scene = opened.use(await createRunScene({ ai: { url: ai.url, secret: undefined, timeoutMs: 60_000 } }))
})
afterAll(() => opened.disposeAsync())

const sums = {
  'package.json': JSON.stringify({ name: 'sums', type: 'module', scripts: { test: 'node --test' } }),
  'sum.js':
    'export function sum(a, b) {\n  if (a === 0) return b\n  return a + b\n}\n' +
    'export function rest(a, b) {\n  if (b === 0) return NaN\n  return a % b\n}\n',
  'sum.test.js':
    "import test from 'node:test'\nimport assert from 'node:assert'\nimport { sum } from './sum.js'\n" +
    "test('adds', () => { assert.equal(sum(1, 2), 3); assert.equal(sum(0, 2), 2) })\n",
}
const runsOf = async (projectId: string) => (await scene.client.testRuns.list.query({ projectId })).runs
const hintOf = async (work: Promise<unknown>) => {
  const failure = await work.then(
    () => expect.fail('was not refused'),
    (error: unknown) => coreFailure(error),
  )
  return failure?.kind === 'refused' ? failure.hint : expect.fail(`was not refused: ${failure?.kind}`)
}

test('waits for the analysis no longer than the call may, and continues with it', async () => {
  const { id: projectId } = await scene.project(sums)
  const { client } = scene
  const call = (waitSeconds: number) =>
    client.analysis.analyzeRepository.mutate({ projectId, measure: true, waitSeconds })
  const hint = await hintOf(call(0))
  const [analysis] = await client.projects.getProjectAnalyses.query({ projectId })
  expect(hint).toEqual({ kind: 'analysis_running', analysisId: analysis?.id })
  const { measurement, commitSha } = await call(45)
  expect(measurement).toEqual({ runId: (await runsOf(projectId))[0]?.id, problem: null })
  // Without a commit, it is the one of the branch.
  expect(await call(45)).toMatchObject({ commitSha, summary: { coverage: { behind: 0 } } })
  expect(await client.projects.getProjectAnalyses.query({ projectId })).toHaveLength(1)
})

test('does not start a cancelled measurement again', async () => {
  const { id: projectId } = await scene.project({ 'sum.js': sums['sum.js'] }, { testCommand: 'sleep 600' })
  const { client } = scene
  await client.analysis.analyzeRepository.mutate({ projectId })
  const hint = await hintOf(client.analysis.suggestTests.mutate({ projectId, measure: true, waitSeconds: 0 }))
  const runId = hint?.kind === 'measuring' ? hint.runId : expect.fail(`is not measured: ${hint?.kind}`)
  const waiting = client.analysis.suggestTests.mutate({ projectId, measure: true })
  await client.testRuns.cancel.mutate({ runId })
  const problem = `The coverage is estimated, because the run ${runId} was cancelled. Start another with testRuns.trigger.`
  expect(await waiting).toMatchObject({ measurement: { runId, problem } })
  const again = await client.analysis.suggestTests.mutate({ projectId, measure: true })
  expect(again).toMatchObject({ measurement: { runId, problem }, suggestions: [{}, {}] })
  expect(await runsOf(projectId)).toHaveLength(1)
})

test('does not measure a measured commit again, whenever and however it was measured', async () => {
  const { client, app, token } = scene
  const { id: projectId, repository } = await scene.project(sums)
  const { commitSha } = await client.analysis.analyzeRepository.mutate({ projectId })
  await repository.commit({ 'README.md': 'Sums.\n' })
  await client.analysis.analyzeRepository.mutate({ projectId })
  const body = new FormData()
  body.set('branch', 'main')
  body.set('commitSha', commitSha)
  body.append('coverage', new Blob(['SF:sum.js\nDA:2,1\nDA:6,0\nend_of_record\n']), 'lcov.info')
  body.append('reports', new Blob(['<testsuite><testcase name="a"/></testsuite>']), 'junit.xml')
  const response = await app.fetch(`/api/ci/upload/${projectId}`, { method: 'POST', body, token })
  expect(response.status, await response.text()).toBe(201)
  const [upload] = await runsOf(projectId)
  const older = await client.analysis.analyzeRepository.mutate({ projectId, commitSha, measure: true })
  expect(older).toMatchObject({
    summary: { coverage: { commitSha, behind: 0 } },
    measurement: { runId: upload?.id, problem: null },
  })

  // The ranking failed after the upload, long ago.
  const latest = await client.projects.getLatestProjectAnalysis.query({ projectId })
  await app.dataSource.query('UPDATE test_runs SET commit_sha = $2, completed_at = $3 WHERE project_id = $1', [
    projectId,
    latest.commitSha,
    new Date(Date.now() - 86_400_000),
  ])
  await app.dataSource.query('UPDATE analyses SET coverage = NULL WHERE id = $1', [latest.id])
  const answer = await client.analysis.suggestTests.mutate({ projectId, measure: true })
  expect(answer).toMatchObject({
    coverage: { commitSha: latest.commitSha, behind: 0 },
    measurement: { runId: upload?.id, problem: null },
  })
  expect(await runsOf(projectId)).toHaveLength(1)
})

test('tries again once the project has changed', async () => {
  const { client } = scene
  const { id: projectId } = await scene.project({
    'sum.js': sums['sum.js'],
    'tests.mjs': sums['sum.test.js'],
  })
  const first = await client.analysis.suggestTests.mutate({ projectId, measure: true })
  expect(first.measurement?.problem).toMatch(/ Fix the cause, then start a run with testRuns\.trigger\.$/)
  await client.projects.updateProjectSettings.mutate({
    projectId,
    settings: { testCommand: 'node --test tests.mjs' },
  })
  const second = await client.analysis.suggestTests.mutate({ projectId, measure: true })
  expect(await runsOf(projectId)).toHaveLength(2)
  expect(second.measurement?.problem).toBeNull()
})
