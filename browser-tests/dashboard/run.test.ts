import { afterAll, beforeAll, expect, test } from 'vitest'
import { openRunLog } from '../../core/test-runs/log/log.ts'
import { createTestApp, type TestApp } from '../../core/testing/app.ts'
import { createProjectFor, createRunFor, createTokenFor, createUser } from '../../core/testing/factories.ts'
import { openDashboard } from './open-dashboard.ts'
import { uploadRun } from './upload-run.ts'

let app: TestApp
beforeAll(async () => {
  app = await createTestApp({ role: 'web' })
  app.config.baseUrl = app.url.replace('127.0.0.1', 'localhost')
})
afterAll(() => app[Symbol.asyncDispose]())

const hostile = '<img src=x onerror=alert(1)>\u202Etxt'

async function setUp() {
  const user = await createUser(app)
  const token = await createTokenFor(app, { user })
  const { id: projectId } = await createProjectFor(app, { user })
  return { user, token, projectId }
}

test('a red run says what is new, groups failures by error, and opens the result of a test', async () => {
  const { user, token, projectId } = await setUp()
  const stack = 'Error\n    at total (src/cart.ts:12:7)'
  const broken = { name: 'adds', failure: 'expected 1 to equal 2', stack }
  await uploadRun(app, token, projectId, { commitSha: 'a'.repeat(40), cases: [broken, { name: 'sorts' }] })
  const runId = await uploadRun(app, token, projectId, {
    commitSha: 'b'.repeat(40),
    cases: [
      broken,
      { name: 'sorts', failure: 'connection refused', stack },
      { name: 'joins', failure: 'connection refused', stack },
      { name: hostile, failure: `${hostile} ${'x'.repeat(20_000)}` },
    ],
    files: { 'html/index.html': '<h1>Report</h1>', [`${hostile}.txt`]: 'text' },
  })
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  const path = `/projects/${projectId}/runs/${runId}`
  await dashboard.open(path)
  const outcome = tab.getByRole('region', { name: 'Outcome' })
  await outcome.getByText('3 new failures').waitFor()
  expect(await outcome.innerText()).toMatch(
    /Failed\s+3 new failures, 1 still failing, compared with the run of aaaaaaaa/,
  )
  const group = tab.getByRole('article').filter({ hasText: 'connection refused' })
  expect(await group.innerText()).toContain('2 tests, 2 new')
  expect(await tab.getByRole('article').filter({ hasText: 'adds' }).innerText()).toMatch(
    /Failing since the run of aaaa/,
  )
  expect(await group.getByRole('link', { name: 'src/cart.ts:12' }).first().getAttribute('href')).toContain('line=12')
  expect(await tab.locator('main img').count()).toBe(0)
  expect(await dashboard.violations()).toEqual([])

  await group.getByRole('link', { name: /^complete result of sorts/ }).press('Enter')
  const panel = tab.getByRole('complementary', { name: 'Result' })
  await panel.getByRole('heading', { name: 'sorts' }).waitFor()
  await tab.reload()
  await panel.getByRole('group', { name: 'Stack' }).getByText('src/cart.ts:12:7').waitFor()
  expect(await dashboard.violations()).toEqual([])
  await panel.press('Escape')
  await panel.waitFor({ state: 'detached' })
  await tab.getByRole('link', { name: hostile.replace('\u202E', '<U+202E>') }).press('Enter')
  await panel.getByRole('button', { name: /^Show all [\d,]+ characters/ }).press('Enter')

  await tab.getByRole('link', { name: 'Artifacts' }).press('Enter')
  const files = tab.getByRole('table', { name: 'Artifacts' })
  await files.getByRole('link', { name: 'artifacts/html/index.html' }).waitFor()
  const report = tab.context().waitForEvent('page')
  await files.getByRole('button', { name: /^View/ }).press('Enter')
  await (await report).getByRole('heading', { name: 'Report' }).waitFor()
  for (const part of ['Plan and timeline', 'Coverage', 'Log']) {
    await tab
      .getByRole('link', { name: part, exact: true })
      .nth(part === 'Coverage' ? 1 : 0)
      .press('Enter')
    // Each upload is an entry of the timeline.
    await tab
      .locator(part === 'Plan and timeline' ? '.timeline-bar' : '.empty')
      .first()
      .waitFor()
  }
  expect(await dashboard.violations()).toEqual([])
  expect(dashboard.complaints).toEqual([])
})

test('the log of a running run is followed over a lost connection, each line once, until the run ends', async () => {
  const { user, projectId } = await setUp()
  const progress = { phase: 'testing' as const, command: 'npm test', logLines: 0 }
  const { id: runId } = await createRunFor(app, { projectId, status: 'RUNNING', progress, startedAt: new Date() })
  const options = { mask: (line: string) => line, firstLine: 0, maxBytes: 10_000_000, onError: () => {} }
  const log = openRunLog(app.dataSource.manager, runId, options)
  for (let line = 1; line <= 700; line++) log.say(`line ${line} of the setup`)
  log.say('\u001B[31mred\u001B[0m <b>bold</b> \u202Eevil')
  log.say('y'.repeat(3_900))
  await log.flush()
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  await dashboard.open(`/projects/${projectId}/runs/${runId}`)
  const lines = tab.getByRole('region', { name: 'Log' })
  await lines.getByText('<b>bold</b> <U+202E>evil').waitFor()
  expect(await lines.locator('.ansi-red').innerText()).toBe('red')
  await lines.getByRole('button', { name: 'Show all 3,900 characters' }).waitFor()
  await tab.getByText('Running the tests: npm test').waitFor()
  expect(await dashboard.violations()).toEqual([])

  log.say('before the loss')
  await lines.getByText('before the loss').waitFor()
  app.server.closeAllConnections()
  log.say('after the loss')
  await lines.getByText('after the loss').waitFor({ timeout: 15_000 })
  expect(await lines.getByText('before the loss').count()).toBe(1)
  await app.dataSource.query(
    `UPDATE test_runs SET status = 'CANCELLED', progress = NULL, completed_at = now() WHERE id = $1`,
    [runId],
  )
  await tab.getByText('The run was cancelled.').waitFor({ timeout: 15_000 })

  await dashboard.open(`/projects/${projectId}/runs/${runId}?tab=log&line=3`)
  await lines.getByText('line 3 of the setup').waitFor()
  expect(await lines.locator('[aria-current=true]').innerText()).toContain('line 3 of the setup')
  await tab.getByLabel('Find in the log').fill('LINE 650 OF')
  await lines.locator('mark').waitFor()
  expect(await tab.getByText('1 of 1 line').count()).toBe(1)
  await tab.waitForURL(/line=650/)
  // The connection that the test closed is an error of the console.
  expect(dashboard.complaints.filter((text) => !text.includes('ERR_'))).toEqual([])
})

test('a run with many results shows those in view, filters and sorts them', async () => {
  const { user, token, projectId } = await setUp()
  const cases = Array.from({ length: 3_000 }, (_, at) => ({
    name: `case ${at}`,
    file: `src/part${at % 10}.test.ts`,
    seconds: at === 2_500 ? 9 : 0.01,
  }))
  const runId = await uploadRun(app, token, projectId, { commitSha: 'c'.repeat(40), cases })
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  await dashboard.open(`/projects/${projectId}/runs/${runId}`)
  await tab.getByText('3,000 results').waitFor()
  await tab.getByText('case 0', { exact: false }).first().waitFor()
  expect(await tab.getByRole('row').count()).toBeLessThan(80)
  await tab.getByRole('region', { name: 'Results' }).press('End')
  await tab.getByRole('link', { name: 'cart › case 2999' }).waitFor()
  await tab.getByLabel('Order').selectOption('Slowest first')
  await tab.getByRole('link', { name: 'cart › case 2500' }).waitFor()
  await tab.getByLabel('Name or file').fill('part7')
  await tab.getByText('300 results').waitFor()
  await tab.waitForURL(/q=part7/)
  expect(await dashboard.violations()).toEqual([])
  expect(dashboard.complaints).toEqual([])
})

test('the first run says why it failed in its own words, and not what is new', async () => {
  const { user, token, projectId } = await setUp()
  const cases = [{ name: 'adds', failure: '\n3 == 4' }]
  const runId = await uploadRun(app, token, projectId, { commitSha: 'a'.repeat(40), cases })
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  await dashboard.open(`/projects/${projectId}/runs/${runId}`)
  await tab.getByRole('heading', { name: '3 == 4' }).waitFor()
  expect(await tab.getByRole('region', { name: 'Outcome' }).innerText()).toMatch(/1 failure\. No earlier run/)
  expect(await tab.getByRole('main').innerText()).not.toMatch(/\bnew\b/i)
  // The results of an upload can only be sent again.
  expect(await tab.getByRole('button', { name: 'Run again' }).count()).toBe(0)
})

test('a run without a result says in words what to do, and runs again as it was asked for', async () => {
  const { user, token, projectId } = await setUp()
  const error = { code: 'not_a_repository', message: 'There is no git repository at /srv/shop.' }
  const selection = { paths: ['src/cart'], tests: [] }
  const ended = { projectId, userId: user.id, status: 'FAILED' as const, completedAt: new Date() }
  const { id: runId } = await createRunFor(app, { ...ended, source: 'dashboard', type: 'UNIT', selection, error })
  const gone = await createRunFor(app, {
    ...ended,
    branch: 'gone',
    error: { code: 'branch_not_found', message: 'No.' },
  })
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  await dashboard.open(`/projects/${projectId}/runs/${runId}`)
  const outcome = tab.getByRole('region', { name: 'Outcome' })
  await outcome.getByText('There is no readable git repository at its address.').waitFor()
  await outcome.getByRole('link', { name: 'settings of the project' }).waitFor()
  await tab.getByText('Started by you').waitFor()
  expect(await dashboard.violations()).toEqual([])
  await tab.getByRole('button', { name: 'Run again' }).press('Enter')
  await tab.getByText('Number 1 in the queue').waitFor()
  const { runs } = await app.client(token).testRuns.list.query({ projectId })
  expect(runs[0]).toMatchObject({ type: 'UNIT', branch: 'main', selection, source: 'dashboard' })
  await tab.getByRole('button', { name: 'Cancel the run' }).press('Enter')
  await tab.getByRole('status').getByText('The run was cancelled.').waitFor()

  await dashboard.open(`/projects/${projectId}/runs/${gone.id}`)
  await tab.getByRole('button', { name: 'Run again' }).press('Enter')
  expect(await tab.getByLabel('Branch or commit').inputValue()).toBe('gone')
  expect(dashboard.complaints).toEqual([])
})

test('a tab that the user opened stays when the run ends', async () => {
  const { user, projectId } = await setUp()
  const { id: runId } = await createRunFor(app, { projectId, status: 'RUNNING', startedAt: new Date() })
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  await dashboard.open(`/projects/${projectId}/runs/${runId}`)
  await tab.getByRole('link', { name: 'Log' }).press('Enter')
  await tab.waitForURL(/tab=log/)
  await app.dataSource.query(
    `UPDATE test_runs SET status = 'COMPLETED', total_tests = 1, failed_tests = 1, completed_at = now() WHERE id = $1`,
    [runId],
  )
  await tab.getByRole('button', { name: 'Rerun failed tests' }).waitFor({ timeout: 15_000 })
  expect(await tab.getByRole('link', { name: 'Log' }).getAttribute('aria-current')).toBe('page')
})
