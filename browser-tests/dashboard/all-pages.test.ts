import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Page, Response } from 'playwright-core'
import { createTestApp, type TestApp } from '../../core/testing/app.ts'
import { createUser } from '../../core/testing/factories.ts'
import { type Addresses, addressesOf, hostileAddresses, pageNames } from '../data/addresses.ts'
import { type Filled, fillWithData, sizes } from '../data/fill.ts'
import { type OpenedDashboard, openDashboard } from './open-dashboard.ts'
import { keyboardProblems } from './keyboard.ts'

const minutes = 60_000

let app: TestApp
let filled: Filled
let addresses: Addresses
let dashboard: OpenedDashboard
let problems: string[]
beforeAll(async () => {
  app = await createTestApp()
  app.config.baseUrl = app.url.replace('127.0.0.1', 'localhost')
  filled = await fillWithData(app, sizes.small)
  addresses = addressesOf(filled)
  dashboard = await openDashboard(app, filled.owner)
  problems = watch(dashboard.tab)
}, 5 * minutes)
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

test('each page has an address below', () => {
  expect(Object.keys(addresses).toSorted()).toEqual(pageNames)
})

test.each(pageNames)(
  '%s: is accessible, fits a phone, and works with the keyboard',
  { timeout: 10 * minutes },
  async (name) => {
    const { tab } = dashboard
    for (const path of addresses[name] ?? []) {
      await tab.setViewportSize({ width: 1280, height: 900 })
      await open(tab, path)
      const found = {
        problems: [...problems, ...dashboard.complaints],
        headings: await tab.locator('h1').count(),
        title: await tab.title(),
        violations: await dashboard.violations(),
        keyboard: await keyboardProblems(tab),
        overflow: await overflowAt(tab, 360),
      }
      problems.length = 0
      dashboard.complaints.length = 0
      expect.soft({ path, ...found }).toEqual({
        path,
        problems: [],
        headings: 1,
        title: expect.stringMatching(/^.+ – Assay$/s),
        violations: [],
        keyboard: [],
        overflow: [],
      })
    }
  },
)

/** Text of the page, or of an attribute, that contains marks which change the direction of what follows. */
const textWithMarks = `[document.title, document.body.innerText, ...[...document.querySelectorAll('[title], [aria-label]')]
  .flatMap((element) => [element.title, element.ariaLabel ?? ''])]
  .find((text) => /[\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]/.test(text)) ?? null`

test('hostile texts are shown as texts', { timeout: 5 * minutes }, async () => {
  const { tab } = dashboard
  await tab.setViewportSize({ width: 1280, height: 900 })
  for (const path of hostileAddresses(filled)) {
    await open(tab, path)
    const text = await tab.locator('main').innerText()
    expect.soft([path, await tab.evaluate('window.attacked')]).toEqual([path, undefined])
    expect.soft([path, await tab.evaluate(textWithMarks)]).toEqual([path, null])
    expect.soft([path, problems, dashboard.complaints]).toEqual([path, [], []])
    expect.soft([path, await overflowAt(tab, 360)]).toEqual([path, []])
    if (path.includes('/runs')) expect.soft(text).toContain('<script>')
    problems.length = 0
    dashboard.complaints.length = 0
    await tab.setViewportSize({ width: 1280, height: 900 })
  }
})

test('the pages of another tenant look like pages that do not exist', { timeout: 5 * minutes }, async () => {
  await using stranger = await openDashboard(app, await createUser(app))
  const { tab } = stranger
  const ofTenant = Object.values(addresses)
    .map(([path]) => path ?? '')
    .filter((path) => path.startsWith('/projects/') || path.startsWith('/organizations/'))
  const wrong = ofTenant.map((path) => path.replace(/[0-9A-Z]{26}/, '01ARZ3NDEKTSV4RRFFQ69G5FAV'))
  for (const path of new Set([...ofTenant, ...wrong])) {
    await open(tab, path)
    const text = await tab.locator('main').innerText()
    expect.soft([path, text]).toEqual([path, expect.stringContaining('does not exist')])
    expect.soft([path, await tab.locator('h1').count()]).toEqual([path, 1])
    expect.soft([path, await tab.title()]).toEqual([path, expect.stringMatching(/^.+ – Assay$/)])
    expect.soft([path, text.includes(filled.projects[0]?.name ?? '')]).toEqual([path, false])
  }
})

test('the page of a record that does not exist says so', { timeout: 5 * minutes }, async () => {
  const { tab } = dashboard
  const last = /[^/]+$/
  const records = ['run', 'test', 'generated-test', 'measurement', 'verification', 'change', 'gate', 'webhook']
  for (const name of records) {
    const wrong = name === 'test' ? '00000000-0000-4000-8000-000000000000' : '01ARZ3NDEKTSV4RRFFQ69G5FAV'
    const path = addresses[name]?.[0]?.replace(last, wrong) ?? ''
    await open(tab, path)
    const text = await tab.locator('main').innerText()
    expect.soft([path, text]).toEqual([path, expect.stringMatching(/does not exist|no results/i)])
    expect.soft([path, await tab.locator('h1').count()]).toEqual([path, 1])
    expect.soft([path, await tab.title()]).toEqual([path, expect.stringMatching(/^.+ – Assay$/)])
  }
  problems.length = 0
  dashboard.complaints.length = 0
})

test('a viewer who clicks every button reads why the server refuses', { timeout: 10 * minutes }, async () => {
  await using viewer = await openDashboard(app, filled.viewer)
  const { tab } = viewer
  const refusals: Promise<string[]>[] = []
  tab.on('response', (response) => void refusals.push(refusalsIn(response)))
  const shown = Object.values(addresses).map(([path]) => path ?? '')
  for (const path of shown.filter((one) => one.startsWith('/projects/') || one.startsWith('/organizations/'))) {
    await open(tab, path)
    const count = await tab.locator('main button:visible').count()
    for (let index = 0; index < Math.min(count, 30); index++) {
      refusals.length = 0
      const button = tab.locator('main button:visible').nth(index)
      if (!(await button.isEnabled({ timeout: 500 }).catch(() => false))) continue
      const name = await button.innerText()
      await button.click({ timeout: 2_000 }).catch(() => {})
      await tab.waitForTimeout(150)
      for (const message of (await Promise.all(refusals)).flat()) {
        const isShown = await tab.getByText(message).first().isVisible()
        expect.soft({ path, button: name, message, isShown }).toMatchObject({ isShown: true })
      }
      await tab.keyboard.press('Escape')
      if (new URL(tab.url()).pathname + new URL(tab.url()).search !== path) await open(tab, path)
    }
  }
})

async function open(tab: Page, path: string): Promise<void> {
  await tab.goto(app.config.baseUrl + path)
  await tab.locator('h1').first().waitFor()
  await expect.poll(() => tab.locator('.loading').count(), { timeout: 20_000 }).toBe(0)
}

/** Collects failed requests, and answers that say that something went wrong. */
function watch(tab: Page): string[] {
  const found: string[] = []
  tab.on('requestfailed', (request) => {
    const why = request.failure()?.errorText ?? ''
    // The browser ends requests of pages that it leaves.
    if (why !== 'net::ERR_ABORTED') found.push(`${request.url()}: ${why}`)
  })
  tab.on('response', (response) => {
    if (response.status() >= 400) found.push(`${response.url()}: ${response.status()}`)
  })
  return found
}

/** The messages of refused calls. A batch has several answers. */
async function refusalsIn(response: Response): Promise<string[]> {
  if (!response.url().includes('/trpc/') || response.status() < 400) return []
  const body: unknown = await response.json().catch(() => [])
  const answers = (Array.isArray(body) ? body : [body]) as {
    error?: { message: string; data: { httpStatus: number } }
  }[]
  return answers.flatMap(({ error }) => (error?.data.httpStatus === 403 ? [error.message] : []))
}

/** Elements that make the page wider than the window. */
async function overflowAt(tab: Page, width: number): Promise<string[]> {
  await tab.setViewportSize({ width, height: 800 })
  // Plots and virtual lists take their new width a moment later.
  for (let left = 20; left > 0 && (await wideElements(tab)).length > 0; left--) await tab.waitForTimeout(100)
  return wideElements(tab)
}

function wideElements(tab: Page): Promise<string[]> {
  return tab.evaluate<string[]>(`(() => {
    const width = document.documentElement.clientWidth
    if (document.documentElement.scrollWidth <= width) return []
    const isCut = (element) => element !== null && (getComputedStyle(element).overflowX !== 'visible' || isCut(element.parentElement))
    const wide = [...document.querySelectorAll('main *')].filter((element) =>
      element.getBoundingClientRect().right > width + 1 && !isCut(element.parentElement))
    return [document.documentElement.scrollWidth + ' px', ...wide.slice(-3).map((element) => element.outerHTML.slice(0, 160))]
  })()`)
}
