import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type RequestListener, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest'

import { createTokenFor, createUser } from '../core/testing/factories.ts'
import { assay, ended, hasTerminals, spawnAtTerminal } from './testing/assay.ts'
import { createRunScene, failing, passing, type RunScene } from './testing/run-scene.ts'

// Verifications take long on a busy machine.
vi.setConfig({ testTimeout: 180_000 })

let scene: RunScene
beforeAll(async () => {
  scene = await createRunScene()
})
/** Later tests would wait for the runs that no test waits for. */
afterEach(async () => {
  const { testRuns } = scene.core.client(scene.env['SVC_API_TOKEN'])
  const runs = await scene.core.dataSource.query<{ id: string }[]>(
    'SELECT id FROM test_runs WHERE completed_at IS NULL',
  )
  await Promise.allSettled(runs.map(({ id }) => testRuns.cancel.mutate({ runId: id })))
})
afterAll(() => scene[Symbol.asyncDispose]())

const sourceOf = (rate: number) =>
  `export const tax = (sum) => {\n  if (sum < 0) throw new Error('negative')\n  return sum > 100 ? sum * ${rate} : sum\n}\n`
const testOf = (...lines: string[]) =>
  [
    "import assert from 'node:assert'",
    "import { test } from 'node:test'",
    "import { tax } from '../src/tax.js'",
    "test('tax', () => {",
    ...lines.map((line) => `  ${line}`),
    '})',
    '',
  ].join('\n')

function pass(req: IncomingMessage, res: ServerResponse): void {
  const { method, headers } = req
  const passed = request(new URL(req.url ?? '/', scene.core.url), { method, headers }, (answer) => {
    res.writeHead(answer.statusCode ?? 500, answer.headers)
    answer.pipe(res)
  })
  req.pipe(passed)
}

/** Starts a server in front of core, and returns the environment that leads to it. */
async function throughProxy(answer: RequestListener): Promise<Record<string, string>> {
  const server = createServer(answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { ...scene.env, SVC_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const inside = (path: string, env = scene.env) => ({ cwd: path, env })

test('run tests the working tree as it is, says what it sent, and status shows it as a snapshot', async () => {
  const { repository } = await scene.project(passing)
  const head = await repository.git('rev-parse', 'HEAD')
  await repository.write({
    'test/cart.test.js': failing,
    'test/new.test.js': passing,
    '.env': 'API_TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345\n',
  })
  const run = await assay(['run', '--json'], inside(repository.path))
  expect(run.exitCode).toBe(1)
  expect(run.stderr).toMatch(
    new RegExp(
      `^Sent a snapshot of this checkout: 2 changed files on ${head.slice(0, 7)} \\(1 kB\\)\\.\n` +
        'Left out: \\.env \\(looks like a credential\\)\\. Name it with --include to send it\\.\n$',
    ),
  )
  const { runId, snapshotId, leftOut, totalTests } = JSON.parse(run.stdout) as Record<string, unknown>
  expect(leftOut).toEqual([{ path: '.env', reason: 'credential', why: expect.any(String) }])
  expect([typeof snapshotId, totalTests]).toEqual(['string', 3])

  const again = await assay(['run', '--detach', '--json'], inside(repository.path))
  expect(again.stderr).toMatch(/^The server has a snapshot of this checkout already: 2 changed files on /)
  expect(JSON.parse(again.stdout)).toMatchObject({ snapshotId, branch: null })
  const status = await assay(['status'], inside(repository.path))
  expect(status.stdout.match(new RegExp(`\tsnapshot of ${head.slice(0, 7)} by you\t`, 'g'))).toHaveLength(2)
  const one = await assay(['status', (JSON.parse(again.stdout) as { id: string }).id], inside(repository.path))
  expect(one.stdout).toContain(`snapshot of ${head.slice(0, 7)} by you`)
  expect(one.stdout).toContain(`Snapshot\t${String(snapshotId)}`)
  const failures = await assay(['failures', String(runId)], inside(repository.path))
  expect(failures.stdout).toMatch(
    new RegExp(`, snapshot of ${head.slice(0, 7)}, sent \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC`),
  )

  const named = await assay(['run', '--include', '.env', '--detach', '--json'], inside(repository.path))
  expect(named.stderr).toMatch(/^Sent a snapshot of this checkout: 3 changed files on \w{7} \(1 kB\)\.\n$/)
  expect(JSON.parse(named.stdout)).toMatchObject({ leftOut: [] })
})

test.skipIf(!hasTerminals)('shows at a terminal how far packing and sending are', async () => {
  const { repository } = await scene.project(passing)
  await repository.write({ 'test/new.test.js': passing, 'data.bin': randomBytes(300_000) })
  const run = await ended(spawnAtTerminal(['run', '--detach'], inside(repository.path)))
  expect(run.exitCode, run.stdout).toBe(0)
  const shown = stripVTControlCharacters(run.stdout)
    .split(/[\r\n]+/)
    .filter((text) => /^(?:Packing|Sending|Sent) /.test(text))
  expect([...new Set(shown.map((text) => text.split(' ', 1)[0]))]).toEqual(['Packing', 'Sending', 'Sent'])
  expect(shown).toEqual(
    expect.arrayContaining([
      'Packing the working tree, 4 files',
      'Packing the working tree, 3 objects, 301 kB',
      'Sending the snapshot, 0 kB of 301 kB',
      'Sending the snapshot, 301 kB of 301 kB',
    ]),
  )
})

test('run uses the commit of a clean checkout, and a snapshot of one that was not pushed', async () => {
  const { repository, id } = await scene.project(passing)
  const pushed = await repository.git('rev-parse', 'HEAD')
  const clean = await assay(['run', '--detach', '--json'], inside(repository.path))
  expect(clean).toMatchObject({ exitCode: 0, stderr: '' })
  expect(JSON.parse(clean.stdout)).toMatchObject({ snapshotId: null, branch: 'main', commitSha: pushed })

  // The clone of a user, who has not pushed the second commit.
  const clone = `${repository.path}-clone`
  onTestFinished(() => rm(clone, { recursive: true, force: true }))
  await repository.git('clone', '--quiet', repository.path, clone)
  await repository.git('-C', clone, 'commit', '--quiet', '--allow-empty', '--message', 'Local')
  const local = await repository.git('-C', clone, 'rev-parse', 'HEAD')
  const unpushed = await assay(['run', '--detach', '--json'], inside(clone))
  expect(unpushed.stderr).toMatch(
    new RegExp(`^Sent a snapshot of this checkout: the local commit ${local.slice(0, 7)} \\(1 kB\\)\\.\n$`),
  )
  expect(JSON.parse(unpushed.stdout)).toMatchObject({ projectId: id, snapshotId: expect.any(String) })

  // What is committed is asked for by name, from a checkout with changes or from elsewhere.
  await repository.write({ 'test/cart.test.js': failing })
  for (const words of [['--head'], ['--branch', 'main'], ['--commit', pushed], [id]]) {
    const committed = await assay(['run', ...words, '--detach', '--json'], inside(repository.path))
    expect([words, committed.exitCode, committed.stderr]).toEqual([words, 0, ''])
    expect(JSON.parse(committed.stdout), words.join(' ')).toMatchObject({ snapshotId: null })
  }
})

test('verify accepts a test of uncommitted code, and not a weaker one', async () => {
  const { repository } = await scene.project(passing)
  await repository.write({
    'src/tax.js': sourceOf(1.19),
    'test/tax.test.js': testOf(
      'assert.strictEqual(tax(100), 100)',
      'assert.strictEqual(tax(101), 101 * 1.19)',
      'assert.throws(() => tax(-1), /negative/)',
      'assert.strictEqual(tax(0), 0)',
    ),
  })
  const how = ['verify', 'test/tax.test.js', '--repeats', '2', '--mutants', '3', '--json']
  const good = await assay(how, inside(repository.path))
  expect(JSON.parse(good.stdout)).toMatchObject({ verdict: 'accepted', snapshotId: expect.any(String), leftOut: [] })
  // The test itself is not part of the snapshot.
  expect(good.stderr).toMatch(/^Sent a snapshot of this checkout: 1 changed file on /)

  await repository.write({ 'test/tax.test.js': testOf('tax(1)', 'tax(101)') })
  const weak = await assay(how, inside(repository.path))
  expect(weak.exitCode).toBe(1)
  expect(JSON.parse(weak.stdout)).toMatchObject({ verdict: 'no_gain' })
  expect(weak.stderr).toMatch(/^The server has a snapshot of this checkout already: 1 changed file on /)

  // Once committed, the test is judged against its committed version.
  await repository.git('add', '--all')
  await repository.git('commit', '--quiet', '--message', 'Tax')
  await repository.write({
    'src/tax.js': sourceOf(1.07),
    'test/tax.test.js': testOf('tax(1)', 'tax(101)', 'assert.strictEqual(tax(200), 214)'),
  })
  const changed = await assay(how, inside(repository.path))
  expect(JSON.parse(changed.stdout)).toMatchObject({ verdict: 'accepted', evidence: { extendsCommitted: true } })
})

test('lists and deletes snapshots, and runs of a deleted one stay', async () => {
  const { repository } = await scene.project(passing)
  expect(await assay(['snapshots'], inside(repository.path))).toMatchObject({ exitCode: 0, stdout: '' })
  await repository.write({ 'test/new.test.js': passing })
  const run = await assay(['run', '--quiet', '--json'], inside(repository.path))
  const { snapshotId } = JSON.parse(run.stdout) as { snapshotId: string }
  const head = await repository.git('rev-parse', 'HEAD')
  const listed = await assay(['snapshots'], inside(repository.path))
  expect(listed.stdout).toMatch(
    new RegExp(`^${snapshotId}\t[0-9a-f]{10}\t${head.slice(0, 10)}\t3\t\\d+ kB\tyou\t2[0-9-]+ [0-9:]+ UTC\t`),
  )
  const unsure = await assay(['snapshots', 'delete', snapshotId], inside('/'))
  expect(unsure).toMatchObject({ exitCode: 2, stdout: '' })
  const deleted = await assay(['snapshots', 'delete', snapshotId, '--yes'], inside('/'))
  expect(deleted).toEqual({ exitCode: 0, stdout: `Deleted snapshot ${snapshotId}.\n`, stderr: '' })
  expect((await assay(['status'], inside(repository.path))).stdout).toMatch(/PASSED\t2\/2\tsnapshot\t/)
  const gone = await assay(['snapshots', 'delete', snapshotId, '--yes'], inside('/'))
  expect(gone).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('`assay snapshots`') })
  const stranger = {
    ...scene.env,
    SVC_API_TOKEN: await createTokenFor(scene.core, { user: await createUser(scene.core) }),
  }
  const other = await assay(['snapshots', 'delete', snapshotId, '--yes'], inside('/', stranger))
  expect(other).toEqual(gone)
})

test('refuses a checkout in an odd state, and options that contradict a snapshot, before anything runs', async () => {
  const { repository, id } = await scene.project(passing)
  await repository.git('switch', '--quiet', '--create', 'other')
  await repository.write({ 'package.json': '{ "name": "other" }' })
  await repository.git('commit', '--quiet', '--all', '--message', 'Other')
  await repository.git('switch', '--quiet', 'main')
  await repository.write({ 'package.json': '{ "name": "main" }' })
  await repository.git('commit', '--quiet', '--all', '--message', 'Main')
  await repository.git('merge', 'other').catch(() => {})
  const merging = await assay(['run'], inside(repository.path))
  expect(merging).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('package.json') })
  const contradictions = [
    ['run', '--include', '.env', '--head'],
    ['run', id, '--include', '.env'],
    ['run', '--rerun-failed', id, '--include', '.env'],
    ['verify', 'test/cart.test.js', '--include', '.env', '--branch', 'main'],
    ['generate', '--suggestion', id, '--include', '.env'],
    ['suggest', id, '--include', '.env'],
  ]
  for (const words of contradictions) {
    const refused = await assay(words, inside(repository.path))
    expect(refused, words.join(' ')).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining('--include'),
    })
  }
  expect((await assay(['status'], inside(repository.path))).stdout).toBe('')
})

test('repeats an upload that was cut off or came at a bad time, and looks for another base where it is gone', async () => {
  const { repository } = await scene.project(passing)
  await repository.write({ 'test/new.test.js': passing })
  const uploads: string[] = []
  let asked = 0
  const env = await throughProxy((req, res) => {
    const isUpload = req.url?.startsWith('/api/v1/') === true
    if (isUpload) uploads.push(`${req.headers['content-length']} ${req.url}`)
    if (isUpload && uploads.length === 1) return void req.once('data', () => req.socket.destroy())
    if (isUpload && uploads.length === 2) {
      req.resume()
      res.writeHead(503, { 'retry-after': '1', 'content-type': 'application/json' })
      return void res.end(JSON.stringify({ code: 'UNAVAILABLE', error: 'x', message: 'Wait.' }))
    }
    if (isUpload && uploads.length === 3) {
      req.resume()
      res.writeHead(400, { 'content-type': 'application/json' })
      const hint = { kind: 'names', procedures: ['snapshots.findBase'], fields: ['base'] }
      return void res.end(JSON.stringify({ code: 'VALIDATION_ERROR', error: 'x', message: 'base: gone', hint }))
    }
    if (req.url?.includes('findBase') === true) asked++
    return pass(req, res)
  })
  const run = await assay(['run', '--detach', '--json'], inside(repository.path, env))
  expect(run).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/^Sent a snapshot /) })
  expect([uploads.length, asked]).toEqual([4, 2])
  expect(new Set(uploads).size).toBe(1)
  const listed = await assay(['snapshots', '--json'], inside(repository.path))
  expect(JSON.parse(listed.stdout)).toMatchObject({ pagination: { total: 1 } })
})

test('says so where the server is too old for snapshots, which still runs what is committed', async () => {
  const { repository } = await scene.project(passing)
  await repository.write({ 'test/new.test.js': passing })
  const env = await throughProxy((req, res) => {
    if (req.url?.startsWith('/trpc/snapshots.')) {
      req.resume()
      res.writeHead(404, { 'content-type': 'application/json' })
      const message = 'No procedure found on path "snapshots.findBase"'
      return void res.end(
        JSON.stringify({ error: { message, code: -32_004, data: { code: 'NOT_FOUND', httpStatus: 404 } } }),
      )
    }
    return pass(req, res)
  })
  const old = await assay(['run'], inside(repository.path, env))
  expect(old).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('The server is older') })
  const committed = await assay(['run', '--branch', 'main', '--detach'], inside(repository.path, env))
  expect(committed).toMatchObject({ exitCode: 0, stderr: '' })
})
