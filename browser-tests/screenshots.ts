/**
 * `npm run screenshots`: writes pictures of the dashboard with example data to `docs/images/`. `--review <folder>` writes
 * every page at three widths in both themes to a folder instead; `--page <name>` restricts both to some pages.
 */
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Page } from 'playwright-core'
import { createApp } from '../core/app.ts'
import { createLog } from '../core/base/log.ts'
import { readConfig } from '../core/config.ts'
import { makeSignInLink } from '../core/identity/local-owner/local-link.ts'
import { buildDashboard } from '../local/dashboard/build.ts'
import { startPostgres } from '../local/postgres.ts'
import { openBrowser } from './browser.ts'
import { addressesOf, pageNames } from './data/addresses.ts'
import { fillWithData, sizes } from './data/fill.ts'
import { withPalette } from './palette-png.ts'

const { values } = parseArgs({
  options: { review: { type: 'string' }, page: { type: 'string', multiple: true } },
})
const maxBytes = 150_000
const inDark = new Set(['project', 'run', 'code'])

await using cleanUp = new AsyncDisposableStack()
await buildDashboard()
const directory = await mkdtemp(join(tmpdir(), 'assay-screenshots-'))
cleanUp.defer(() => rm(directory, { recursive: true, force: true }))
await chmod(directory, 0o755) // Postgres runs as another user if this process runs as root.
const postgres = cleanUp.use(
  await startPostgres({ directory: join(directory, 'postgres'), logFile: join(directory, 'postgres.log') }),
)
const { config, problems } = readConfig({
  DATABASE_URL: postgres.url,
  DATA_DIR: directory,
  PORT: '0',
  REPOSITORIES_ALLOW_LOCAL: 'true',
})
if (!config) throw new Error(problems.join('\n'))
const app = cleanUp.use(await createApp(config, { log: createLog('error') }))
const { port } = await app.listen()
const url = `http://localhost:${port}`
config.baseUrl = url
const filled = await fillWithData(
  { ...app, url },
  { ...sizes.small, projects: 3, runs: 200, results: 20_000, hostile: false },
)
const addresses = addressesOf(filled)

const browser = cleanUp.use(await openBrowser())
const tab = await browser.newPage()
await tab.goto(await makeSignInLink(app.dataSource.manager, url, new Date()))
await tab.waitForURL(`${url}/`)
const names = pageNames.filter((name) => values.page?.includes(name) ?? true)
await (values.review === undefined ? writeImages() : writeReview(resolve(values.review)))

/** The first address of each page, as the documentation shows it. */
async function writeImages(): Promise<void> {
  const folder = resolve(import.meta.dirname, '../docs/images')
  await mkdir(folder, { recursive: true })
  await tab.setViewportSize({ width: 1280, height: 800 })
  for (const name of names) {
    const [path] = addresses[name] ?? []
    if (path === undefined) continue
    for (const colorScheme of inDark.has(name) ? (['light', 'dark'] as const) : (['light'] as const)) {
      await open(tab, path, colorScheme)
      const file = join(folder, colorScheme === 'light' ? `${name}.png` : `${name}-dark.png`)
      const picture = withPalette(await tab.screenshot({ animations: 'disabled' }))
      await writeFile(file, picture)
      const size = picture.length
      const tooLarge = size > maxBytes ? ', which is too large' : ''
      process.stdout.write(`${file}: ${Math.round(size / 1_024)} KiB${tooLarge}\n`)
      if (size > maxBytes) process.exitCode = 1
    }
  }
}

/** Every page at three widths in both themes; further states of a page only in light, and not on wide screens. */
async function writeReview(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const name of names) {
    for (const [index, path] of (addresses[name] ?? []).entries()) {
      for (const width of index === 0 ? [360, 1280, 2560] : [360, 1280]) {
        await tab.setViewportSize({ width, height: 900 })
        await open(tab, path, 'light')
        for (const colorScheme of index === 0 ? (['light', 'dark'] as const) : (['light'] as const)) {
          await tab.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
          const file = join(folder, `${name}-${index}-${width}-${colorScheme}.png`)
          await tab.screenshot({ path: file, animations: 'disabled', fullPage: true })
        }
      }
    }
    process.stdout.write(`${name}\n`)
  }
}

async function open(page: Page, path: string, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  await page.goto(url + path)
  await page.locator('h1').first().waitFor()
  for (let left = 200; left > 0 && (await page.locator('.loading').count()) > 0; left--) await page.waitForTimeout(50)
  await page.waitForTimeout(200)
}
