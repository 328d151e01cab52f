import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium } from 'playwright-core'

const places = [
  process.env['CHROME_PATH'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** Opens a headless browser with an empty profile. */
export async function openBrowser(): Promise<BrowserContext & AsyncDisposable> {
  const executablePath = places.find((place) => place !== undefined && existsSync(place))
  if (!executablePath) {
    throw new Error('No Chromium was found. Install it (Debian: apt install chromium), or set CHROME_PATH.')
  }
  const profile = await mkdtemp(join(tmpdir(), 'assay-browser-'))
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    headless: true,
    args: [
      // Chromium's sandbox does not work as root, and CI runs as root.
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
  return Object.assign(context, {
    async [Symbol.asyncDispose]() {
      await context.close()
      await rm(profile, { recursive: true, force: true })
    },
  })
}
