import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { sessionCookie } from '../../core/identity/sessions/cookie.ts'
import type { UserRow } from '../../core/identity/users/entity.ts'
import type { TestApp } from '../../core/testing/app.ts'
import { createSessionFor } from '../../core/testing/factories.ts'
import { openBrowser } from '../browser.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export interface OpenedDashboard extends AsyncDisposable {
  tab: Page
  /** Errors of the console, violations of the policy and exceptions; none are expected. */
  complaints: string[]
  /** Opens a path of the dashboard and waits until nothing is loading. */
  open(path: string): Promise<void>
  /** Returns the violations of accessibility rules in both themes: rule and element. */
  violations(): Promise<string[]>
}

/** Opens a browser in which the user is signed in. */
export async function openDashboard(app: TestApp, user: UserRow): Promise<OpenedDashboard> {
  const browser = await openBrowser()
  const { cookie } = await createSessionFor(app, user)
  const value = cookie.slice(sessionCookie.length + 1)
  await browser.addCookies([{ name: sessionCookie, value, url: app.config.baseUrl, httpOnly: true, sameSite: 'Lax' }])
  const tab = await browser.newPage()
  const complaints: string[] = []
  tab.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  tab.on('pageerror', (error) => complaints.push(error.message))
  return {
    tab,
    complaints,
    open: async (path) => {
      await tab.goto(app.config.baseUrl + path)
      await tab.locator('#page-title').waitFor()
      await expect.poll(() => tab.locator('.loading').count(), { timeout: 20_000 }).toBe(0)
    },
    violations: async () => [...(await inTheme(tab, 'light')), ...(await inTheme(tab, 'dark'))],
    [Symbol.asyncDispose]: () => browser[Symbol.asyncDispose](),
  }
}

async function inTheme(tab: Page, colorScheme: 'light' | 'dark'): Promise<string[]> {
  await tab.emulateMedia({ colorScheme })
  // Sent by the browser's protocol, so that the policy of the page does not refuse it.
  await tab.evaluate(`window.axe ? undefined : (() => { ${axe} })()`)
  const found = await tab.evaluate<string[]>(
    `axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`,
  )
  return found.map((violation) => `${colorScheme}: ${violation}`)
}
