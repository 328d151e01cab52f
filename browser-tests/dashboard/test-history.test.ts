import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../core/testing/app.ts'
import { createProjectFor, createTokenFor, createUser } from '../../core/testing/factories.ts'
import { openDashboard } from './open-dashboard.ts'
import { untilJudged } from './until-judged.ts'
import { uploadRun } from './upload-run.ts'

let app: TestApp
beforeAll(async () => {
  app = await createTestApp()
  app.config.baseUrl = app.url.replace('127.0.0.1', 'localhost')
})
afterAll(() => app[Symbol.asyncDispose]())

const hostile = '<script>alert(1)</script>\u202Etxt'
const commit = (at: number) => String(at).repeat(40)

test('the page of a test says that it is broken on one branch only, and since when', async () => {
  const user = await createUser(app)
  const token = await createTokenFor(app, { user })
  const { id: projectId } = await createProjectFor(app, { user })
  const failure = `${hostile} after 30 ms`
  const upload = (at: number, isFailing: boolean, branch = 'main') =>
    uploadRun(app, token, projectId, {
      branch,
      commitSha: commit(at),
      cases: [{ name: hostile, seconds: at / 10, ...(isFailing ? { failure, stack: 'at f' } : {}) }],
    })
  for (const at of [1, 2, 3]) await upload(at, false)
  for (const at of [5, 6, 7]) await upload(at, true)
  const runId = await upload(8, false, 'feature')
  await untilJudged(app, projectId)
  const { results } = await app.client(token).testRuns.results.query({ runId })
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  await dashboard.open(`/projects/${projectId}/tests/${results[0]?.testId}`)
  expect(await tab.getByRole('heading', { level: 1 }).innerText()).toBe('<script>alert(1)</script><U+202E>txt')
  const health = tab.getByRole('region', { name: 'Health', exact: true })
  expect(await health.innerText()).toMatch(
    /^Broken\s+The test has failed in every run of the default branch since 5{12}/,
  )
  await health.getByRole('link', { name: 'the run of 55555555' }).waitFor()
  const byBranch = tab.getByRole('region', { name: 'Latest result by branch' }).getByRole('listitem')
  expect((await byBranch.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '))).toEqual([
    expect.stringContaining('Passed feature'),
    expect.stringContaining('Failed main'),
  ])
  expect(await tab.getByRole('group', { name: 'Message of error 1' }).innerText()).toBe(
    '<script>alert(1)</script><U+202E>txt after 30 ms',
  )
  expect(await dashboard.violations()).toEqual([])

  await tab.getByLabel('Branch', { exact: true }).fill('main')
  await tab.getByText('Has failed since the run of 55555555 on main').waitFor()
  await tab.waitForURL(/branch=main/)
  await tab
    .getByRole('table', { name: 'Results of the test' })
    .getByRole('link', { name: 'Failed' })
    .first()
    .press('Enter')
  await tab.getByRole('complementary', { name: 'Result' }).getByText('after 30 ms').first().waitFor()
  expect(dashboard.complaints).toEqual([])
})

test('the page of a test that was not judged shows its results', async () => {
  await using web = await createTestApp({ role: 'web' })
  web.config.baseUrl = web.url.replace('127.0.0.1', 'localhost')
  const user = await createUser(web)
  const token = await createTokenFor(web, { user })
  const { id: projectId } = await createProjectFor(web, { user })
  const runId = await uploadRun(web, token, projectId, {
    commitSha: commit(1),
    cases: [{ name: 'adds', failure: 'expected 3 to be 2' }],
  })
  const { results } = await web.client(token).testRuns.results.query({ runId })
  await using dashboard = await openDashboard(web, user)
  const { tab } = dashboard
  await dashboard.open(`/projects/${projectId}/tests/${results[0]?.testId}`)
  await tab.getByText('Not judged.').waitFor()
  await tab.getByText('Has failed since the run of 11111111').waitFor()
  await tab.getByRole('group', { name: 'Message' }).getByText('expected 3 to be 2').waitFor()
  expect(await dashboard.violations()).toEqual([])
  const inOutage = `UPDATE test_runs SET outage = 'mass', ran_at = now() - interval '50 hours' WHERE id = $1`
  await web.dataSource.query(inOutage, [runId])
  await dashboard.open(`/projects/${projectId}/tests/${results[0]?.testId}`)
  const row = tab.getByRole('table', { name: 'Results of the test' }).getByRole('row', { name: 'expected 3 to be 2' })
  expect(await row.innerText()).toMatch(/Failed in an outage.*2 days ago/s)
  expect(await dashboard.violations()).toEqual([])
  await dashboard.open(`/projects/${projectId}/tests`)
  await tab.getByRole('heading', { name: 'No tests yet' }).waitFor()
  expect(await dashboard.violations()).toEqual([])
})

test('a test that does not exist, and one of another tenant, are answered alike', async () => {
  const owner = await createUser(app)
  const token = await createTokenFor(app, { user: owner })
  const { id: projectId } = await createProjectFor(app, { user: owner })
  const runId = await uploadRun(app, token, projectId, { commitSha: commit(8), cases: [{ name: 'secret' }] })
  const { results } = await app.client(token).testRuns.results.query({ runId })
  const stranger = await createUser(app)
  const own = await createProjectFor(app, { user: stranger })
  await using dashboard = await openDashboard(app, stranger)
  const { tab } = dashboard
  const answers: string[] = []
  for (const id of [own.id, projectId]) {
    await tab.goto(`${app.config.baseUrl}/projects/${id}/tests/${results[0]?.testId}`)
    answers.push(await tab.getByRole('alert').first().innerText())
    expect(await tab.content()).not.toContain('secret')
  }
  expect(answers[0]).toBe(answers[1])
})
