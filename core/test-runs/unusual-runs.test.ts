import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRunScene, type RunScene } from './testing/scene.ts'

const hasGo = spawnSync('go', ['version']).status === 0

let scene: RunScene
beforeAll(async () => {
  scene = await createRunScene()
})
afterAll(() => scene[Symbol.asyncDispose]())

test.runIf(hasGo)('reports a Go package that does not compile as failed, and covers the others', async () => {
  const { id } = await scene.project({
    'README.md': '',
    'backend/go.mod': 'module example.com/goo\n\ngo 1.19\n',
    'backend/a.go': 'package goo\n\nfunc A() int { return 1 }\n',
    'backend/a_test.go':
      'package goo\n\nimport "testing"\n\nfunc TestA(t *testing.T) {\n\tif A() != 2 {\n\t\tt.Fatal("no")\n\t}\n}\n',
    'backend/bad/b.go': 'package bad\n\nfunc B() int { return "x" }\n',
    'backend/bad/b_test.go': 'package bad\n\nimport "testing"\n\nfunc TestB(t *testing.T) {}\n',
  })
  const run = await scene.run(id)
  expect(run, JSON.stringify(run.error) + (await scene.log(run.id))).toMatchObject({
    reportedStatus: 'FAILED',
    failedTests: 2,
    totalTests: 2,
    coverage: 100,
    error: null,
  })
  expect(run.warnings.join()).not.toContain('example.com/goo')
  const coverage = await scene.client.testRuns.coverage.query({ runId: run.id })
  expect(coverage.files).toMatchObject([{ path: 'backend/a.go' }])
  const digest = await scene.client.testRuns.failures.query({ runId: run.id })
  const examples = digest.groups.flatMap((group) => group.examples)
  expect(examples).toContainEqual(
    expect.objectContaining({
      file: 'backend/a_test.go',
      frame: { file: 'backend/a_test.go', line: 7 },
    }),
  )
  expect(examples).toContainEqual(
    expect.objectContaining({ suite: 'example.com/goo/bad', message: expect.stringContaining('does not compile') }),
  )
})

test.runIf(hasGo)('reports a missing Go module as a failure, not as an unreadable report', async () => {
  const { id } = await scene.project({
    'go.mod': 'module example.com/g\n\ngo 1.19\n',
    'a.go': 'package g\n\nimport _ "example.com/nowhere"\n',
    'a_test.go': 'package g\n',
  })
  const run = await scene.run(id)
  expect(run.error).toMatchObject({ code: 'no_report', message: expect.stringContaining('The log shows the output.') })
  expect(await scene.log(run.id)).toContain('example.com/nowhere')
})

test('names a test runner that is not installed', async () => {
  const { id } = await scene.project(
    { 'package.json': JSON.stringify({ scripts: { test: 'vitest run' } }), 'a.test.js': '' },
    { installCommand: 'true' },
  )
  const begun = performance.now()
  const run = await scene.run(id)
  expect(run, await scene.log(run.id)).toMatchObject({
    error: { code: 'no_report', message: expect.stringContaining('package.json does not name vitest') },
  })
  expect(performance.now() - begun).toBeLessThan(30_000)
})

test('shows the executed command in the plan and log of a restricted run, and the short command in its failures', async () => {
  const { id } = await scene.project({
    'package.json': JSON.stringify({ type: 'module', scripts: { test: 'node --test' } }),
    'a.test.js': "import test from 'node:test'\ntest('bad', () => { throw new Error('no') })\n",
  })
  const run = await scene.run(id, { paths: ['a.test.js'] })
  const command = run.plan?.[0]?.steps.at(-1)?.command
  expect(command).toContain('--test-reporter=junit')
  expect(await scene.log(run.id)).toContain(`$ ${command}`)
  const { rerun } = await scene.client.testRuns.failures.query({ runId: run.id })
  expect(rerun?.command).toBe('node --test a.test.js')
  const all = await scene.client.testRuns.plan.mutate({ projectId: id, paths: ['.'] })
  expect(all.parts).toHaveLength(1)
})

test('reads a report that a custom command writes to {output}', async () => {
  const report = '<testsuite name="s"><testcase name="adds"/></testsuite>'
  const { id } = await scene.project(
    { 'run.sh': `echo '${report}' > "$1"\n` },
    { testCommand: 'sh run.sh {output}/junit.xml' },
  )
  const run = await scene.run(id)
  expect(run).toMatchObject({ reportedStatus: 'PASSED', totalTests: 1, error: null })
  const stored = await scene.client.files.list.query({ projectId: id, runId: run.id })
  expect(stored.map(({ name }) => name)).toContain('reports/junit.xml')
})

test('names a command that does not exist', async () => {
  const { id } = await scene.project({ 'a.txt': '' }, { testCommand: 'no-such-program --all' })
  expect((await scene.run(id)).error).toMatchObject({
    code: 'no_report',
    message: expect.stringMatching(/exit code 127.*installCommand/),
  })
})
