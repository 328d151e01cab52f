import { utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createGateScene, type GateScene, suiteWords } from './testing/gate-scene.ts'

// Every test starts processes, which takes long on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

let scene: GateScene
beforeAll(async () => void (scene = await createGateScene()))
afterAll(() => scene[Symbol.asyncDispose]())

async function runs() {
  const client = scene.core.client(scene.env['SVC_API_TOKEN'])
  return (await client.testRuns.list.query({ projectId: scene.projectId })).runs
}

test('exits with 0 if only muted tests failed, and says so', async () => {
  const { exitCode, stdout, stderr } = await scene.runSuite('1', 'junit.xml', 'flaky=failed', 'adds=passed')
  expect({ exitCode, stdout }, stderr).toEqual({ exitCode: 0, stdout: '' })
  expect(stderr).toContain('Uploaded 1 report (junit.xml): PASSED, 2 tests: 1 failed but muted, 1 passed\nPage: http')
  expect(stderr).toContain('Exit code 0 instead of 1, because the test that failed is muted: cart > flaky.\n')
  const [run] = await runs()
  expect(run).toMatchObject({ source: 'upload', branch: 'main', mutedTests: 1 })
  expect(run?.commitSha).toBe(await scene.checkout.git('rev-parse', 'HEAD'))
})

test('keeps the exit code if a test failed that is not muted', async () => {
  const { exitCode, stderr } = await scene.runSuite('3', 'junit.xml', 'flaky=failed', 'adds=failed')
  expect(exitCode).toBe(3)
  expect(stderr).toContain('2 tests: 1 failed, 1 failed but muted, 0 passed\n')
  expect(stderr).toMatch(/Exit code 3 of the command: 1 test failed\. `assay failures \w{26}` shows what failed\.\n$/)
})

test('uploads the results of a command that passed', async () => {
  const { exitCode, stderr } = await scene.runSuite('0', 'junit.xml', 'adds=passed')
  expect(exitCode).toBe(0)
  expect(stderr).toMatch(
    /^Uploaded 1 report \(junit\.xml\): PASSED, 1 test: 1 passed\nPage: \S+\nThe command passed\.\n$/,
  )
})

test('takes the same results twice for two runs, whose failures are muted as of now', async () => {
  const before = (await runs()).length
  for (const _ of [1, 2]) await scene.runSuite('1', 'junit.xml', 'slow=failed')
  expect((await runs()).length).toBe(before + 2)
})

test.each([
  ['no report', '1', 'none', [], 'the command wrote no report that Assay recognizes'],
  [
    'no failure',
    '1',
    'junit.xml',
    ['adds=passed'],
    'its reports contain no failure, so the command failed for another',
  ],
  ['no tests', '1', 'junit.xml', [], 'its reports contain no failure'],
  ['the exit code of a crash', '137', 'junit.xml', ['flaky=failed'], 'this code means that signal 9 ended a program'],
  ['no program', '127', 'none', [], 'this code means that a shell did not find a program. The command wrote no report'],
  ['a muted failure and no program', '127', 'junit.xml', ['flaky=failed'], 'a shell did not find a program.\n'],
])('keeps the exit code with %s', async (_name, code, file, tests, why) => {
  const { exitCode, stderr } = await scene.runSuite(code, file, ...tests)
  expect(exitCode).toBe(Number(code))
  expect(stderr).toContain(`Exit code ${code} of the command: `)
  expect(stderr).toContain(why)
})

test('ignores a report of an earlier command, named or not', async () => {
  await scene.checkout.write({
    'old.xml': '<testsuite><testcase classname="cart" name="flaky"><failure/></testcase></testsuite>',
  })
  // A clock of another machine is an hour ahead.
  await utimes(join(scene.checkout.path, 'old.xml'), new Date(), new Date(Date.now() + 3_600_000))
  const crash = suiteWords('1', 'none')
  const unnamed = await scene.gate(crash)
  expect(unnamed).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('wrote no report') })
  const named = await scene.gate(['--reports', 'old.xml', ...crash])
  expect(named).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('the command did not write old.xml') })
  const missing = await scene.gate(['--reports', 'no-*.xml', ...crash])
  expect(missing).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('no file matches no-*.xml') })
})

test('one named report that was not written keeps the exit code, even if the failures of the others are muted', async () => {
  const named = ['--reports', 'a.xml', '--reports', 'b.xml']
  const { exitCode, stderr } = await scene.gate([...named, ...suiteWords('1', 'a.xml', 'flaky=failed')])
  expect(exitCode).toBe(1)
  expect(stderr).toContain('Uploaded 1 report (a.xml): PASSED')
  expect(stderr).toContain('Exit code 1 of the command: no file matches b.xml.\n')
})

test('a report that cannot be read keeps the exit code', async () => {
  const script = "require('fs').writeFileSync('cut.xml', '<testsuite><testcase name=\"a\"'); process.exit(1)"
  const { exitCode, stderr } = await scene.gate(['--', process.execPath, '-e', script])
  expect(exitCode).toBe(1)
  expect(stderr).toMatch(/^Exit code 1 of the command: cut\.xml.*\n$/)
})

test('finds reports by name and content below the folder, without node_modules', async () => {
  const script = `
    const fs = require('fs')
    for (const folder of ['out/deep', 'node_modules/x']) fs.mkdirSync(folder, { recursive: true })
    const xml = '<testsuite name="s"><testcase name="a"/></testsuite>'
    for (const file of ['out/deep/TEST-a.xml', 'node_modules/x/junit.xml', 'out/coverage.xml']) fs.writeFileSync(file, xml)
    fs.writeFileSync('out/config.json', '{ "a": 1 }')
    fs.writeFileSync('out/page.xml', '<html/>')
    fs.writeFileSync('out/tests.tap', 'TAP version 13\\n1..1\\nok 1 - b\\n')`
  const { exitCode, stderr } = await scene.gate(['--', process.execPath, '-e', script])
  expect(exitCode, stderr).toBe(0)
  expect(stderr).toContain('Uploaded 2 reports (out/deep/TEST-a.xml, out/tests.tap): PASSED, 2 tests: 2 passed\n')
  expect(stderr).toContain('The reports have several formats.')
})

test('uploads coverage, shards and variants as `assay upload` does', async () => {
  const lcov = "require('fs').writeFileSync('lcov.info', 'SF:src/a.js\\nDA:1,1\\nend_of_record\\n')"
  const xml = `require('fs').writeFileSync('j.xml', '<testsuite><testcase name="' + process.argv[1] + '"/></testsuite>')`
  const shard = (name: string) =>
    scene.gate([
      '--coverage',
      'lcov.info',
      '--shard-key',
      'build 7',
      '--variant',
      'linux',
      '--name',
      'unit',
      '--',
      process.execPath,
      '-e',
      `${lcov};${xml}`,
      name,
    ])
  await shard('one')
  const { stderr } = await shard('two')
  expect(stderr).toContain('PASSED, 2 tests: 2 passed')
  const [run] = await runs()
  expect(run).toMatchObject({ name: 'unit', totalTests: 2, coverage: 100 })
  const { results } = await scene.core
    .client(scene.env['SVC_API_TOKEN'])
    .testRuns.results.query({ runId: run?.id ?? '' })
  expect(results.map(({ variant }) => variant)).toEqual(['linux', 'linux'])
})

test('a failure in another shard keeps the exit code', async () => {
  const shard = (...words: string[]) =>
    scene.gate(['--shard-key', 'build 8', ...suiteWords('1', 'junit.xml', ...words)])
  expect((await shard('adds=failed')).exitCode).toBe(1)
  expect((await shard('flaky=failed')).exitCode).toBe(1)
})

test('prints one JSON document after the output of the command', async () => {
  const words = suiteWords('2', 'junit.xml', 'flaky=failed')
  const { exitCode, stdout } = await scene.gate(['--json', ...words])
  expect(exitCode).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    command: words.slice(1),
    commandExitCode: 2,
    exitCode: 0,
    reports: ['junit.xml'],
    run: { status: 'PASSED', mutedTests: 1 },
    muted: { count: 1, tests: ['cart > flaky'] },
  })
})
