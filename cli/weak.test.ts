import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createChangeFor } from '../core/changes/testing.ts'
import { createRunScene, type RunScene } from '../core/test-runs/testing/scene.ts'
import { MeasurementEntity } from '../core/strength/entity.ts'
import { createMeasurementFor } from '../core/strength/testing.ts'
import { largestStrength, strengthEvidence } from '../client/testing/strength-evidence.ts'
import { assay, ended, pageIn, spawnAssay, startAssay } from './testing/assay.ts'

// Measurements take long on a busy machine.
vi.setConfig({ testTimeout: 240_000 })

const shop = {
  'package.json': '{ "type": "module", "scripts": { "test": "node --test" } }',
  'src/price.js': `export function total(net, percent) {
  if (net < 0) throw new RangeError('negative')
  return net + (net * percent) / 100
}
`,
  'src/stock.js': 'export const isLow = (count) => count < 3\n',
  'test/price.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { total } from '../src/price.js'
import { isLow } from '../src/stock.js'
test('adds the tax', () => assert.equal(total(100, 7), 107))
test('knows a low stock', () => assert.equal(isLow(1), true))
`,
}

let scene: RunScene
let project: Awaited<ReturnType<RunScene['project']>>
let env: Record<string, string>
beforeAll(async () => {
  scene = await createRunScene({ verificationConcurrency: 1 })
  env = { SVC_BASE_URL: scene.app.url, SVC_API_TOKEN: scene.token }
  project = await scene.project(shop)
})
afterAll(() => scene[Symbol.asyncDispose]())

const weak = (...words: string[]) => assay(['weak', ...words], { cwd: project.repository.path, env })

test('measures the working tree, and shows each survivor with what to assert', async () => {
  const { repository } = project
  const words = ['weak', 'src', '--budget', '1m']
  const first = await ended(spawnAssay(words, { cwd: repository.path, env }))
  expect(first, first.stderr).toMatchObject({ exitCode: 0 })
  const { stdout, stderr } = first
  const [, id = ''] = /^Measurement (\w{26})\n/.exec(stdout) ?? []
  expect(
    stdout
      .match(/^Survived {2}.*$/gm)
      ?.map((line) => line.replace(/ {2}in .*/, ''))
      .toSorted(),
  ).toEqual([
    'Survived  src/price.js:2:7  net < 0  ->  net <= 0',
    'Survived  src/stock.js:1:33  count < 3  ->  count <= 3',
  ])
  expect(stdout).toMatch(/net <= 0 {2}in total, which throws RangeError(?:: | ")negative"? when net < 0\n/)
  expect(stdout).toContain('\nSurvived\t2\n')
  expect(stdout).toContain('\nNo test runs  1 change on 1 line: src/price.js:2 (1)\n')
  expect(stdout).toContain('    Nearest test: test/price.test.js: adds the tax (1 test accepts it)\n')
  expect(stdout).toContain('    Assert what happens where `net` equals `0`.\n')
  expect(stdout).toMatch(/\nmeasured {2}Tests notice \d+ of \d+ small changes/)
  expect(stdout).toMatch(/\nStrength\t[\d.]+ %\n/)
  expect(stdout).toContain(`Id\t${id}\n`)
  expect(pageIn(stdout)).toBe(`${scene.app.url}/projects/${project.id}/strength/${id}`)
  expect(stderr).toContain('Measuring: ')
  expect(await scene.client.strength.get.query({ measurementId: id })).toMatchObject({
    budgetSeconds: 60,
    paths: ['src'],
  })

  // The next measurement sees the test that was not committed, and only the changed file.
  const added = "test('takes nothing', () => assert.equal(total(0, 7), 0))\n"
  await repository.write({
    'test/price.test.js': shop['test/price.test.js'] + added,
    'src/price.js': shop['src/price.js'].replace('{', '{ // in percent'),
  })
  const second = await weak('--since', 'HEAD', '--json', '--min', '100')
  expect(second, second.stderr).toMatchObject({ exitCode: 0 })
  expect(second.stderr).toContain(`Measurement ${JSON.parse(second.stdout).id}\n`)
  expect(JSON.parse(second.stdout)).toMatchObject({
    verdict: 'measured',
    snapshotId: expect.any(String),
    leftOut: [],
    minimum: { percent: 100, outcome: 'met' },
    evidence: { files: [{ path: 'src/price.js' }], survivors: [] },
  })
  expect(second.stderr).toMatch(/^Sent a snapshot of this checkout: 2 changed files on [0-9a-f]{7} /)

  const shown = await weak('show', id, '--min', '99')
  expect(shown).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('below the minimum of 99 %.') })
  expect(shown.stdout.match(/^Survived {2}/gm)).toHaveLength(2)
  const listed = await weak('list', '--limit', '1')
  expect(listed.stdout).toMatch(/^\w{26}\tcompleted\tsnapshot\tsince [0-9a-f]{40}\t/)
  const unchanged = await weak('--since', 'HEAD', 'src/stock.js')
  expect(unchanged.stdout).toMatch(/\nmeasured {2}No code in src\/stock\.js has changed since [0-9a-f]{10}\.\n/)
  expect(unchanged.stdout).not.toMatch(/\n(?:Tried|Survived|Tests)\t/)
})

test('prints a survivor when it is known, and each one once', async () => {
  const evidence = strengthEvidence({ survivors: 1 })
  const { id } = await stored({ status: 'running', completedAt: null, verdict: 'partial', evidence })
  const running = startAssay(['weak', 'show', id, '--follow'], { cwd: project.repository.path, env })
  await running.until(({ stdout }) => stdout.includes('src/0.js:1'))
  const measurements = scene.app.dataSource.getRepository(MeasurementEntity)
  await measurements.update({ id }, { evidence: strengthEvidence({ survivors: 2 }) })
  await running.until(({ stdout }) => stdout.includes('src/1.js:1'))
  const [first, , ...others] = strengthEvidence({ survivors: 3 }).survivors
  const checked = { ...strengthEvidence({ survivors: 2 }), survivors: first ? [first, ...others] : [] }
  const final = { status: 'completed', evidence: checked, completedAt: new Date() } as const
  await measurements.update({ id }, final)
  const { exitCode, stdout } = await running.ended
  expect(exitCode).toBe(0)
  expect(stdout.match(/^Survived {2}\S+/gm)).toEqual(
    ['src/0.js:1:8', 'src/1.js:1:8', 'src/2.js:1:8'].map((at) => `Survived  ${at}`),
  )
  // One of them had another result in a fresh process.
  expect(stdout.match(/^Not sure.*$/gm)).toEqual([
    'Not sure  src/1.js:1:8  a < b  ->  a <= b  another result when repeated',
  ])
})

test('detached it prints the id; after Ctrl-C the measurement continues until it is cancelled', async () => {
  const detached = await weak('--detach', '--head')
  expect(detached).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^\w{26}\n$/) })
  const id = detached.stdout.trim()
  const slow = await stored({ status: 'pending', completedAt: null })
  const running = startAssay(['weak', 'show', slow.id, '--follow'], { cwd: project.repository.path, env })
  await running.until(({ stderr }) => stderr.includes('Measuring: queued'))
  running.interrupt()
  const { exitCode, stderr } = await running.ended
  expect(exitCode).toBe(130)
  expect(stderr).toContain(
    `Follow it with \`assay weak show ${slow.id} --follow\`, or cancel it with \`assay weak cancel ${slow.id}\`.`,
  )
  for (const one of [id, slow.id]) expect(await weak('cancel', one)).toMatchObject({ exitCode: 0 })
  expect(await weak('show', slow.id)).toMatchObject({
    exitCode: 5,
    stdout: expect.stringContaining('The measurement was cancelled before it had found anything.'),
  })
})

const stored = (fields: Parameters<typeof createMeasurementFor>[1]) =>
  createMeasurementFor(scene.app, {
    projectId: project.id,
    status: 'completed',
    verdict: 'partial',
    completedAt: new Date(),
    ...fields,
  })

test('says once which tests fail without a change, and how many survivors and files it does not list', async () => {
  const evidence = strengthEvidence({ survivors: 5 })
  const fileOf = (index: number) => ({
    path: `src/${index}.js`,
    found: 2,
    reached: 2,
    tried: 2,
    noticed: 1,
    timedOut: 0,
    survived: 1,
    strength: null,
  })
  const { id } = await stored({
    evidence: {
      ...evidence,
      survived: 205,
      survivorsLeftOut: 200,
      files: [0, 1, 2, 3, 4, 5, 6, 7].map(fileOf),
      tests: { run: 5, failing: 1, kept: 0, failingTests: [{ path: 'test/a.test.js', name: 'is red' }] },
    },
  })
  const { stdout } = await weak('show', id)
  expect(stdout).toContain('Survived\t205: the best 5 are listed, 200 more are not\n')
  expect(stdout).toContain('Tests\t5, of which 1 fails without a change: test/a.test.js: is red\n')
  expect(stdout.split('is red')).toHaveLength(2)
  expect(stdout.match(/^Weak {2}/gm)).toHaveLength(3)
  expect(stdout).toContain('\n  and 5 more files with survivors\n')
  const ended = await weak('cancel', id)
  expect(ended).toMatchObject({ exitCode: 0, stdout: `The measurement ${id} has already completed.\n` })
})

test.each([
  [{ percent: 60, interval: [40, 79.9] }, 1, 'The strength is at most 79.9 %, below the minimum of 80 %.'],
  [{ percent: 70, interval: [50, 85] }, 0, 'The interval from 50 to 85 % is too wide to tell'],
  [{ percent: 90, interval: [80, 95] }, 0, 'The strength is at least 80 %, and the minimum is 80 %.'],
] as const)(
  'compares the interval of %j with a minimum of 80, and exits with %i',
  async ({ percent, interval: [low, high] }, code, text) => {
    const evidence = strengthEvidence({ survivors: 1, strength: { percent, interval: [low, high] } })
    const { id } = await stored({ evidence })
    const { exitCode, stdout } = await weak('show', id, '--min', '80')
    expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: expect.stringContaining(`Minimum  ${text}`) })
  },
)

test('code that no test runs misses each minimum, and code without changes none', async () => {
  for (const [reason, code] of [
    ['nothing_reached', 1],
    ['no_mutants', 0],
    ['no_code_changed', 0],
  ] as const) {
    const { id } = await stored({ evidence: { ...strengthEvidence({ survivors: 0 }), strength: null, reason } })
    expect(await weak('show', id, '--min', '1')).toMatchObject({ exitCode: code })
  }
})

test('names of strangers do not reach the terminal as they are', async () => {
  const { id } = await stored({ evidence: largestStrength('\u001b[2J\u202ename ') })
  const { exitCode, stdout } = await weak('show', id)
  expect(exitCode).toBe(0)
  expect(stdout).not.toMatch(/(?![\t\n])[\p{Cc}\p{Cf}]/u)
})

test('what cannot be measured ends without a result, and says why', async () => {
  const error = {
    code: 'unsupported',
    message: 'Assay cannot keep tap loaded.\nVerify single tests with tests.verify.',
  }
  const { id } = await stored({ status: 'failed', verdict: null, error })
  const { exitCode, stdout } = await weak('show', id)
  expect(exitCode).toBe(5)
  expect(stdout).toContain('unsupported: Assay cannot keep tap loaded.')
})

test('status names the verifications and measurements that wait and run', async () => {
  const { id: projectId } = await scene.project(shop)
  const status = () => assay(['status', projectId], { env })
  const { name } = await scene.client.projects.getProject.query({ projectId })
  const quiet = { exitCode: 0, stdout: '', stderr: `Nothing is running or waiting in ${name}.\n` }
  expect(await status()).toMatchObject(quiet)
  const waiting = { projectId, status: 'pending', verdict: null, completedAt: null } as const
  await stored({ ...waiting, status: 'running' })
  expect((await status()).stderr).toBe('Running on the server: 1 measurement of strength.\n')
  await stored(waiting)
  await createChangeFor(scene.app, { projectId })
  expect((await status()).stderr).toBe(
    'Running or waiting on the server: 1 verification of a change (1 waiting), 2 measurements of strength (1 running, 1 waiting).\n',
  )
  const doctor = await assay(['doctor'], { env })
  expect(doctor.stdout).toMatch(/\bmeasurements: \d+ running, \d+ waiting\b/)
  const { stdout } = await assay(['status', projectId, '--json'], { env })
  expect(JSON.parse(stdout)).toMatchObject({
    runs: [],
    unfinished: {
      verifications: { waiting: 0, running: 0 },
      changes: { waiting: 1, running: 0 },
      measurements: { waiting: 1, running: 1 },
    },
  })
})

test('another user has no access to a measurement', async () => {
  const { id } = await createMeasurementFor(scene.app)
  for (const words of [
    ['show', id],
    ['cancel', id],
    ['show', id, '--follow'],
    ['cancel', 'nope'],
  ]) {
    const { stderr, ...ended } = await weak(...words)
    expect(ended).toMatchObject({ exitCode: 4, stdout: '' })
    expect(stderr).toBe('No such measurement. `assay weak list` lists the measurements of a project.\n')
  }
  for (const [words, list] of [
    [['cancel', 'nope'], 'verify list'],
    [['cancel', 'nope', '--change'], 'verify list --change'],
    [['--id', 'nope'], 'verify list'],
  ] as const) {
    const { stderr } = await assay(['verify', ...words], { cwd: project.repository.path, env })
    expect(stderr).toContain(`\`assay ${list}\` lists the `)
  }
})

test.each([
  [['--budget', '1s'], 'It must be a time from 10s to 60m'],
  [['--min', '101'], 'It must be a number from 0 to 100.'],
  [['src/nowhere.js'], 'src/nowhere.js does not exist.'],
  [['.', 'src/nowhere.js'], 'src/nowhere.js does not exist.'],
  [['cancle', '01JD0000000000000000000000'], 'cancle does not exist.'],
  [['test/price.test.js'], 'The paths name no code, only tests: test/price.test.js. Name the code that these test'],
  [['test'], 'The paths name no code, only tests: test/price.test.js.'],
  [['package.json'], 'The paths name no code that tests can run.'],
  [['src/none*.js'], 'The paths: the repository has no file or folder "src/none*.js"'],
  [['--since', 'nope'], '--since: the repository has no branch, tag or commit "nope".'],
  [['--since', 'HEAD~1'], '--since: "HEAD~1" does not exist, because the head is the first commit.'],
  [['../elsewhere.js'], 'elsewhere.js does not exist.'],
  [['list', '--since', 'main'], '--since cannot be combined with weak list.'],
  [['--branch', 'main', '--commit', 'a'], 'Give only one of --branch and --commit.'],
  [['--head', '--include', '.env'], '--include cannot be combined with --head'],
  [['--since', '--help'], '--since: must not start with a dash.'],
])('refuses %j in words', async (words, message) => {
  const { exitCode, stderr, stdout } = await weak(...words)
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
  expect(stderr).toContain(message)
})
