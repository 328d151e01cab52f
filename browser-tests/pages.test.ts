import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeSignInLink } from '../core/identity/local-owner/local-link.ts'
import { createTestApp, type TestApp } from '../core/testing/app.ts'
import { createPasswordFor } from '../core/testing/factories.ts'
import { type OAuthHost, startOAuthHost } from '../core/testing/oauth-host.ts'
import { openBrowser } from './browser.ts'
import { startDashboard } from './foreign-dashboard.ts'

const password = 'quiet green horses'

let codeHost: OAuthHost
let app: TestApp
beforeAll(async () => {
  codeHost = await startOAuthHost()
  app = await createTestApp({ codeHost: codeHost.config, corsOrigins: [] })
  app.config.baseUrl = app.url.replace('127.0.0.1', 'localhost')
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await codeHost[Symbol.asyncDispose]()
})

test('a sign-in link that is opened under another host name signs in under the right one', async () => {
  await using browser = await openBrowser()
  const tab = await browser.newPage()
  await tab.goto(await makeSignInLink(app.dataSource.manager, app.url, new Date()))
  expect(tab.url()).toBe(`${app.config.baseUrl}/`)
  await tab.getByRole('button', { name: 'Your account' }).click()
  await tab.getByText('owner@localhost').waitFor()
  await tab.getByRole('button', { name: 'Sign out' }).click()
  expect(await tab.getByRole('status').innerText()).toBe('You are signed out.')
})

test('signing in works with the keyboard alone, and errors are announced', async () => {
  const { email } = await createPasswordFor(app, password)
  await using browser = await openBrowser()
  const tab = await browser.newPage()
  await tab.goto(`${app.config.baseUrl}/sign-in`)
  await tab.getByLabel('E-mail address').focus()
  await tab.keyboard.type(email)
  await tab.keyboard.press('Tab')
  await tab.keyboard.type('not the password')
  await tab.keyboard.press('Enter')
  expect(await tab.getByRole('alert').innerText()).toBe('The e-mail address or the password is wrong.')
  expect(await tab.getByLabel('E-mail address').inputValue()).toBe(email)
  await tab.getByLabel('Password').fill(password)
  await tab.keyboard.press('Enter')
  await tab.waitForURL(`${app.config.baseUrl}/`)
  await tab.getByRole('button', { name: 'Your account' }).click()
  await tab.getByText(email).waitFor()
})

test('the code host button signs in', async () => {
  await using browser = await openBrowser()
  const tab = await browser.newPage()
  await tab.goto(`${app.config.baseUrl}/sign-in`)
  await tab.getByRole('button', { name: 'Continue with 127.0.0.1' }).click()
  await tab.waitForURL(`${app.config.baseUrl}/`)
  await tab.getByRole('button', { name: 'Your account' }).click()
  await tab
    .getByText(/octocat/)
    .first()
    .waitFor()
})

test('a dashboard that redirects users here gets them back signed in', async () => {
  await using dashboard = await startDashboard()
  app.config.corsOrigins.push(dashboard.origin)
  const { email } = await createPasswordFor(app, password)
  await using browser = await openBrowser()
  const tab = await browser.newPage()
  await tab.goto(
    `${app.config.baseUrl}/sign-in?${new URLSearchParams({ callbackURL: `${dashboard.origin}/projects` }).toString()}`,
  )
  await tab.getByLabel('E-mail address').fill(email)
  await tab.getByLabel('Password').fill(password)
  await tab.getByRole('button', { name: 'Sign in' }).click()
  await tab.waitForURL(`${dashboard.origin}/projects`)
  expect((await browser.cookies(app.config.baseUrl)).map(({ name }) => name)).toContain('service.session_token')
})

test('pages fit a narrow screen and do not violate their own policy', async () => {
  await using browser = await openBrowser()
  const tab = await browser.newPage()
  const complaints: string[] = []
  tab.on('console', (message) => complaints.push(message.text()))
  await tab.setViewportSize({ width: 320, height: 640 })
  await tab.goto(await makeSignInLink(app.dataSource.manager, app.config.baseUrl, new Date()))
  for (const path of ['/', '/forgot-password', '/sign-up', '/sign-in']) {
    await tab.goto(`${app.config.baseUrl}${path}`)
    expect([path, Number(await tab.evaluate('document.documentElement.scrollWidth')) <= 320]).toEqual([path, true])
  }
  expect(complaints).toEqual([])
})
