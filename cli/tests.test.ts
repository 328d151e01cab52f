import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createTestApp, type TestApp } from '../core/testing/app.ts'
import { createProjectFor } from '../core/testing/factories.ts'
import { createHealthScene, failing } from '../core/tests/testing.ts'
import { assay, pageIn } from './testing/assay.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

let app: TestApp
let scene: Awaited<ReturnType<typeof createHealthScene>>
const ids: Record<string, string> = {}

/** `breaks` is broken, `flickers` is flaky, `adds` healthy, and `adds twice` new. */
beforeAll(async () => {
  app = await createTestApp()
  scene = await createHealthScene(app)
  const { upload } = scene
  const good = { adds: 'passed', flickers: 'passed', breaks: 'passed' } as const
  for (let hoursAgo = 40; hoursAgo > 29; hoursAgo--) await upload({ tests: good, hoursAgo })
  const sometimes = failing('timed out after 300 ms')
  await upload({ tests: { ...good, flickers: sometimes }, commit: 'x', hoursAgo: 9 })
  await upload({ tests: good, commit: 'x', hoursAgo: 8 })
  for (const hoursAgo of [7, 6, 5]) await upload({ tests: { ...good, breaks: failing('119 is not 120') }, hoursAgo })
  await upload({ tests: { ...good, breaks: failing('119 is not 120'), 'adds twice': 'passed' }, hoursAgo: 4 })
  await scene.judged()
  const { tests } = await scene.client.tests.list.query({ projectId: scene.project.id })
  for (const { name, testId } of tests) ids[name] = testId
})
afterAll(() => app[Symbol.asyncDispose]())

const tests = (...words: string[]) =>
  assay(['tests', ...words, '--project', scene.project.id], {
    env: { SVC_BASE_URL: app.url, SVC_API_TOKEN: scene.token },
  })

const rowsOf = (stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((row) => row.split('\t'))

test('lists the tests that are not healthy or have failed, most impact first, and counts all', async () => {
  const { exitCode, stdout, stderr } = await tests()
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '1 broken, 1 flaky, 1 new, 1 healthy\n' })
  const rows = rowsOf(stdout)
  expect(
    rows.map(([id, health, quarantine, failures, , , , name]) => [id, health, quarantine, failures, name]),
  ).toEqual([
    [ids['breaks'], 'broken', '-', '4', 'cart > breaks'],
    [ids['flickers'], 'flaky', '-', '1', 'cart > flickers'],
    [ids['adds twice'], 'new', '-', '0', 'cart > adds twice'],
  ])
  expect(rows[0]?.at(-1)).toContain('has failed in every run of the default branch since')
  expect(Number(rows[0]?.[4])).toBeGreaterThan(Number(rows[1]?.[4]))
})

test('filters by health and text, sorts, and pages', async () => {
  const names = async (...words: string[]) => rowsOf((await tests(...words)).stdout).map((row) => row[7])
  expect(await names('--health', 'flaky,new')).toEqual(['cart > flickers', 'cart > adds twice'])
  expect(await names('list', '--search', 'ADDS', '--sort', 'name')).toEqual(['cart > adds', 'cart > adds twice'])
  expect(await names('--all', '--sort', 'name', '--limit', '2', '--offset', '1')).toEqual([
    'cart > adds twice',
    'cart > breaks',
  ])
  expect(await names('--slowest')).toHaveLength(4)
  expect((await tests('--quarantined')).stdout).toBe('')
  expect((await tests('--owner', '@ada')).stdout).toBe('')
  const json = JSON.parse((await tests('--health', 'broken', '--json')).stdout) as object
  expect(json).toMatchObject({ tests: [{ name: 'breaks' }], counts: { healthy: 1 }, pagination: { total: 1 } })
})

test('shows why and since when a test is flaky, its results, its errors and what to do', async () => {
  const { exitCode, stdout } = await tests('show', 'flick')
  expect(exitCode).toBe(0)
  const detail = await scene.get('flickers')
  expect(stdout).toMatch(
    /^flaky {2}cart > flickers {2}src\/cart\.test\.ts\nWhy\tThe test failed and passed on the same commit/,
  )
  expect(stdout).toContain(
    `\nSince\t${detail.since?.commit?.slice(0, 12)}, ${detail.since?.at}, run ${detail.since?.runId}\n`,
  )
  expect(stdout).toContain('\nFailures\t1 in 30 days, in 1 failed run of 1 person\nImpact\t2\nFailure rate\t')
  expect(stdout).toContain('\nDuration\t100 ms median, 100 ms at the 95th percentile\n')
  expect(stdout).toMatch(/\nLatest results, oldest first: \.{11}F\.{5}\n {2}\. passed, R /)
  expect(stdout).toContain(`\n1 ×  timed out after 300 ms  run ${detail.errors[0]?.latestRunId}\n`)
  expect(stdout).toContain('\nNext  Do not retry until it passes.')
  expect(pageIn(stdout)).toBe(detail.url)
  expect(await tests('show', detail.testId)).toMatchObject({ exitCode: 0, stdout })
  const json = await tests('show', detail.testId.toUpperCase(), '--json')
  expect(JSON.parse(json.stdout)).toMatchObject({ testId: detail.testId, health: 'flaky' })
})

test('takes the test with exactly this name, and lists the tests that a part of a name finds', async () => {
  expect((await tests('show', 'cart > adds')).stdout).toMatch(/^healthy {2}cart > adds {2}/)
  const several = await tests('show', 'cart >')
  expect(several).toMatchObject({ exitCode: 2, stderr: '4 tests match cart >. Name one by its id or its full name.\n' })
  expect(rowsOf(several.stdout)).toHaveLength(4)
  const none = await tests('show', 'nothing')
  expect(none).toMatchObject({
    exitCode: 4,
    stdout: '',
    stderr: expect.stringContaining('No test of this project matches nothing.'),
  })
  const unknown = await tests('show', '00000000-0000-4000-8000-000000000000')
  expect(unknown).toMatchObject({
    exitCode: 4,
    stderr: expect.stringContaining('`assay tests` lists the tests of a project.'),
  })
})

test('finds a renamed test, and joins its history with the earlier one', async () => {
  const { id: projectId } = await createProjectFor(app, { user: scene.user })
  const upload = async (name: string, hoursAgo: number) => {
    const form = new FormData()
    form.set('branch', 'main')
    form.set('commitSha', String(hoursAgo).padStart(40, '0'))
    form.set('ranAt', new Date(Date.now() - hoursAgo * 3_600_000).toISOString())
    const xml = `<testsuite name="cart"><testcase classname="cart" file="a.test.js" name="${name}"/><testcase classname="cart" file="a.test.js" name="other"/></testsuite>`
    form.append('reports', new Blob([xml]), 'junit.xml')
    await app.fetch(`/api/ci/upload/${projectId}`, { method: 'POST', body: form, token: scene.token })
  }
  for (const hoursAgo of [9, 8, 7]) await upload('adds the tax to a price', hoursAgo)
  for (const hoursAgo of [6, 5]) await upload('adds the tax to the price', hoursAgo)
  const run = (...words: string[]) =>
    assay(['tests', ...words, '--project', projectId], { env: { SVC_BASE_URL: app.url, SVC_API_TOKEN: scene.token } })
  await expect.poll(async () => (await run('show', 'the price')).stdout, { timeout: 30_000 }).toContain('renamed from')
  const { stdout } = await run('show', 'the price')
  const [, from = '', into = ''] =
    /Probably renamed from cart > adds the tax to a price\. Join the histories: assay tests merge (\S+) (\S+)\n/.exec(
      stdout,
    ) ?? []
  expect(await run('merge', 'tax', into)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('2 tests match tax. Use one of these ids: '),
  })
  const merged = await run('merge', from, into)
  expect(merged).toMatchObject({
    exitCode: 0,
    stdout: 'Merged into cart > adds the tax to the price. Assay judges it anew within seconds.\n',
  })
  const after = await run('show', into)
  expect(after.stdout).toContain('\nMerged from\tcart > adds the tax to a price\n')
  expect(await run('merge', 'other', into)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('A run contains both tests'),
  })
})

test('names the variant that it shows, and the others', async () => {
  const { upload, get, project, token } = await createHealthScene(app)
  for (const variant of ['linux', 'windows', '']) {
    const fields: Record<string, string> = variant === '' ? {} : { variant }
    await upload({ tests: { adds: variant === 'windows' ? 'retried' : 'passed' }, hoursAgo: 2, fields })
  }
  const { testId, variant } = await get('adds')
  expect(variant).toBe('windows')
  const run = (...words: string[]) =>
    assay([...words, '--project', project.id], { env: { SVC_BASE_URL: app.url, SVC_API_TOKEN: token } })
  const worst = await run('tests', 'show', testId)
  expect(worst.stdout).toMatch(/^flaky {2}cart > adds \(windows\) {2}/)
  expect(worst.stdout).toContain(
    "\nVariant\twindows, which has the worst health. --variant shows another one: unnamed (''), linux\n",
  )
  const unnamed = await run('tests', 'show', testId, '--variant', '')
  expect(unnamed.stdout).toMatch(/^new {2}cart > adds {2}src/)
  expect(unnamed.stdout).toContain('\nVariant\tunnamed. --variant shows another one: linux, windows\n')
  for (const words of [
    ['tests', 'show'],
    ['tests', 'confirm', '--head'],
    ['quarantine', 'request', '--reason', 'x'],
  ]) {
    const unknown = await run(...words, testId, '--variant', 'macos')
    expect(unknown, words.join(' ')).toMatchObject({
      exitCode: 4,
      stderr: 'No such variant. The test has these: an unnamed one, linux, windows.\n',
    })
  }
})

test('shows the policy, previews other rules, and changes them', async () => {
  const shown = await tests('policy')
  expect(shown).toMatchObject({ exitCode: 0, stderr: '' })
  expect(rowsOf(shown.stdout)).toContainEqual(['quietDays', '7', expect.any(String)])
  expect(rowsOf(shown.stdout)).toContainEqual(['grantedBy', 'admin', expect.any(String)])
  expect(rowsOf(shown.stdout)).toHaveLength(17)

  const preview = await tests('policy', '--set', 'brokenFailures=5', '--preview')
  expect(preview.exitCode, preview.stderr).toBe(0)
  expect(preview.stdout).toMatch(
    /^\d+ runs of the last 30 days, 2 tests that failed or passed only after a retry:\nbroken\tnow 1\tthen 0\n/,
  )
  expect(preview.stdout).toContain('\nTests with another health:\nnow broken\tthen healthy\tcart > breaks\t')
  expect(await scene.client.tests.getPolicy.query({ projectId: scene.project.id })).toMatchObject({
    health: { brokenFailures: 3 },
  })

  const changed = await tests(
    'policy',
    '--set',
    'health.massShare=0.3',
    '--set',
    'muteFlaky=true',
    '--set',
    'quarantine.days=5',
    '--json',
  )
  expect(JSON.parse(changed.stdout)).toMatchObject({
    health: { massShare: 0.3 },
    quarantine: { muteFlaky: true, days: 5 },
  })
  await tests('policy', '--set', 'muteFlaky=false')
})

test.each([
  [['policy', '--preview'], '--preview requires --set'],
  [['policy', '--preview', '--set', 'muteFlaky=true'], '--preview shows rules for health only.'],
  [['policy', '--set', 'quietDay=5'], 'must be one of these settings with a value, such as quietDays=5: newResults, '],
  [['policy', '--set', 'retention.quietDays=5'], 'must be one of these settings'],
  [['policy', '--set', 'quietDays'], 'must be one of these settings'],
  [['policy', '--set', 'quietDays=soon'], 'health.quietDays: must be'],
  [['policy', '--set', 'quietDays=61'], 'health.quietDays: must be at most 60'],
  [['policy', '--health', 'flaky'], '--health cannot be combined with tests policy.'],
  [['--health', 'ill'], 'It must be a list of these: new, healthy, flaky, broken, stale.'],
  [['--slowest', '--sort', 'name'], 'Give only one of --sort and --slowest.'],
  [['shwo', 'x'], 'Did you mean show?'],
  [['shwo', 'x'], '\nRun `assay tests --help` for help.\n'],
  [['show', 'adds', '--variannt', 'x'], '\nRun `assay tests show --help` for help.\n'],
  [['merge', 'cart > adds', 'cart > adds'], 'The two tests are the same one.'],
])('refuses %j', async (words, message) => {
  const { exitCode, stdout, stderr } = await tests(...words)
  expect({ exitCode, stdout }, stderr).toEqual({ exitCode: 2, stdout: '' })
  expect(stderr).toContain(message)
})

test('names and messages of tests do not reach the terminal as they are', async () => {
  const hostile = 'a\u001b[2J\nInjected: yes\u202e\u009b31m'
  await app.dataSource.query(
    `UPDATE tests SET name = name || $2, last_failure = jsonb_set(last_failure, '{message}', $3) WHERE project_id = $1`,
    [scene.project.id, hostile, JSON.stringify(hostile)],
  )
  for (const words of [['--all'], ['show', ids['breaks'] ?? ''], ['show', 'cart']]) {
    const { stdout, stderr } = await tests(...words)
    expect(stdout + stderr).toContain('Injected: yes')
    expect(stdout + stderr).not.toMatch(/(?![\t\n])[\p{Cc}\p{Cf}]|^Injected/mu)
  }
})
