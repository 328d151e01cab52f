import { afterAll, beforeAll, expect, test } from 'vitest'
import { startMockAi } from '../testing/ai-service.ts'
import { coreFailure } from '../../client/core-client.ts'
import {
  createMembershipFor,
  createOrganizationFor,
  createProjectFor,
  createTokenFor,
  createUser,
} from '../testing/factories.ts'
import { createRunScene, type RunScene } from './testing/scene.ts'

let scene: RunScene
let mockAi: Awaited<ReturnType<typeof startMockAi>>
beforeAll(async () => {
  mockAi = await startMockAi()
  scene = await createRunScene({ ai: mockAi.ai })
})
afterAll(async () => {
  await scene[Symbol.asyncDispose]()
  await mockAi[Symbol.asyncDispose]()
})

const sums = {
  'package.json': JSON.stringify({ name: 'sums', type: 'module', scripts: { test: 'node --test' } }),
  'sum.js':
    'export function sum(a, b) {\n  if (a === 0) return b\n  return a + b\n}\n' +
    'export function rest(a, b) {\n  if (b === 0) return NaN\n  return a % b\n}\n',
  'sum.test.js':
    "import test from 'node:test'\nimport assert from 'node:assert'\nimport { sum } from './sum.js'\n" +
    "test('adds', () => { assert.equal(sum(1, 2), 3); assert.equal(sum(0, 2), 2) })\n",
}
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => expect.fail('was not refused'),
    (error: unknown) => coreFailure(error),
  )
const runsOf = async (projectId: string) => (await scene.client.testRuns.list.query({ projectId })).runs

test('runs the tests once, waits, resumes, and answers with measured gaps', async () => {
  const { id: projectId } = await scene.project(sums)
  const { client } = scene
  const before = await client.analysis.suggestTests.mutate({ projectId })
  expect(before).toMatchObject({ coverage: null })

  const impatient = () => failureOf(client.analysis.suggestTests.mutate({ projectId, measure: true, waitSeconds: 0 }))
  const refusals = await Promise.all([impatient(), impatient(), impatient()])
  const [run, ...others] = await runsOf(projectId)
  expect(others).toEqual([])
  for (const refusal of refusals) {
    expect(refusal).toMatchObject({ code: 'CONFLICT', hint: { kind: 'measuring', runId: run?.id } })
  }
  const answer = await client.analysis.suggestTests.mutate({ projectId, measure: true })
  expect(answer).toMatchObject({
    coverage: { commitSha: answer.commitSha, behind: 0 },
    measurement: { runId: run?.id, problem: null },
    suggestions: [{ file_path: 'sum.js', target: { symbol: 'rest' } }],
  })
  // What is measured is not measured again.
  const again = await client.analysis.suggestTests.mutate({ projectId, measure: true, paths: ['sum.js'] })
  expect(again).toMatchObject({ measurement: { runId: null, problem: null }, coverage: { behind: 0 } })
  const analyzed = await client.analysis.analyzeRepository.mutate({ projectId, measure: true, symbols: ['rest'] })
  expect(analyzed.testCandidates).toMatchObject([{ symbol: 'rest', coverageSource: 'measured' }])
  expect(await runsOf(projectId)).toHaveLength(1)
})

test('no test of a whole run ran the code of a file that it did not load, and a selection says nothing of it', async () => {
  const far = 'export function far(a) {\n  if (a === 0) return 1\n  return a * 2\n}\n'
  const candidatesAfter = async (selection: object) => {
    const { id: projectId } = await scene.project({ ...sums, 'far.js': far })
    const { commitSha } = await scene.run(projectId, selection)
    const { testCandidates, summary } = await scene.client.analysis.analyzeRepository.mutate({ projectId })
    expect(summary.coverage).toMatchObject({ commitSha, measuredFiles: 1 })
    return testCandidates?.filter(({ symbol }) => symbol === 'far')
  }
  expect(await candidatesAfter({})).toMatchObject([
    { coverageSource: 'measured', coverage: 0, reasons: expect.arrayContaining(['tests run none of its 3 lines']) },
  ])
  expect(await candidatesAfter({ paths: ['sum.test.js'] })).toMatchObject([{ coverageSource: 'estimated' }])
})

test('a run shows its coverage with lines, files and the largest gaps wherever it is shown', async () => {
  const { id: projectId } = await scene.project(sums)
  const run = await scene.run(projectId)
  const coverageFigures = {
    coveredLines: expect.any(Number),
    totalLines: expect.any(Number),
    files: 1,
    worst: [{ path: 'sum.js', coveredLines: expect.any(Number), totalLines: 6 }],
  }
  expect(run, await scene.log(run.id)).toMatchObject({ coverageFigures })
  const { coverageFigures: figures, coverage } = run
  expect(coverage).toBeCloseTo((100 * (figures?.coveredLines ?? 0)) / (figures?.totalLines ?? 1), 1)
  expect(await runsOf(projectId)).toMatchObject([{ coverageFigures: figures }])
  expect(await scene.client.testRuns.failures.query({ runId: run.id })).toMatchObject({ coverageFigures: figures })
  // Lists sum up nothing: the figures are stored with the run.
  await scene.app.dataSource.query('DELETE FROM test_run_coverage WHERE run_id = $1', [run.id])
  expect(await runsOf(projectId)).toMatchObject([{ coverageFigures: figures }])
  const queued = await scene.client.testRuns.trigger.mutate({ projectId })
  expect(queued).toMatchObject({ coverage: null, coverageFigures: null })
})

test('says why nothing was measured, and answers with estimates', async () => {
  const { client } = scene
  const { id: projectId } = await scene.project({ 'sum.js': sums['sum.js'] })
  const unplanned = await client.analysis.suggestTests.mutate({ projectId, measure: true })
  const [run] = await runsOf(projectId)
  const problem = expect.stringMatching(
    new RegExp(`^The coverage is estimated, because the run ${run?.id} has no result: `),
  )
  expect(unplanned).toMatchObject({
    coverage: null,
    measurement: { runId: run?.id, problem },
    warnings: expect.arrayContaining([problem]),
    suggestions: [{ file_path: 'sum.js' }, { file_path: 'sum.js' }],
  })
  // Another try at once would come to the same.
  await client.analysis.suggestTests.mutate({ projectId, measure: true })
  expect(await runsOf(projectId)).toHaveLength(1)

  const settings = { testCommand: 'sh tests.sh', reportGlobs: ['r.xml'] }
  const report = `echo '<testsuite><testcase name="a"/></testsuite>' > r.xml\n`
  const bare = await scene.project({ 'sum.js': sums['sum.js'], 'tests.sh': report }, settings)
  const analyzed = await client.analysis.analyzeRepository.mutate({ projectId: bare.id, measure: true })
  const [silent] = await runsOf(bare.id)
  expect(silent).toMatchObject({ reportedStatus: 'PASSED', coverage: null })
  expect(analyzed.warnings?.[0]).toEqual({
    code: 'coverage_unknown',
    message: `The coverage is estimated, because the run ${silent?.id} left no coverage report. Its log shows what the tests wrote. Fix the cause, then start a run with testRuns.trigger.`,
  })
  expect(analyzed.testCandidates).toHaveLength(2)
})

test('names the reason that the log or the plan gives for missing coverage', async () => {
  const { client } = scene
  const report = `echo '<testsuite><testcase name="a"/></testsuite>' > r.xml\n`
  const tests = `echo first\necho '# No coverage: the package coverage is not installed.' >&2\n${report}`
  const settings = { testCommand: 'sh tests.sh', reportGlobs: ['r.xml'] }
  const { id: projectId } = await scene.project({ 'sum.js': sums['sum.js'], 'tests.sh': tests }, settings)
  const { measurement } = await client.analysis.suggestTests.mutate({ projectId, measure: true })
  const [run] = await runsOf(projectId)
  expect(measurement?.problem).toBe(
    `The coverage is estimated, because the run ${run?.id} measured none: the package coverage is not installed. Fix the cause, then start a run with testRuns.trigger.`,
  )
  await scene.app.dataSource.query('DELETE FROM test_run_log WHERE run_id = $1', [run?.id])
  const notes = ['A note.', 'No coverage, because cargo test does not measure it.']
  await scene.app.dataSource.query(
    `UPDATE test_runs SET plan = jsonb_set(plan::jsonb, '{0,notes}', $2::jsonb) WHERE id = $1`,
    [run?.id, JSON.stringify(notes)],
  )
  const again = await client.analysis.suggestTests.mutate({ projectId, measure: true })
  expect(again.measurement?.problem).toContain(' measured none: cargo test does not measure it. Fix')
  expect(await runsOf(projectId)).toHaveLength(1)

  // The environment may have been repaired in the meantime.
  await scene.app.dataSource.query(
    `UPDATE test_runs SET completed_at = completed_at - interval '2 minutes' WHERE id = $1`,
    [run?.id],
  )
  await client.analysis.suggestTests.mutate({ projectId, measure: true })
  expect(await runsOf(projectId)).toHaveLength(2)
})

test('measures again where all of what was measured has changed', async () => {
  const { client } = scene
  const { id: projectId, repository } = await scene.project(sums)
  await client.analysis.analyzeRepository.mutate({ projectId, measure: true })
  const changed = Object.fromEntries(
    Object.entries(sums).flatMap(([path, text]) => (path.endsWith('.js') ? [[path, `// Changed.\n${text}`]] : [])),
  )
  await repository.commit(changed)
  const { summary } = await client.analysis.analyzeRepository.mutate({ projectId })
  expect(summary.coverage).toMatchObject({ behind: 1 })
  const measured = await client.analysis.suggestTests.mutate({ projectId, measure: true })
  expect(measured.coverage).toMatchObject({ behind: 0 })
  expect(await runsOf(projectId)).toHaveLength(2)
})

test('says that the project is gone if it is deleted meanwhile', async () => {
  const { id: projectId } = await scene.project(sums)
  const { client } = scene
  const measuring = failureOf(client.analysis.suggestTests.mutate({ projectId, measure: true }))
  await expect.poll(() => runsOf(projectId)).toHaveLength(1)
  await client.projects.deleteProject.mutate({ projectId })
  expect(await measuring).toMatchObject({ status: 404, message: expect.stringContaining('No such project') })
})

test('refuses callers who must not trigger runs', async () => {
  const { app } = scene
  const user = await createUser(app)
  const organization = await createOrganizationFor(app)
  const viewer = await createUser(app)
  await createMembershipFor(app, { organizationId: organization.id, user: viewer, role: 'viewer' })
  const { id: projectId } = await createProjectFor(app, { user, repository: 'https://example.com/x' })
  const { id: shared } = await createProjectFor(app, {
    organizationId: organization.id,
    repository: 'https://example.com/x',
  })
  const callsOf = (token: string, id: string) => {
    const { analysis } = app.client(token)
    return [
      () => analysis.suggestTests.mutate({ projectId: id, measure: true }),
      () => analysis.analyzeRepository.mutate({ projectId: id, measure: true }),
    ]
  }
  const weak = await createTokenFor(app, { user, scopes: ['analysis:run', 'projects:read'] })
  for (const call of callsOf(weak, projectId)) {
    const hint = { kind: 'missing_scope', scope: 'tests:run' }
    expect(await failureOf(call())).toMatchObject({ status: 403, hint })
  }
  for (const call of callsOf(await createTokenFor(app, { user: viewer }), shared)) {
    expect(await failureOf(call())).toMatchObject({ status: 403 })
  }
})
