import { afterAll, beforeAll, expect, test } from 'vitest'
import { VerificationEntity } from '../../core/verifications/entity.ts'
import { createTestApp, type TestApp } from '../../core/testing/app.ts'
import {
  createMembershipFor,
  createOrganizationFor,
  createProjectFor,
  createUser,
} from '../../core/testing/factories.ts'
import { createChange, createMeasurement, createVerification, ended, noGain, unproved, weak } from './judged-records.ts'
import { openDashboard } from './open-dashboard.ts'

let app: TestApp
beforeAll(async () => {
  app = await createTestApp({ role: 'web' })
  app.config.baseUrl = app.url.replace('127.0.0.1', 'localhost')
})
afterAll(() => app[Symbol.asyncDispose]())

async function setUp() {
  const user = await createUser(app)
  const { id: projectId } = await createProjectFor(app, { user })
  return { user, projectId, owner: { projectId, userId: user.id } }
}

test('verifications are found by their verdict, and one says its reason, runs, survivors and code', async () => {
  const { user, projectId, owner } = await setUp()
  const code = "test('<script>alert(1)</script>', () => {})\n"
  await createVerification(app, owner, { ...ended, verdict: 'no_gain', evidence: noGain, code })
  await createVerification(app, owner, { ...ended, verdict: 'accepted', evidence: noGain, filePath: 'test/b.test.js' })
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  await dashboard.open(`/projects/${projectId}/verifications`)
  const list = tab.getByRole('region', { name: 'Verifications' })
  expect(await list.getByRole('row').count()).toBe(3)
  await tab.getByLabel('Verdict').selectOption('no_gain')
  await list.getByRole('link', { name: 'test/b.test.js' }).waitFor({ state: 'detached' })
  expect(tab.url()).toContain('verdict=no_gain')
  await list.getByRole('link', { name: 'test/cart.test.js' }).press('Enter')

  await tab.getByRole('heading', { name: 'test/cart.test.js', level: 1 }).waitFor()
  expect(await tab.locator('.answer').innerText()).toMatch(
    /^No gain\s+The test does not detect total >= 10 in place of/,
  )
  const runs = tab.getByRole('region', { name: 'Runs' })
  expect(await runs.innerText()).toMatch(/Alone\s+Passed\s+120 ms\s+1 of 1 passed/)
  expect(await runs.innerText()).toContain('removes a line')
  const survivor = tab.locator('.mutation')
  expect(await survivor.innerText()).toMatch(/src\/price.js:4\s+boundary\s+Before\s+total > 10\s+After\s+total >= 10/)
  expect(await survivor.getByRole('link').getAttribute('href')).toContain('path=src%2Fprice.js')
  expect(await tab.getByRole('region', { name: 'Code of the test' }).innerText()).toContain('<script>alert(1)</script>')
  expect(await tab.getByRole('region', { name: 'Output', exact: true }).innerText()).toBe(
    '␛[31mnot a color␛[0m <U+202E>reversed',
  )
  expect(await tab.locator('main img, main script').count()).toBe(0)
  expect(await dashboard.violations()).toEqual([])
  expect(dashboard.complaints).toEqual([])
})

test('a running verification shows its phases and its provisional verdict, then the final one by itself', async () => {
  const { user, projectId, owner } = await setUp()
  const id = await createVerification(app, owner, {
    status: 'running',
    startedAt: new Date(),
    progress: { phase: 'mutating', done: 3, total: 20 },
  })
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  await dashboard.open(`/projects/${projectId}/verifications/${id}`)
  await tab.getByText('3 of 20').waitFor()
  expect(await tab.locator('[aria-current=step]').innerText()).toBe('Try small changes')
  const rows = app.dataSource.getRepository(VerificationEntity)
  const evidence = { ...noGain, notRun: ['repeats' as const] }
  await rows.update({ id }, { verdict: 'no_gain', evidence, progress: { phase: 'repeating', done: 1, total: 5 } })
  await tab.getByText('Provisional').waitFor()
  expect(await tab.locator('.answer').innerText()).toContain('The verdict can still change. Not done yet: the repeats')
  expect(await dashboard.violations()).toEqual([])
  await rows.update({ id }, { ...ended, verdict: 'accepted', evidence: noGain, progress: null })
  await tab.getByText('Provisional').waitFor({ state: 'detached' })
  expect(await tab.locator('.answer').innerText()).toMatch(/^Accepted/)

  await tab.getByRole('button', { name: 'Verify again' }).press('Enter')
  await tab.getByText('Waiting for a free worker').waitFor()
  await tab.getByRole('button', { name: 'Cancel' }).press('Enter')
  await tab.getByText('The verification was cancelled.').waitFor()
  await tab.locator('.answer').getByText('Cancelled').waitFor()
  expect(dashboard.complaints).toEqual([])
})

test('a change says what is missing, what its tests do without it, and which lines no test runs', async () => {
  const { user, projectId, owner } = await setUp()
  await createChange(app, owner, { ...ended, verdict: 'unproved', evidence: unproved })
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  await dashboard.open(`/projects/${projectId}/changes`)
  expect(await dashboard.violations()).toEqual([])
  await tab.getByRole('link', { name: 'better-prices' }).press('Enter')
  await tab.getByRole('heading', { name: 'better-prices', level: 1 }).waitFor()
  expect(await tab.locator('.missing li').allInnerTexts()).toEqual(unproved.missing)
  const row = tab.getByRole('row').filter({ hasText: 'gives members more' })
  expect(await row.innerText()).toMatch(/New, passes.*Passes: proves nothing/s)
  const lines = tab.getByRole('region', { name: 'Changed lines' })
  expect(await lines.innerText()).toMatch(/33\.3 %.*src\/price.js:5 \(1\/2\).*src\/price.js:7–8.*if \(isMember\)/s)
  expect(await dashboard.violations()).toEqual([])
  expect(dashboard.complaints).toEqual([])
})

test('a measurement lists the changes that no test notices, by file, and makes them a task for an agent', async () => {
  const { user, projectId, owner } = await setUp()
  await createMeasurement(app, owner, { ...ended, verdict: 'partial', evidence: weak })
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  await tab.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: app.config.baseUrl })
  await dashboard.open(`/projects/${projectId}/strength`)
  expect(await dashboard.violations()).toEqual([])
  await tab.getByRole('link', { name: '2 changes that no test notices' }).press('Enter')
  const survivors = tab.getByRole('region', { name: 'Changes that no test notices' })
  await survivors.getByRole('listitem').nth(1).waitFor()
  expect(await tab.locator('.answer').innerText()).toMatch(/Partial.*50\.0 %.*30\.0 to 70\.0 %/s)
  await survivors.getByLabel('Folder or file').selectOption('src')
  expect(await survivors.getByRole('listitem').count()).toBe(1)
  expect(tab.url()).toContain('path=src')
  await survivors.getByRole('button', { name: 'Copy 1 as a task for an agent' }).press('Enter')
  await survivors.getByText('Copied').waitFor()
  expect(await tab.evaluate('navigator.clipboard.readText()')).toMatch(
    /^No test notices this small change.*1\. src\/price.js:4 \(price\): `total > 10` -> `total >= 10`\. Assert what.*assay weak src\/price.js/s,
  )
  expect(await tab.getByRole('region', { name: 'Code that no test runs' }).innerText()).toContain('12')
  expect(await dashboard.violations()).toEqual([])
  expect(dashboard.complaints).toEqual([])
})

test('a measurement is started in a dialog, and a viewer is refused with the reason', async () => {
  const { user, projectId } = await setUp()
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  await dashboard.open(`/projects/${projectId}/strength`)
  await tab.getByText('The tests were not measured yet').waitFor()
  await tab.getByRole('button', { name: 'Measure' }).press('Enter')
  await tab.getByLabel('Files, folders or globs').fill('src/price.js\n')
  expect(await dashboard.violations()).toEqual([])
  await tab.getByRole('button', { name: 'Start' }).press('Enter')
  await tab.getByText('Waiting for a free worker').waitFor()
  expect(await tab.locator('.lead').innerText()).toBe('src/price.js')

  const viewer = await createUser(app)
  const organization = await createOrganizationFor(app, { user })
  await createMembershipFor(app, { organizationId: organization.id, user: viewer, role: 'viewer' })
  const shared = await createProjectFor(app, { user, organizationId: organization.id })
  await using other = await openDashboard(app, viewer)
  await other.open(`/projects/${shared.id}/strength?measure=true`)
  await other.tab.getByRole('button', { name: 'Start' }).press('Enter')
  await other.tab.locator('.notice.problem').waitFor()
  expect(await other.tab.locator('.notice.problem').innerText()).toMatch(/member/)
})

test("records of another tenant's project are not found", async () => {
  const { projectId, owner } = await setUp()
  const id = await createVerification(app, owner, { ...ended, verdict: 'accepted', evidence: noGain })
  await using dashboard = await openDashboard(app, await createUser(app))
  await dashboard.tab.goto(`${app.config.baseUrl}/projects/${projectId}/verifications/${id}`)
  await dashboard.tab.getByText('This page does not exist, or you have no access to it.').first().waitFor()
  expect(await dashboard.tab.locator('main').innerText()).not.toContain('cart.test.js')
})

test('a record opened below another project of the user leads to its own project', async () => {
  const { user, projectId, owner } = await setUp()
  const id = await createVerification(app, owner, { ...ended, verdict: 'accepted', evidence: noGain })
  const other = await createProjectFor(app, { user, name: 'Other' })
  await using dashboard = await openDashboard(app, user)
  await dashboard.open(`/projects/${other.id}/verifications/${id}`)
  await dashboard.tab.waitForURL(`${app.config.baseUrl}/projects/${projectId}/verifications/${id}`)
})
