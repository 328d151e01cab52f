import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../core/testing/app.ts'
import {
  createMembershipFor,
  createOrganizationFor,
  createProjectFor,
  createRunFor,
  createTokenFor,
  createUser,
} from '../../core/testing/factories.ts'
import { openDashboard } from './open-dashboard.ts'

let app: TestApp
beforeAll(async () => {
  app = await createTestApp({ role: 'web' })
  app.config.baseUrl = app.url.replace('127.0.0.1', 'localhost')
})
afterAll(() => app[Symbol.asyncDispose]())

const hostile = '<script>alert(1)</script>\u202Etxt'
const at = (minutesAgo: number) => new Date(Date.now() - minutesAgo * 60_000)

test('the list says since when the branch fails, and filters by status and branch in the address', async () => {
  const user = await createUser(app)
  const { id: projectId } = await createProjectFor(app, { user })
  const ended = { projectId, userId: user.id, status: 'COMPLETED' as const, totalTests: 3, source: 'upload' as const }
  await createRunFor(app, { ...ended, passedTests: 3, commitSha: 'a'.repeat(40), createdAt: at(30) })
  await createRunFor(app, { ...ended, passedTests: 1, failedTests: 2, commitSha: 'b'.repeat(40), createdAt: at(20) })
  await createRunFor(app, { ...ended, passedTests: 2, failedTests: 1, commitSha: 'c'.repeat(40), createdAt: at(10) })
  await createRunFor(app, { ...ended, passedTests: 3, branch: hostile, createdAt: at(5) })
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  await dashboard.open(`/projects/${projectId}/runs`)
  await tab.getByText('has failed since bbbbbbbb').waitFor()
  const rows = tab.getByRole('table', { name: 'Runs' }).getByRole('row')
  expect(await rows.count()).toBe(5)
  expect(await rows.nth(1).innerText()).toContain('<script>alert(1)</script><U+202E>txt')
  expect(await dashboard.violations()).toEqual([])

  await tab.getByLabel('Status').selectOption('Passed')
  await tab.waitForURL(/status=PASSED/)
  await expect.poll(() => rows.count()).toBe(3)
  await tab.getByLabel('Branch').fill('mai')
  await tab.getByText('No run matches these filters').waitFor()
  await tab.getByRole('button', { name: 'main' }).press('Enter')
  await tab.waitForURL(/branch=main/)
  await expect.poll(() => rows.count()).toBe(2)
  await rows.nth(1).getByRole('link', { name: 'Passed' }).press('Enter')
  await tab.waitForURL(/\/runs\/\w+$/)
  await tab.goBack()
  await expect.poll(() => rows.count()).toBe(2)
  expect(await dashboard.violations()).toEqual([])
  expect(dashboard.complaints).toEqual([])
})

test('a queued run appears and moves on without a reload', async () => {
  const user = await createUser(app)
  const { id: projectId } = await createProjectFor(app, { user })
  const run = await createRunFor(app, { projectId, userId: user.id, status: 'PENDING' })
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  await dashboard.open(`/projects/${projectId}/runs`)
  await tab.getByRole('link', { name: /^Queued , run/ }).waitFor()
  await app.dataSource.query(`UPDATE test_runs SET status = 'CANCELLED' WHERE id = $1`, [run.id])
  await tab.getByRole('link', { name: /^Cancelled , run/ }).waitFor({ timeout: 10_000 })
  expect(dashboard.complaints).toEqual([])
})

test('a project without runs teaches the upload, with a token that can only do that', async () => {
  const user = await createUser(app)
  const { id: projectId } = await createProjectFor(app, { user })
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  await dashboard.open(`/projects/${projectId}/runs`)
  await tab.getByRole('heading', { name: 'No tests have run yet' }).waitFor()
  await tab.getByRole('link', { name: 'GitLab CI' }).press('Enter')
  await tab.waitForURL(/ci=gitlab/)
  await tab.getByText('CI_PIPELINE_ID').waitFor()
  await tab.getByRole('button', { name: 'Create a token for uploads' }).press('Enter')
  await tab.getByText('The token is shown this once').waitFor()
  const variables = await tab.getByRole('region', { name: 'Variables' }).innerText()
  const token = /SVC_API_TOKEN=(\S+)/.exec(variables)?.[1] ?? ''
  expect(await app.client(token).tokens.current.query()).toMatchObject({ projectId, scopes: ['tests:run'] })
  expect(variables).toContain(`ASSAY_PROJECT=${projectId}`)
  expect(await dashboard.violations()).toEqual([])
  await tab.reload()
  await tab.getByText('CI_PIPELINE_ID').waitFor()
  expect(await tab.content()).not.toContain(token)
  expect(dashboard.complaints).toEqual([])
})

test('a viewer sees the runs but no button that starts one, and another tenant sees nothing', async () => {
  const organization = await createOrganizationFor(app)
  const viewer = await createUser(app)
  await createMembershipFor(app, { organizationId: organization.id, user: viewer, role: 'viewer' })
  const { id: projectId } = await createProjectFor(app, { organizationId: organization.id })
  await createRunFor(app, { projectId, status: 'COMPLETED', branch: 'secret-branch' })
  {
    await using dashboard = await openDashboard(app, viewer)
    await dashboard.open(`/projects/${projectId}/runs`)
    await dashboard.tab.getByRole('link', { name: 'secret-branch' }).waitFor()
    expect(await dashboard.tab.getByRole('button', { name: 'Run tests' }).count()).toBe(0)
    expect(await dashboard.tab.getByRole('button', { name: 'Upload from CI' }).count()).toBe(0)
  }
  const stranger = await createUser(app)
  await createTokenFor(app, { user: stranger })
  await using dashboard = await openDashboard(app, stranger)
  await dashboard.tab.goto(`${app.config.baseUrl}/projects/${projectId}/runs`)
  await dashboard.tab.getByRole('alert').first().waitFor()
  expect(await dashboard.tab.getByRole('main').innerText()).not.toContain('secret-branch')
})
