import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { runSettings } from '../testing/app.ts'
import type { Files } from '../../engines/source/testing/git-repository.ts'
import { createRunScene, type RunScene } from './testing/scene.ts'

const mebibyte = 2 ** 20
const marker = `hostile-${process.pid}`
let scene: RunScene
beforeAll(async () => {
  scene = await createRunScene({
    runs: {
      ...runSettings,
      runConcurrency: 2,
      runsPerOwner: 2,
      memoryBytes: 192 * mebibyte,
      diskBytes: 64 * mebibyte,
      processes: 64,
      outputBytes: mebibyte,
    },
  })
})
afterAll(async () => {
  // Nobody is left, and nothing on the disk.
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'pid,args'])
  const left = stdout.split('\n').filter((line) => line.includes(marker))
  // A run's folder goes after its end has been told.
  const nothingLeft = async () => expect(await readdir(join(scene.app.config.dataDir, 'runs'))).toEqual([])
  await vi.waitFor(nothingLeft, { timeout: 10_000 })
  await scene[Symbol.asyncDispose]()
  expect(left).toEqual([])
})

const passed = '<testsuite><testcase name="fine"/></testsuite>'
const wellBehaved = `echo '${passed}' > junit.xml`

async function runScript(
  script: string,
  { files = {}, timeoutSeconds = 20 }: { files?: Files; timeoutSeconds?: number } = {},
) {
  const { id } = await scene.project(
    { 'tests.sh': script, ...files },
    { testCommand: `bash tests.sh ${marker}`, reportGlobs: ['*.xml'], timeoutSeconds },
  )
  return scene.run(id)
}

test('hides the environment of Assay from the tests', async () => {
  const run = await runScript(`
    env; cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n'
    cat ${scene.app.config.dataDir}/secret-key /root/.ssh/* /etc/shadow 2>&1
    ls /proc/self/fd
    ${wellBehaved}`)
  expect(run).toMatchObject({ reportedStatus: 'PASSED' })
  const log = await scene.log(run.id)
  const { secretKey, databaseUrl, dataDir } = scene.app.config
  for (const secret of [secretKey, databaseUrl, scene.token]) expect(log).not.toContain(secret)
  expect(log.replaceAll(`cat: ${dataDir}`, '')).not.toContain(`DATA_DIR=`)
  expect(log).not.toMatch(/^root:[^:]*:\d+:/m)
  expect(log).not.toContain(process.env['VITEST_WORKER_ID'] === undefined ? '\0' : 'VITEST')
})

test('blocks connections to services of this machine', async () => {
  const heard: number[] = []
  const canary = createServer((socket) => {
    heard.push(1)
    socket.end()
  })
  await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve))
  const address = canary.address()
  const ports = [
    typeof address === 'object' ? address?.port : 0,
    new URL(scene.app.url).port,
    new URL(scene.app.config.databaseUrl).port || 5432,
  ]
  const run = await runScript(`
    for port in ${ports.join(' ')}; do
      for host in 127.0.0.1 localhost ::1 10.0.2.2 169.254.169.254; do
        (exec 3<>/dev/tcp/$host/$port) 2>/dev/null && echo "reached $host:$port"
      done
    done
    ls /var/run/postgresql /tmp/.s.PGSQL* 2>/dev/null && echo reached a socket
    ${wellBehaved}`)
  canary.close()
  expect(run).toMatchObject({ reportedStatus: 'PASSED' })
  expect(await scene.log(run.id)).not.toContain('reached')
  expect(heard).toEqual([])
})

test('leaves no program behind that runs as another user', async () => {
  const leave = (name: string) =>
    `mkdir -p node_modules/${name}; cp /bin/sh node_modules/${name}/sh; chmod 6755 node_modules/${name}/sh; chmod -R 777 .\n` +
    `perl -e 'syscall(${process.arch === 'x64' ? 90 : 52}, "node_modules/${name}/sh", 06755)'; perl -e 'umask 0; open F, ">made"; chmod 04755, "made"'\n`
  const { id } = await scene.project(
    {
      'package.json': JSON.stringify({ name: 'x', version: '1.0.0', scripts: { test: `bash tests.sh ${marker}` } }),
      'package-lock.json': JSON.stringify({ name: 'x', version: '1.0.0', lockfileVersion: 3, packages: {} }),
      'tests.sh': `${leave('tested')} sleep 3; ${wellBehaved}`,
      'install.sh': leave('installed'),
    },
    { installCommand: 'sh install.sh', testCommand: `bash tests.sh ${marker}`, reportGlobs: ['*.xml'] },
  )
  const { dataDir } = scene.app.config
  const marked = async () =>
    (await promisify(execFile)('find', [dataDir, '-type', 'f', '-perm', '/6000']).catch(() => ({ stdout: '' }))).stdout
  const { id: runId } = await scene.client.testRuns.trigger.mutate({ projectId: id })
  let seen = ''
  const looking = setInterval(() => void marked().then((found) => (seen += found)), 300)
  const run = await scene.waitFor(runId)
  clearInterval(looking)
  expect(run, await scene.log(runId)).toMatchObject({ reportedStatus: 'PASSED' })
  expect(seen + (await marked())).toBe('')
})

test.each([
  ['a fork bomb', 'bomb() { bomb | bomb & }; bomb; sleep 90', 'process_limit'],
  ['a memory bomb', 'head -c 800000000 /dev/zero | tail -c 700000000 | wc -c; sleep 90', 'memory_limit'],
  ['an endless loop', 'while :; do :; done', 'timeout'],
  ['a command that ignores SIGTERM', "trap '' TERM INT HUP; while :; do sleep 1; done", 'timeout'],
  ['200 MB of output', 'yes "a line of output" | head -c 200000000', 'output_limit'],
  ['a file that fills the disk', 'head -c 500000000 /dev/zero > big; sleep 90', 'disk_limit'],
  [
    'many files that fill the disk',
    'for i in $(seq 1 400); do head -c 1000000 /dev/zero > f$i; done; sleep 90',
    'disk_limit',
  ],
])('names the limit that ends %s', async (_name, script, code) => {
  // Other limits than the time must be named first, also on a busy machine.
  const run = await runScript(script, { timeoutSeconds: code === 'timeout' ? 4 : 60 })
  expect(run).toMatchObject({ status: 'FAILED', error: { code }, totalTests: 0 })
})

test('ends background processes with the tests', async () => {
  const run = await runScript(`
    (setsid nohup bash -c 'trap "" TERM; while :; do sleep 1; done' ${marker} >/dev/null 2>&1 &)
    (setsid sleep 300 >/dev/null 2>&1 < /dev/null &) ; disown -a
    ${wellBehaved}`)
  expect(run).toMatchObject({ reportedStatus: 'PASSED' })
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'args'])
  expect(stdout).not.toContain(marker)
})

test('does not follow links to files of this machine as reports or artifacts', async () => {
  const run = await runScript(`
    mkdir -p test-results screenshots
    ln -s /etc/shadow test-results/shadow.txt; ln -s /etc/passwd linked.xml; ln -s /etc screenshots/etc
    mkfifo test-results/pipe.txt
    echo kept > test-results/kept.txt
    ${wellBehaved}`)
  expect(run).toMatchObject({ reportedStatus: 'PASSED', totalTests: 1 })
  const files = await scene.client.files.list.query({ projectId: run.projectId, runId: run.id })
  expect(files.map(({ name }) => name).toSorted()).toEqual([
    'artifacts/test-results/kept.txt',
    'log.txt',
    'reports/junit.xml',
  ])
})

test('counts the tests of a report, not the number that it announces', async () => {
  const run = await runScript(
    `echo '<testsuite tests="1000000000" failures="0"><testcase name="only"/></testsuite>' > junit.xml`,
  )
  expect(run).toMatchObject({ totalTests: 1, passedTests: 1 })
  expect(run.warnings.join()).toContain('1000000000')
})

test('rejects a report with too many tests as a whole', async () => {
  const run = await runScript(`
    (echo '<testsuite>'; yes '<testcase name="x"/>' | head -n 300000; echo '</testsuite>') > junit.xml`)
  expect(run).toMatchObject({ reportedStatus: 'ERROR', error: { code: 'report_unreadable' }, totalTests: 0 })
})

test('does not report PASSED for success without tests', async () => {
  expect(await runScript('exit 0')).toMatchObject({ reportedStatus: 'ERROR', error: { code: 'no_report' } })
})

test('does not report PASSED if the tests replace the reporter', async () => {
  const { id } = await scene.project({
    'package.json': JSON.stringify({ type: 'module', scripts: { test: 'node --test --test-reporter=./quiet.js' } }),
    'quiet.js': 'export default async function* () {}',
    'a.test.js': "import test from 'node:test'\ntest('fails', () => { throw new Error('no') })\n",
  })
  expect(await scene.run(id)).toMatchObject({ reportedStatus: 'FAILED', failedTests: 1 })
})

test('does not report PASSED for a forged report if the command fails', async () => {
  const forged = await runScript(`forge() { ${wellBehaved}; }; trap forge EXIT; exit 1`)
  expect(forged).toMatchObject({ reportedStatus: 'ERROR', error: { code: 'command_failed' } })
  const failing = passed.replace('/>', '><failure/></testcase>')
  const removed = await runScript(`echo '${failing}' > junit.xml; rm junit.xml; exit 1`)
  expect(removed).toMatchObject({ reportedStatus: 'ERROR', error: { code: 'no_report' } })
})

/** A package whose runner, of the repository's own making, prints its report; something else runs before it. */
const printing = (before: string): Files => ({
  'package.json': JSON.stringify({
    scripts: { test: 'sh before.sh && tape t.js' },
    devDependencies: { tape: '5.0.0' },
  }),
  'before.sh': before,
  'node_modules/.bin/tape': '#!/bin/sh\necho "TAP version 13"\necho "1..1"\necho "ok 1 - fine"\n',
})

test.each([
  ['a link', (target: string) => `ln -sf ${target} /assay/output/tape.tap`],
  ['a folder', () => 'mkdir -p /assay/output/tape.tap'],
  ['a pipe', () => 'mkfifo /assay/output/tape.tap'],
])('ignores %s in place of a printed report, without waiting', async (_name, before) => {
  const target = join(scene.app.config.dataDir, 'written-from-inside')
  const files = printing(before(target))
  const { id, repository } = await scene.project(files, { installCommand: 'true' })
  await repository.git('update-index', '--chmod=+x', 'node_modules/.bin/tape')
  await repository.git('commit', '--quiet', '-m', 'Make it a program')
  const run = await scene.run(id)
  expect(run, await scene.log(run.id)).toMatchObject({ reportedStatus: 'PASSED', totalTests: 1 })
  expect(existsSync(target)).toBe(false)
})

test('does not follow a link in place of the tested folder', async () => {
  const { dataDir } = scene.app.config
  const { id } = await scene.project(
    { 'pkg/tests.sh': `cd /work; rm -rf pkg; ln -s ${dataDir} pkg` },
    { workingDirectory: 'pkg', testCommand: 'sh tests.sh', reportGlobs: ['*', 'logs/*', 'runs/**'] },
  )
  const run = await scene.run(id)
  expect(run).toMatchObject({ reportedStatus: 'ERROR', error: { code: 'no_report' } })
  const files = await scene.client.files.list.query({ projectId: id, runId: run.id })
  expect(files.map(({ name }) => name)).toEqual(['log.txt'])
})

test('removes folders deeper than PATH_MAX after a run', async () => {
  const name = 'd'.repeat(200)
  const run = await runScript(`for i in $(seq 60); do mkdir ${name}; cd ${name}; done; cd /work; ${wellBehaved}`)
  expect(run).toMatchObject({ reportedStatus: 'PASSED' })
})

test('rejects a commit beyond the disk limit before checking it out', async () => {
  const content = Buffer.alloc(8 * mebibyte, 'x')
  const { id } = await scene.project(Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`copy-${at}`, content])))
  expect(await scene.run(id)).toMatchObject({ reportedStatus: 'ERROR', error: { code: 'too_large' } })
})

test('matches globs with many stars quickly', async () => {
  const { id } = await scene.project(
    {
      'package.json': JSON.stringify({ workspaces: ['*a*a*a*a*a*a*a*a*b'], scripts: { test: 'node --test' } }),
      [`${'a'.repeat(100)}/package.json`]: '{}',
      'a.test.js': "require('node:test')('works', () => {})\n",
    },
    { reportGlobs: ['*a*a*a*a*a*a*a*a*b'], installCommand: 'true' },
  )
  expect(await scene.run(id)).toMatchObject({ reportedStatus: 'PASSED', totalTests: 1 })
})
