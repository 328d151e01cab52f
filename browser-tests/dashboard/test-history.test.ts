import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../core/testing/app.ts'
import { createProjectFor, createTokenFor, createUser } from '../../core/testing/factories.ts'
import { openDashboard } from './open-dashboard.ts'
import { uploadRun } from './upload-run.ts'

let app: TestApp
beforeAll(async () => {
  app = await createTestApp({ role: 'web' })
  app.config.baseUrl = app.url.replace('127.0.0.1', 'localhost')
})
afterAll(() => app[Symbol.asyncDispose]())

const hostile = '<script>alert(1)</script>\u202Etxt'
const commit = (at: number) => String(at).repeat(40)

test('the page of a test says that it is broken on one branch only, and that another one is flaky', async () => {
  const user = await createUser(app)
  const token = await createTokenFor(app, { user })
  const { id: projectId } = await createProjectFor(app, { user })
  const failure = `${hostile} after 30 ms`
  const upload = (at: number, failing: string[], branch = 'main') =>
    uploadRun(app, token, projectId, {
      branch,
      commitSha: commit(at),
      cases: [hostile, 'wobbles'].map((name) => ({
        name,
        seconds: at / 10,
        ...(failing.includes(name) ? { failure, stack: 'at f' } : {}),
      })),
    })
  await upload(1, [])
  await upload(2, ['wobbles'])
  await upload(3, [])
  await upload(4, ['wobbles'])
  await upload(5, [hostile, 'wobbles'])
  await upload(6, [hostile])
  const runId = await upload(7, [], 'feature')
  const { testRuns } = app.client(token)
  const { results } = await testRuns.results.query({ runId })
  const idOf = (name: string) => results.find((result) => result.name === name)?.testId
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  const path = `/projects/${projectId}/tests/`
  await dashboard.open(`${path}${idOf('wobbles')}`)
  await tab.getByText(/^Changed 4 times between passing and failing; failed in 3 of 7 runs/).waitFor()
  await dashboard.open(`${path}${idOf(hostile)}`)
  expect(await tab.getByRole('heading', { level: 1 }).innerText()).toBe('<script>alert(1)</script><U+202E>txt')
  const byBranch = tab.getByRole('region', { name: 'Latest result by branch' }).getByRole('listitem')
  expect((await byBranch.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '))).toEqual([
    expect.stringContaining('Passed feature'),
    expect.stringContaining('Failed main'),
  ])
  expect(await tab.getByRole('group', { name: 'Message' }).innerText()).toBe(
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
