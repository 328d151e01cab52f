import { afterAll, beforeAll, expect, test } from 'vitest'
import { ProjectEntity } from '../projects/entity.ts'
import { contextFor } from '../testing/context.ts'
import { requestRun } from './request.ts'
import { createRunScene, type RunScene } from './testing/scene.ts'

let scene: RunScene
beforeAll(async () => {
  scene = await createRunScene()
})
afterAll(() => scene[Symbol.asyncDispose]())

/** A project whose tests are a shell script that writes this report. */
const reporting = (report: string, more = 'true') => ({
  settings: { testCommand: `sh tests.sh`, reportGlobs: ['results/*.xml'] },
  files: { 'tests.sh': `mkdir -p results\n${more}\ncat > results/junit.xml <<'END'\n${report}\nEND\n` },
})

const onePassed = '<testsuite name="sums"><testcase classname="sums" name="adds" time="0.25"/></testsuite>'

test('detects a node:test project, runs it, counts its tests and measures coverage', async () => {
  const { id, repository } = await scene.project({
    'package.json': JSON.stringify({ name: 'sums', type: 'module', scripts: { test: 'node --test' } }),
    'sum.js': 'export const sum = (a, b) => a + b\nexport const unused = () => {\n  return 1\n}\n',
    'sum.test.js':
      "import test from 'node:test'\nimport assert from 'node:assert'\nimport { sum } from './sum.js'\n" +
      "test('adds', () => assert.equal(sum(1, 2), 3))\ntest('later', { skip: true }, () => {})\n",
  })
  const run = await scene.run(id)
  expect(run, JSON.stringify(run.error) + (await scene.log(run.id))).toMatchObject({
    status: 'COMPLETED',
    reportedStatus: 'PASSED',
    totalTests: 2,
    passedTests: 1,
    skippedTests: 1,
    failedTests: 0,
    error: null,
    executor: 'bwrap',
    commitSha: await repository.git('rev-parse', 'HEAD'),
    branch: 'main',
  })
  expect(run.coverage).toBeGreaterThan(40)
  expect(run.coverage).toBeLessThan(100)
  const [part] = run.plan ?? []
  expect(part).toMatchObject({ framework: 'node:test' })
  expect(await scene.log(run.id)).not.toContain('MaxListenersExceededWarning')
  expect(part?.steps.map(({ because }) => because).join(' ')).toContain('package.json')
})

test('reports FAILED with the message of a failed test, and shows the output in the log', async () => {
  const { id } = await scene.project({
    'package.json': JSON.stringify({ type: 'module', scripts: { test: 'node --test' } }),
    'sum.test.js':
      "import test from 'node:test'\nimport assert from 'node:assert'\n" +
      "test('adds', () => {\n  console.log('about to add')\n  assert.equal(1 + 1, 3)\n})\n",
  })
  const run = await scene.run(id)
  expect(run).toMatchObject({ status: 'COMPLETED', reportedStatus: 'FAILED', failedTests: 1, totalTests: 1 })
  const { results } = await scene.client.testRuns.results.query({ runId: run.id, status: 'failed' })
  expect(results).toMatchObject([{ name: 'adds', status: 'failed', message: '2 == 3' }])
  expect(await scene.log(run.id)).toContain('about to add')
  const stored = await scene.client.files.list.query({ projectId: id, runId: run.id })
  expect(stored.map(({ name }) => name)).toContain('log.txt')
})

test('runs a custom command in a shell and finds its reports by glob', async () => {
  const { files, settings } = reporting(onePassed)
  const { id } = await scene.project(files, settings)
  const run = await scene.run(id)
  expect(run).toMatchObject({ reportedStatus: 'PASSED', totalTests: 1, passedTests: 1 })
  expect(run.duration).toBeGreaterThan(0)
  const stored = await scene.client.files.list.query({ projectId: id, runId: run.id })
  const names = stored.map(({ name }) => name)
  expect(names.toSorted()).toEqual(['log.txt', 'reports/results/junit.xml'])
})

test('ignores a report that is part of the commit', async () => {
  const { id } = await scene.project(
    { 'results/junit.xml': onePassed },
    { testCommand: 'true', reportGlobs: ['results/*.xml'] },
  )
  expect(await scene.run(id)).toMatchObject({ reportedStatus: 'ERROR', error: { code: 'no_report' }, totalTests: 0 })
})

test('reports ERROR for success without tests, and for a failure without a failed test', async () => {
  const empty = reporting('<testsuites></testsuites>', "printf 'SF:a.js\\nDA:1,0\\nend_of_record\\n' > lcov.info")
  const nothing = await scene.project(
    { ...empty.files, 'a.js': 'a()\n' },
    { ...empty.settings, coverageGlobs: ['lcov.info'] },
  )
  expect(await scene.run(nothing.id)).toMatchObject({
    reportedStatus: 'ERROR',
    error: { code: 'no_tests' },
    coverage: null,
  })
  const { files, settings } = reporting(onePassed)
  const broken = await scene.project({ 'tests.sh': `${files['tests.sh']}exit 3\n` }, settings)
  expect(await scene.run(broken.id)).toMatchObject({
    status: 'FAILED',
    error: { code: 'command_failed', message: expect.stringContaining('exit code 3') },
    totalTests: 1,
  })
})

test('names an incomplete report with its line, and keeps the results of the others', async () => {
  const { files, settings } = reporting(onePassed, 'echo \'<testsuite><testcase name="a">\' > results/cut.xml')
  const { id } = await scene.project(files, settings)
  const run = await scene.run(id)
  expect(run).toMatchObject({ reportedStatus: 'ERROR', error: { code: 'report_unreadable' }, totalTests: 1 })
  expect(run.error?.message).toMatch(/results\/cut\.xml, line \d+: /)
})

test('names the setting testCommand if it detects no tests', async () => {
  const { id } = await scene.project({ 'README.md': 'hello' })
  expect(await scene.run(id)).toMatchObject({
    reportedStatus: 'ERROR',
    error: { message: expect.stringContaining('testCommand') },
  })
})

test('reports ERROR for a commit that does not exist', async () => {
  const { id } = await scene.project({ 'README.md': 'hello' })
  expect(await scene.run(id, { commitSha: 'a'.repeat(40) })).toMatchObject({
    reportedStatus: 'ERROR',
    error: { code: 'commit_not_found' },
  })
})

test('passes secrets to the tests, but not to the log or the results', async () => {
  const report =
    '<testsuite><testcase name="leaks"><failure message="got $API_KEY">$API_KEY</failure></testcase></testsuite>'
  const { id } = await scene.project(
    { 'tests.sh': `echo "the key is $API_KEY"\ncat > junit.xml <<END\n${report}\nEND\n` },
    { testCommand: 'sh tests.sh', reportGlobs: ['junit.xml'], environment: { API_KEY: 'hunter2-hunter2' } },
  )
  const run = await scene.run(id)
  const { results } = await scene.client.testRuns.results.query({ runId: run.id })
  expect(results).toMatchObject([{ message: expect.stringContaining('***') }])
  expect(await scene.log(run.id)).toContain('the key is ***')
  expect(JSON.stringify([run, results, await scene.log(run.id)])).not.toContain('hunter2')
})

test('hides the project’s environment from commits of forks', async () => {
  const { id } = await scene.project(
    { 'tests.sh': `echo "key: [$API_KEY]"\n${reporting(onePassed).files['tests.sh']}` },
    { testCommand: 'sh tests.sh', reportGlobs: ['results/*.xml'], environment: { API_KEY: 'hunter2-hunter2' } },
  )
  const own = await scene.run(id)
  const { dataSource } = scene.app
  const project = await dataSource.getRepository(ProjectEntity).findOneByOrFail({ id })
  const asked = { branch: null, tag: null, commitSha: own.commitSha, pullRequest: 7, fork: true }
  const { runId } = await dataSource.transaction((db) =>
    requestRun({ ...contextFor(scene.app), db }, { project, event: 'pull_request', ...asked }),
  )
  expect(await scene.waitFor(runId)).toMatchObject({ reportedStatus: 'PASSED', source: 'pull_request', pullRequest: 7 })
  expect(await scene.log(own.id)).toContain('key: [***]')
  expect(await scene.log(runId)).toContain('key: []')
})

test('installs the dependencies of an unchanged lockfile once', async () => {
  const { id, repository } = await scene.project({
    'package.json': JSON.stringify({ name: 'x', version: '1.0.0', scripts: { test: 'node --test' } }),
    'package-lock.json': JSON.stringify({
      name: 'x',
      version: '1.0.0',
      lockfileVersion: 3,
      packages: { '': { name: 'x', version: '1.0.0' } },
    }),
    'a.test.js': "require('node:test')('works', () => {})\n",
  })
  const first = await scene.run(id)
  expect(first, await scene.log(first.id)).toMatchObject({ reportedStatus: 'PASSED' })
  expect(await scene.log(first.id)).toContain('$ npm ci')
  await repository.commit({ 'b.test.js': "require('node:test')('works too', () => {})\n" })
  const second = await scene.run(id)
  expect(second).toMatchObject({ reportedStatus: 'PASSED', totalTests: 2 })
  expect(await scene.log(second.id)).not.toContain('$ npm ci')
  expect(await scene.log(second.id)).toContain('package-lock.json')
})

test('stops tests at the timeout and names the reason', async () => {
  const { files, settings } = reporting(onePassed)
  const { id } = await scene.project(
    { 'tests.sh': `${files['tests.sh']}sleep 60\n` },
    { ...settings, timeoutSeconds: 1 },
  )
  const run = await scene.run(id)
  expect(run).toMatchObject({ status: 'FAILED', error: { code: 'timeout' }, totalTests: 1 })
})

test('ends a running run when it is cancelled', async () => {
  const { id } = await scene.project({ 'tests.sh': 'echo ready\nsleep 60\n' }, { testCommand: 'sh tests.sh' })
  const { id: runId } = await scene.client.testRuns.trigger.mutate({ projectId: id })
  while (!(await scene.log(runId)).includes('ready')) await new Promise((resolve) => setTimeout(resolve, 50))
  expect(await scene.client.testRuns.get.query({ runId })).toMatchObject({
    status: 'RUNNING',
    progress: { phase: 'testing', command: 'sh tests.sh' },
  })
  expect(await scene.client.testRuns.cancel.mutate({ runId })).toMatchObject({ status: 'CANCELLED' })
  // The next one has to wait for nobody.
  const { files, settings } = reporting(onePassed)
  const next = await scene.project(files, settings)
  expect(await scene.run(next.id)).toMatchObject({ reportedStatus: 'PASSED' })
  expect(await scene.client.testRuns.get.query({ runId })).toMatchObject({ status: 'CANCELLED', error: null })
})

test('emits one event for each end, in the same transaction', async () => {
  const { files, settings } = reporting(onePassed)
  const { id } = await scene.project(files, settings)
  const run = await scene.run(id)
  const events = await scene.app.dataSource.query(
    `SELECT type, envelope::jsonb->'data' AS data FROM events WHERE project_id = $1 AND type LIKE 'test_run.%' ORDER BY id`,
    [id],
  )
  expect(events).toMatchObject([
    { type: 'test_run.started', data: { id: run.id, projectId: id, status: 'running', type: 'ALL' } },
    { type: 'test_run.completed', data: { id: run.id, status: 'completed', totalTests: 1, failedTests: 0 } },
  ])
})

test('warns about coverage below the threshold', async () => {
  const lcov = 'SF:a.js\nDA:1,1\nDA:2,0\nend_of_record\n'
  const { files, settings } = reporting(onePassed, `printf '${lcov.replaceAll('\n', '\\n')}' > lcov.info`)
  const { id } = await scene.project(
    { ...files, 'a.js': 'a()\nb()\n' },
    { ...settings, coverageGlobs: ['lcov.info'], coverageThreshold: 80 },
  )
  const run = await scene.run(id)
  expect(run).toMatchObject({ reportedStatus: 'PASSED', coverage: 50 })
  expect(run.warnings).toEqual(['Coverage is 50 %, below the 80 % that the project settings require.'])
  expect(await scene.client.testRuns.coverage.query({ runId: run.id })).toMatchObject({
    files: [{ path: 'a.js', lines: { covered: 1, total: 2 }, uncoveredLines: '2' }],
  })
})

test('reruns all tests if the command cannot select the failed ones', async () => {
  const failing = '<testsuite><testcase name="fails"><failure/></testcase><testcase name="passes"/></testsuite>'
  const { files, settings } = reporting(failing)
  const { id } = await scene.project(files, settings)
  const run = await scene.run(id)
  expect(run).toMatchObject({ reportedStatus: 'FAILED', failedTests: 1 })
  const again = await scene.client.testRuns.rerunFailed.mutate({ runId: run.id })
  const ended = await scene.waitFor(again.id)
  expect(ended).toMatchObject({ source: 'rerun', rerunOf: run.id, totalTests: 2, failedTests: 1 })
  expect(ended.plan?.[0]?.notes.join()).toContain('All tests run')
})

test('reruns only the failed tests if the runner can select them', async () => {
  const { id } = await scene.project({
    'package.json': JSON.stringify({ type: 'module', scripts: { test: 'node --test' } }),
    'a.test.js': "import test from 'node:test'\ntest('good', () => {})\ntest('bad', () => { throw new Error('no') })\n",
  })
  const run = await scene.run(id)
  expect(run).toMatchObject({ totalTests: 2, failedTests: 1 })
  const again = await scene.client.testRuns.rerunFailed.mutate({ runId: run.id })
  expect(await scene.waitFor(again.id)).toMatchObject({
    totalTests: 1,
    failedTests: 1,
    selection: { tests: [{ name: 'bad' }] },
  })
})

test('a rerun whose tests no longer exist has not passed', async () => {
  const { id } = await scene.project({
    'package.json': JSON.stringify({ type: 'module', scripts: { test: 'node --test' } }),
    'a.test.js': "import test from 'node:test'\ntest('bad', () => { throw new Error('no') })\n",
  })
  const run = await scene.run(id)
  await scene.app.dataSource.query(`UPDATE test_results SET name = 'plan', file = NULL WHERE run_id = $1`, [run.id])
  const again = await scene.client.testRuns.rerunFailed.mutate({ runId: run.id })
  const ended = await scene.waitFor(again.id)
  expect(ended).toMatchObject({ reportedStatus: 'ERROR', totalTests: 0 })
  expect(ended.error?.message).toContain('no test')
})

test('a rerun has not passed if one of its tests no longer exists', async () => {
  const { id } = await scene.project({
    'package.json': JSON.stringify({ type: 'module', scripts: { test: 'node --test' } }),
    'a.test.js': [
      "import test from 'node:test'",
      'const isRerun = process.execArgv.join().includes("name-pattern")',
      "test('flaky', () => { if (!isRerun) throw new Error('no') })",
      "test(isRerun ? 'renamed' : 'moving', () => { throw new Error('no') })",
    ].join('\n'),
  })
  const run = await scene.run(id)
  expect(run).toMatchObject({ totalTests: 2, failedTests: 2 })
  const again = await scene.client.testRuns.rerunFailed.mutate({ runId: run.id })
  const ended = await scene.waitFor(again.id)
  expect(ended).toMatchObject({ reportedStatus: 'ERROR', passedTests: 1, error: { code: 'no_tests' } })
  expect(ended.error?.message).toContain('1 of the 2 selected tests did not run: "moving"')
})
