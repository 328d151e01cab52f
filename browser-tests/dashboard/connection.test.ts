import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import type { UserRow } from '../../core/identity/users/entity.ts'
import type { ProjectRow } from '../../core/projects/entity.ts'
import { createTestApp, type TestApp } from '../../core/testing/app.ts'
import {
  createPasswordFor,
  createProjectFor,
  createRunFor,
  createSessionFor,
  createUser,
} from '../../core/testing/factories.ts'
import { sessionCookie } from '../../core/identity/sessions/cookie.ts'
import { createApp } from '../../core/app.ts'
import { openDashboard } from './open-dashboard.ts'

const password = 'quiet green horses'

let app: TestApp
let user: UserRow
let project: ProjectRow
beforeAll(async () => {
  app = await createTestApp({ role: 'web' })
  app.config.baseUrl = app.url.replace('127.0.0.1', 'localhost')
  user = await createPasswordFor(app, password, await createUser(app))
  project = await createProjectFor(app, { user, name: 'Shop' })
  for (const branch of ['main', 'feature/cart']) {
    await createRunFor(app, { projectId: project.id, branch, status: 'COMPLETED', totalTests: 2, passedTests: 2 })
  }
})
afterAll(() => app[Symbol.asyncDispose]())

/** Follows a link of the navigation. */
const go = (tab: Page, name: string) => tab.getByRole('link', { name, exact: true }).click()

test('a page keeps what it shows while the browser is offline, and continues afterwards', async () => {
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  await dashboard.open(`/projects/${project.id}/runs`)
  await tab.getByRole('cell', { name: 'feature/cart' }).first().waitFor()
  await tab.context().setOffline(true)
  await tab.getByText('You are offline.').waitFor()
  await tab.getByRole('cell', { name: 'feature/cart' }).first().waitFor()
  await tab.context().setOffline(false)
  await tab.getByText('You are offline.').waitFor({ state: 'detached' })
  await go(tab, 'Verifications')
  await tab.getByRole('heading', { level: 1, name: 'Verifications' }).waitFor()
})

test('a slow connection shows the frame, and the data when they arrive', async () => {
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  const devTools = await tab.context().newCDPSession(tab)
  await devTools.send('Network.enable')
  const kilobytes = 1_024
  await devTools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 400,
    downloadThroughput: 50 * kilobytes,
    uploadThroughput: 50 * kilobytes,
  })
  await tab.goto(`${app.config.baseUrl}/projects/${project.id}/runs`, { waitUntil: 'commit' })
  await tab.getByRole('link', { name: 'Assay', exact: true }).waitFor()
  await tab.getByRole('cell', { name: 'feature/cart' }).first().waitFor()
  expect(dashboard.complaints).toEqual([])
})

test('when the session ends, the page stays, and signing in again leads back to it', async () => {
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  const path = `/projects/${project.id}/runs?branch=main`
  await dashboard.open(path)
  await app.dataSource.query('DELETE FROM sessions WHERE user_id = $1', [user.id])
  await go(tab, 'Changes')
  await tab.getByText('Your session has ended.').waitFor()
  await tab.goBack()
  await tab.getByRole('cell', { name: 'main' }).first().waitFor()
  await tab.getByRole('link', { name: 'Sign in again' }).click()
  await tab.getByLabel('E-mail address').fill(user.email)
  await tab.getByLabel('Password').fill(password)
  await tab.getByRole('button', { name: 'Sign in' }).click()
  await tab.waitForURL(app.config.baseUrl + path)
  await tab.getByRole('cell', { name: 'main' }).first().waitFor()
})

test('a page never acts as a user who has signed in later in another tab', async () => {
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  await dashboard.open('/settings')
  const other = await createUser(app, { name: 'Other' })
  const { cookie } = await createSessionFor(app, other)
  const value = cookie.slice(sessionCookie.length + 1)
  const url = app.config.baseUrl
  await tab.context().addCookies([{ name: sessionCookie, value, url, httpOnly: true, sameSite: 'Lax' }])
  await tab.getByLabel('Name', { exact: true }).fill('Renamed')
  await tab.getByRole('button', { name: 'Save name' }).click()
  await tab.getByText('Someone else has signed in in this browser, so').waitFor()
  const named = await app.dataSource.query<unknown[]>("SELECT id FROM users WHERE name = 'Renamed'")
  expect(named).toEqual([])
  await tab.getByRole('link', { name: 'Reload it' }).click()
  await expect.poll(() => tab.getByLabel('Name', { exact: true }).inputValue()).toBe('Other')
})

test('two clicks at once act once', async () => {
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  await dashboard.open('/settings')
  await tab.getByLabel('Name', { exact: true }).fill('Clicked twice')
  const sent: string[] = []
  tab.on('request', (request) => void (request.url().includes('/trpc/') && sent.push(request.url())))
  await tab.getByRole('button', { name: 'Save name' }).evaluate((button: { click(): void }) => {
    button.click()
    button.click()
  })
  await tab.getByText('saved', { exact: false }).first().waitFor()
  expect(sent.filter((url) => url.includes('auth.update'))).toEqual([
    expect.not.stringMatching(/auth\.update.*auth\.update/),
  ])
})

test('signing out in one tab asks to sign in again in the other', async () => {
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  await dashboard.open('/')
  const second = await tab.context().newPage()
  await second.goto(app.config.baseUrl)
  await second.getByRole('button', { name: 'Your account' }).click()
  await second.getByRole('button', { name: 'Sign out' }).click()
  await second.getByText('You are signed out.').waitFor()
  await tab.bringToFront()
  // What was loaded in the last five seconds counts as fresh.
  await tab.waitForTimeout(5_100)
  await go(tab, 'Organizations')
  await tab.getByText('Your session has ended.').waitFor()
})

test('a page survives a restart of the server', async () => {
  const { port } = new URL(app.url)
  const config = { ...app.config, port: Number(port), role: 'web' as const }
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  await dashboard.open(`/projects/${project.id}/runs`)
  await tab.getByRole('cell', { name: 'feature/cart' }).first().waitFor()
  app.server.closeAllConnections()
  await new Promise((closed) => app.server.close(closed))
  // The code of this page was not loaded before.
  await go(tab, 'Changes')
  await tab.waitForTimeout(1_000)
  await tab.getByRole('cell', { name: 'feature/cart' }).first().waitFor()
  await using restarted = await createApp(config, { log: app.services.log })
  await restarted.listen()
  await tab.getByRole('heading', { level: 1, name: 'Changes' }).waitFor()
  await tab.getByText('No change was verified yet').waitFor()
  await go(tab, 'Runs')
  await tab.getByRole('cell', { name: 'feature/cart' }).first().waitFor()
})
