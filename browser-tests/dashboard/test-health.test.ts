import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../core/testing/app.ts'
import {
  createMembershipFor,
  createOrganizationFor,
  createProjectFor,
  createTokenFor,
  createUser,
} from '../../core/testing/factories.ts'
import { createHealthScene, failing } from '../../core/tests/testing.ts'
import { openDashboard } from './open-dashboard.ts'
import { untilJudged } from './until-judged.ts'
import { type UploadedCase, uploadRun } from './upload-run.ts'

let app: TestApp
beforeAll(async () => {
  app = await createTestApp()
  app.config.baseUrl = app.url.replace('127.0.0.1', 'localhost')
})
afterAll(() => app[Symbol.asyncDispose]())

/** Several users sign in, each in a browser of their own. */
const slow = { timeout: 3 * 60_000 }

const passing = Object.fromEntries(
  Array.from({ length: 12 }, (_, index) => [`reads line ${index + 1}`, 'passed' as const]),
)

test('a member sees which tests are flaky, and why', async () => {
  const { user, project, upload, judged } = await createHealthScene(app)
  const timeout = failing('timed out after 3012 ms')
  await upload({ tests: { ...passing, sends: 'passed', pays: 'passed' }, hoursAgo: 40 })
  await upload({ tests: { ...passing, sends: timeout, pays: 'passed' }, commit: 'b', hoursAgo: 30 })
  await upload({ tests: { ...passing, sends: 'passed', pays: 'passed' }, commit: 'b', hoursAgo: 29 })
  for (const hoursAgo of [20, 19, 18]) {
    await upload({ tests: { ...passing, sends: 'passed', pays: failing('no such table: orders') }, hoursAgo })
  }
  // An outage fails every test.
  const refused = Object.fromEntries(Object.keys(passing).map((name) => [name, failing('connection refused')]))
  await upload({ tests: { ...refused, sends: failing('connection refused'), pays: 'passed' }, hoursAgo: 10 })
  await judged()
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  await dashboard.open(`/projects/${project.id}`)
  await tab.keyboard.press('g')
  await tab.keyboard.press('f')
  const counts = tab.getByRole('navigation', { name: 'Tests by health' })
  await counts.waitFor()
  const table = tab.getByRole('table', { name: 'Tests' })
  await expect.poll(() => table.getByRole('row').count()).toBe(15)
  await counts.getByRole('link', { name: '1 Flaky' }).press('Enter')
  await tab.waitForURL(/health=flaky/)
  await expect.poll(() => table.getByRole('row').count()).toBe(2)
  expect(await dashboard.violations()).toEqual([])
  await table.getByRole('link', { name: 'sends' }).press('Enter')

  const health = tab.getByRole('region', { name: 'Health', exact: true })
  await health.getByText('The test failed and passed on the same commit').waitFor()
  await health.getByText('Do not retry until it passes.').waitFor()
  await tab.getByText('1 outlined failure is part of an outage and does not count.').waitFor()
  const evidence = tab.getByRole('table', { name: 'Evidence' })
  expect(await evidence.getByRole('row').count()).toBe(3)
  await evidence
    .getByRole('link', { name: /^Error \d/ })
    .first()
    .click()
  await tab
    .getByRole('group', { name: /^Message of error/ })
    .getByText('timed out after 3012 ms')
    .waitFor()
  expect(await dashboard.violations()).toEqual([])
  await tab.getByRole('region', { name: 'Changes of health' }).getByText('Flaky').waitFor()

  await dashboard.open(`/projects/${project.id}/tests?tab=trouble&search=PAYS`)
  await table.getByRole('row', { name: /pays.*Broken.*since/ }).waitFor()
  await tab.getByRole('combobox', { name: /^Quarantine/ }).selectOption('In quarantine')
  await tab.getByRole('heading', { name: 'No test matches' }).waitFor()
  await tab.getByRole('link', { name: 'Clear the filters' }).click()
  await expect.poll(() => table.getByRole('row').count()).toBe(3)
  expect(dashboard.complaints).toEqual([])
})

test('a member requests quarantine, an admin grants it, and the failure no longer decides', slow, async () => {
  const admin = await createUser(app)
  const organization = await createOrganizationFor(app, { user: admin })
  const member = await createUser(app)
  const viewer = await createUser(app)
  await createMembershipFor(app, { organizationId: organization.id, user: member, role: 'member' })
  await createMembershipFor(app, { organizationId: organization.id, user: viewer, role: 'viewer' })
  const { id: projectId } = await createProjectFor(app, { user: admin, organizationId: organization.id })
  const token = await createTokenFor(app, { user: admin })
  const upload = async (digit: string, failure?: string) => {
    const pays: UploadedCase = { name: 'pays', ...(failure === undefined ? {} : { failure }) }
    const id = await uploadRun(app, token, projectId, { commitSha: digit.repeat(40), cases: [{ name: 'adds' }, pays] })
    await untilJudged(app, projectId)
    return id
  }
  const first = await upload('1')
  await upload('2', 'timed out')
  const { results } = await app.client(token).testRuns.results.query({ runId: first, search: 'pays' })
  const path = `/projects/${projectId}/tests/${results[0]?.testId}`
  {
    await using dashboard = await openDashboard(app, viewer)
    await dashboard.open(path)
    expect(await dashboard.tab.getByRole('button', { name: 'Request quarantine' }).count()).toBe(0)
  }
  {
    await using dashboard = await openDashboard(app, member)
    const { tab } = dashboard
    await dashboard.open(path)
    await tab.getByRole('button', { name: 'Request quarantine' }).press('Enter')
    const dialog = tab.getByRole('dialog', { name: 'Request quarantine' })
    await dialog.getByLabel('Reason').fill('Blocks every pull request')
    await dialog.getByLabel('Owner').fill('@shop/payments')
    await dialog.getByLabel('Issue').fill('https://example.com/issues/17')
    await dialog.getByLabel('Days').fill('7')
    expect(await dashboard.violations()).toEqual([])
    await dialog.getByRole('button', { name: 'Request', exact: true }).press('Enter')
    await tab.getByText('to be muted for 7 days').waitFor()
    await tab.getByText('Granting it requires the role admin.').waitFor()
    expect(await tab.getByRole('button', { name: 'Grant' }).count()).toBe(0)
    expect(dashboard.complaints).toEqual([])
  }
  await using dashboard = await openDashboard(app, admin)
  const { tab } = dashboard
  await dashboard.open(`/projects/${projectId}/tests?tab=quarantine`)
  const request = tab.getByRole('table', { name: 'Requests' }).getByRole('row', { name: 'pays' })
  await request.getByRole('link', { name: 'example.com 17' }).waitFor()
  const owned = request.getByRole('cell').filter({ hasText: 'example.com 17' })
  expect(await owned.innerText()).toBe('@shop/payments\nexample.com 17')
  await request.getByRole('button', { name: 'Grant pays' }).press('Enter')
  const grant = tab.getByRole('dialog', { name: 'Grant quarantine' })
  await grant.getByLabel('Days').fill('10')
  await grant.getByRole('button', { name: 'Grant' }).press('Enter')
  const active = tab.getByRole('table', { name: 'In quarantine' }).getByRole('row', { name: 'pays' })
  await active.getByText('in 10 days').waitFor()
  expect(await dashboard.violations()).toEqual([])

  const runId = await upload('3', 'timed out again')
  await dashboard.open(`/projects/${projectId}/runs/${runId}?tab=results`)
  const outcome = tab.getByRole('region', { name: 'Outcome' })
  expect(await outcome.innerText()).toMatch(/^Passed\s.*1 test failed but is muted\./s)
  await tab.getByRole('row', { name: 'pays' }).getByText('Failed, muted').waitFor()
  await tab.getByRole('link', { name: /pays/ }).press('Enter')
  await tab.getByText('The test was in quarantine, so this failure did not decide.').waitFor()
  await dashboard.open(`/projects/${projectId}/runs`)
  await tab.getByRole('table', { name: 'Runs' }).getByText('1 muted').waitFor()
  expect(await dashboard.violations()).toEqual([])

  await dashboard.open(path)
  await tab.getByRole('button', { name: 'Release pays' }).press('Enter')
  const release = tab.getByRole('dialog', { name: 'Release from quarantine' })
  await release.getByLabel('Why').fill('The clock is injected')
  await release.getByRole('button', { name: 'Release' }).press('Enter')
  await tab.getByRole('region', { name: 'Quarantine' }).getByText('The clock is injected').waitFor()
  await tab.getByRole('button', { name: 'Request quarantine' }).waitFor()
  expect(dashboard.complaints).toEqual([])
})

test('a member previews other rules before saving them, and only admins change the rest', slow, async () => {
  const owner = await createUser(app)
  const organization = await createOrganizationFor(app, { user: owner })
  const member = await createUser(app)
  await createMembershipFor(app, { organizationId: organization.id, user: member, role: 'member' })
  const { id: projectId } = await createProjectFor(app, { user: owner, organizationId: organization.id })
  const token = await createTokenFor(app, { user: owner })
  for (const digit of ['1', '2', '3', '4']) {
    const pays = digit === '1' ? { name: 'pays' } : { name: 'pays', failure: 'no such table' }
    await uploadRun(app, token, projectId, { commitSha: digit.repeat(40), cases: [{ name: 'adds' }, pays] })
  }
  await untilJudged(app, projectId)
  const client = app.client(token)
  const healthOfPays = async () =>
    (await client.tests.list.query({ projectId, search: 'pays' })).tests.map(({ health }) => health)
  expect(await healthOfPays()).toEqual(['broken'])

  await using dashboard = await openDashboard(app, member)
  const { tab } = dashboard
  await dashboard.open(`/projects/${projectId}/tests`)
  await tab.getByRole('link', { name: 'Rules' }).press('Enter')
  await tab.getByText('Changing quarantine and retention requires the role admin.').waitFor()
  expect(await tab.getByLabel('Days of results').isDisabled()).toBe(true)
  expect(await tab.getByRole('button', { name: 'Preview' }).isDisabled()).toBe(true)
  await tab.getByLabel('Failures in a row').fill('4')
  await tab.getByRole('button', { name: 'Preview' }).press('Enter')
  await tab.getByText('1 test would be judged differently').waitFor()
  const difference = tab.getByRole('table', { name: 'Tests that would be judged differently' })
  await difference.getByRole('row', { name: /pays.*Broken.*New/ }).waitFor()
  expect(await dashboard.violations()).toEqual([])
  await tab.getByLabel('Failures in a row').fill('5')
  await tab.getByText('The rules have changed since. Preview them again.').waitFor()
  expect(await client.tests.getPolicy.query({ projectId })).toMatchObject({ health: { brokenFailures: 3 } })

  await tab.getByRole('button', { name: 'Save' }).press('Enter')
  await tab.getByText('The rules were saved.').waitFor()
  expect(await client.tests.getPolicy.query({ projectId })).toMatchObject({ health: { brokenFailures: 5 } })
  await expect.poll(healthOfPays, { timeout: 20_000 }).toEqual(['new'])
  await tab.getByRole('button', { name: 'Use the defaults' }).press('Enter')
  expect(await tab.getByLabel('Failures in a row').inputValue()).toBe('3')
  await tab.getByRole('button', { name: 'Discard changes' }).press('Enter')
  expect(dashboard.complaints).toEqual([])

  await using ofOwner = await openDashboard(app, owner)
  await ofOwner.open(`/projects/${projectId}/settings?tab=health`)
  await ofOwner.tab.getByLabel('Granted by').selectOption('Owners')
  await ofOwner.tab.getByLabel('Days of results').fill('40')
  await ofOwner.tab.getByRole('button', { name: 'Save' }).press('Enter')
  await ofOwner.tab.getByText('The rules were saved.').waitFor()
  expect(await client.tests.getPolicy.query({ projectId })).toMatchObject({
    health: { brokenFailures: 5 },
    quarantine: { grantedBy: 'owner', days: 14 },
    retention: { resultDays: 40, dailyDays: 400 },
  })
})

test('the history of a renamed test is merged after a question', async () => {
  const { user, project, upload, tests } = await createHealthScene(app)
  for (const hoursAgo of [9, 8, 7]) await upload({ tests: { 'adds numbers': 'passed', other: 'passed' }, hoursAgo })
  for (const hoursAgo of [2, 1]) await upload({ tests: { 'adds two numbers': 'passed', other: 'passed' }, hoursAgo })
  const found = await tests()
  const pathOf = (name: string) => `/projects/${project.id}/tests/${found.find((each) => each.name === name)?.testId}`
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  await dashboard.open(pathOf('adds two numbers'))
  await tab.getByRole('group', { name: '2 results, 0 failed' }).waitFor()
  const names = tab.getByRole('region', { name: 'Earlier names' })
  await names.getByRole('button', { name: 'Merge the history of adds numbers' }).press('Enter')
  const dialog = tab.getByRole('dialog', { name: 'Merge histories' })
  expect(await dashboard.violations()).toEqual([])
  await dialog.getByRole('button', { name: 'Merge' }).press('Enter')
  await names.getByText('Includes the history under this name:').waitFor()
  await tab.getByRole('group', { name: '5 results, 0 failed' }).waitFor()
  await dashboard.open(pathOf('adds numbers'))
  await tab.getByRole('heading', { name: 'adds two numbers' }).waitFor()
  await expect.poll(() => tab.url()).toContain(pathOf('adds two numbers'))
  await dashboard.open(`/projects/${project.id}/tests`)
  expect(await tab.getByRole('table', { name: 'Tests' }).getByRole('row').count()).toBe(3)
  expect(dashboard.complaints).toEqual([])
})

test('a member repeats a test to confirm its fix, and sees what makes runs slow', async () => {
  const { user, project, upload, tests, judged } = await createHealthScene(app)
  await upload({ tests: { sends: failing('timed out'), pays: 'passed' }, hoursAgo: 3 })
  await judged()
  const [sends] = (await tests()).filter(({ name }) => name === 'sends')
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  await dashboard.open(`/projects/${project.id}/tests/${sends?.testId}`)
  await tab.getByRole('button', { name: 'Confirm a fix' }).press('Enter')
  const dialog = tab.getByRole('dialog', { name: 'Confirm a fix' })
  await dialog.getByLabel('Branch or commit').fill('no-such-branch')
  await dialog.getByLabel('Repetitions').selectOption('59')
  expect(await dashboard.violations()).toEqual([])
  await dialog.getByRole('button', { name: 'Confirm', exact: true }).press('Enter')
  const confirmations = tab.getByRole('region', { name: 'Confirmed fixes' })
  await confirmations.getByText('59 repetitions').waitFor()
  expect(await dashboard.violations()).toEqual([])

  await dashboard.open(`/projects/${project.id}/tests?tab=slowest`)
  await tab.getByRole('region', { name: 'Time of the latest run' }).getByText('Its tests, added up').waitFor()
  await tab.getByRole('table', { name: 'Slowest files' }).waitFor()
  expect(await dashboard.violations()).toEqual([])
  expect(dashboard.complaints).toEqual([])
})
