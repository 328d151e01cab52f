/**
 * Measures the dashboard in Chromium, with example data of three projects: what the first load transfers, how soon the
 * projects are shown, how smoothly a run with 100,000 results scrolls, and how long the build takes.
 */
import { request } from 'node:http'
import type { BrowserContext, Page } from 'playwright-core'
import { createApp } from '../core/app.ts'
import { createLog } from '../core/base/log.ts'
import { readConfig } from '../core/config.ts'
import { makeSignInLink } from '../core/identity/local-owner/local-link.ts'
import { openBrowser } from '../browser-tests/browser.ts'
import { fillWithData, sizes } from '../browser-tests/data/fill.ts'
import { buildDashboard } from '../local/dashboard/build.ts'
import { timesOfAnswers } from './dashboard/answers.ts'
import { timeOfBuild } from './dashboard/build-time.ts'
import { framesOf, type Frames } from './dashboard/frames.ts'
import { median, printTable } from './report.ts'
import { openScratch } from './scratch.ts'

const rounds = Number(process.env['ROUNDS'] ?? 5)
const largeRun = Number(process.env['RESULTS'] ?? 100_000)

await using cleanUp = new AsyncDisposableStack()
await buildDashboard()
const { directory, postgres } = await openScratch(cleanUp)
const { config, problems } = readConfig({
  DATABASE_URL: postgres.url,
  DATA_DIR: directory,
  PORT: '0',
  REPOSITORIES_ALLOW_LOCAL: 'true',
  RATE_LIMIT: 'off',
})
if (!config) throw new Error(problems.join('\n'))
const app = cleanUp.use(await createApp(config, { log: createLog('error') }))
const { port } = await app.listen()
const url = `http://localhost:${port}`
config.baseUrl = url
const filled = await fillWithData({ ...app, url }, { ...sizes.full, runs: 60, results: 10_000, largeRun, logLines: 0 })
const [project] = filled.projects
if (!project) throw new Error('There is no project.')

/** The first row of the table of projects. */
const firstContent = 'main tbody tr'
const goals: (string | number)[][] = []
const judge = (what: string, figure: number, goal: number, unit: string) =>
  goals.push([what, `${figure} ${unit}`, `${goal} ${unit}`, figure <= goal ? 'met' : 'missed'])

await measureSize()
await measureFirstContent()
await measureAnswers()
await measureScrolling()
judge('`vite build`', round(await timeOfBuild(), 1), 10, 's')
printTable(['figure', 'measured', 'goal', ''], goals)

async function signIn(context: BrowserContext): Promise<Page> {
  const tab = context.pages()[0] ?? (await context.newPage())
  await tab.goto(await makeSignInLink(app.dataSource.manager, url, new Date()))
  await tab.waitForURL(`${url}/`)
  await tab.locator(firstContent).first().waitFor()
  return tab
}

/** The bytes of everything that the first load of the list of projects needs, except the data. */
async function measureSize(): Promise<void> {
  await using browser = await openBrowser()
  const tab = await signIn(browser)
  await tab.reload()
  await tab.locator(firstContent).first().waitFor()
  const loaded = await tab.evaluate<string[]>(
    `performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => !name.includes('/trpc/'))`,
  )
  const rows: (string | number)[][] = []
  let [gzip, brotli] = [0, 0]
  const cookies = (await browser.cookies(url)).map(({ name, value }) => `${name}=${value}`).join('; ')
  for (const address of [`${url}/`, ...new Set(loaded)]) {
    const sizesOfOne = [await transferred(address, 'gzip', cookies), await transferred(address, 'br', cookies)] as const
    gzip += sizesOfOne[0]
    brotli += sizesOfOne[1]
    rows.push([new URL(address).pathname, kilobytes(sizesOfOne[0]), kilobytes(sizesOfOne[1])])
  }
  printTable(['file of the first load', 'gzip KB', 'brotli KB'], [...rows, ['all', kilobytes(gzip), kilobytes(brotli)]])
  console.log('')
  judge('first load, gzip', kilobytes(gzip), 130, 'KB')
}

function transferred(address: string, encoding: string, cookie: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(address, { headers: { 'accept-encoding': encoding, cookie } }, (response) => {
      let bytes = 0
      response.on('data', (chunk: Buffer) => (bytes += chunk.length))
      response.on('end', () => resolve(bytes))
    })
    sent.on('error', reject).end()
  })
}

/**
 * When the first row of the table of projects is in the document, in milliseconds since the start of the navigation.
 * The peer is a page of this server that has no script: what the browser needs to show anything.
 */
async function measureFirstContent(): Promise<void> {
  const found = { empty: [] as number[], warm: [] as number[], peer: [] as number[] }
  for (let number = 0; number < rounds; number++) {
    await using browser = await openBrowser()
    const tab = await signIn(browser)
    // The policy of the page forbids the way in which `waitForFunction` looks.
    await tab.addInitScript(noteFirst(firstContent))
    const devTools = await browser.newCDPSession(tab)
    await devTools.send('Network.clearBrowserCache')
    found.empty.push(await timeToContent(tab, '/', firstContent))
    for (let visit = 0; visit < 3; visit++) {
      await timeToContent(tab, '/', firstContent)
      // The browser keeps the compiled code only of pages that stay for a moment.
      await tab.waitForTimeout(1_000)
    }
    found.warm.push(await timeToContent(tab, '/', firstContent))
    await browser.clearCookies()
    await tab.addInitScript(noteFirst('h1'))
    found.peer.push(await timeToContent(tab, '/sign-in', 'h1'))
  }
  judge('first useful content, empty cache', Math.round(median(found.empty)), 1_000, 'ms')
  judge('first useful content, warm cache', Math.round(median(found.warm)), 200, 'ms')
  console.log(`A page without scripts is shown after ${Math.round(median(found.peer))} ms.\n`)
}

/** A script that writes down when the first element of `selector` is in the document. */
function noteFirst(selector: string): string {
  return `new MutationObserver((_, observer) => {
    if (!document.querySelector('${selector}')) return
    observer.disconnect()
    window.shownAt = performance.now()
  }).observe(document, { subtree: true, childList: true })`
}

async function timeToContent(tab: Page, path: string, selector: string): Promise<number> {
  await tab.goto('about:blank')
  await tab.goto(url + path, { waitUntil: 'commit' })
  await tab.locator(selector).first().waitFor()
  return tab.evaluate<number>('window.shownAt')
}

/** Scrolls the results of the large run, and an empty page of the same height, alternately. */
async function measureScrolling(): Promise<void> {
  await using browser = await openBrowser()
  const tab = await signIn(browser)
  await tab.setViewportSize({ width: 1280, height: 900 })
  const found = new Map<string, Frames[]>([
    [`${largeRun} results`, []],
    ['an empty page', []],
  ])
  for (let number = 0; number < rounds; number++) {
    await tab.goto(`${url}/projects/${project?.id}/runs/${project?.runIds.large}?tab=results`)
    await tab.locator('.virtual-row').nth(5).waitFor()
    await tab.waitForTimeout(500)
    found.get(`${largeRun} results`)?.push(await framesOf(tab, '.virtual-frame'))
    await tab.goto('about:blank')
    await tab.setContent(
      `<div id="frame" style="height:600px;overflow:auto"><div style="height:${largeRun * 34}px"></div></div>`,
    )
    found.get('an empty page')?.push(await framesOf(tab, '#frame'))
  }
  const middle = (frames: readonly Frames[], name: keyof Frames) => median(frames.map((one) => one[name]))
  printTable(
    ['scrolling', 'frames/s', 'p50 ms', 'p95 ms', '% over 16.7 ms', '% over 33 ms'],
    [...found].map(([name, frames]) => [
      name,
      round(middle(frames, 'perSecond'), 1),
      round(middle(frames, 'p50'), 1),
      round(middle(frames, 'p95'), 1),
      round(middle(frames, 'over17'), 1),
      round(middle(frames, 'over33'), 1),
    ]),
  )
  console.log('')
  const [ours = [], peer = []] = [...found.values()]
  const share = middle(ours, 'perSecond') / middle(peer, 'perSecond')
  goals.push([
    'frames while scrolling, of those of an empty page',
    `${round(share * 100, 0)} % (${round(middle(ours, 'perSecond'), 1)}/s)`,
    '60/s on an idle machine',
    share >= 0.95 ? 'met' : 'missed',
  ])
}

/** The answers that the pages of a project wait for. */
async function measureAnswers(): Promise<void> {
  await using browser = await openBrowser()
  await signIn(browser)
  const cookie = (await browser.cookies(url)).map(({ name, value }) => `${name}=${value}`).join('; ')
  if (!project) return
  printTable(['answer', 'p50 ms', 'max ms'], await timesOfAnswers(url, cookie, project))
  console.log('')
}

function kilobytes(bytes: number): number {
  return round(bytes / 1_000, 1)
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
