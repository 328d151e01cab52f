import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFileFor } from '../core/files/testing/create-file.ts'
import { createTestApp, type TestApp } from '../core/testing/app.ts'
import { createProjectFor, createSessionFor, createTokenFor, createUser } from '../core/testing/factories.ts'
import { sessionCookie } from '../core/identity/sessions/cookie.ts'
import { openBrowser } from './browser.ts'

/** A hostile report whose script tries attacks and records their results. */
const hostile = `<!doctype html><title>Report</title><link rel="stylesheet" href="data/style.css"><p id="styled">.</p>
<img id="shot" src="data/shot.svg"><script src="data/part.js"></script><script type="module" src="data/module.js"></script>
<script>
const attempt = async (work) => { try { return String(await work()) } catch (error) { return 'refused: ' + error.name } }
const go = async () => {
  const elsewhere = location.href.split('/view/')[0]
  const call = (path, init) => attempt(async () => (await (await fetch(elsewhere + path, init)).text()))
  const outcome = {
    origin: self.origin,
    cookie: await attempt(() => document.cookie),
    setCookie: await attempt(() => (document.cookie = 'a=b')),
    storage: await attempt(() => localStorage.length),
    session: await call('/api/auth/get-session', { credentials: 'include' }),
    blind: await call('/api/auth/get-session', { credentials: 'include', mode: 'no-cors' }),
    rpc: await call('/trpc/auth.getProfile', { method: 'POST', credentials: 'include', headers: { 'content-type': 'application/json' }, body: '{}' }),
    file: await call(new URLSearchParams(location.hash.slice(1)).get('file'), { credentials: 'include' }),
    opener: await attempt(() => opener && opener.document.title),
    top: await attempt(() => top === self),
    popup: await attempt(() => window.open('/') && 'opened'),
    worker: await attempt(() => navigator.serviceWorker.register('data/part.js')),
    outside: await attempt(() => fetch(new URLSearchParams(location.hash.slice(1)).get('spy'), { mode: 'no-cors' })),
    own: await attempt(async () => (await (await fetch('data/part.json')).json()).part),
    script: self.partRan,
    module: await new Promise((resolve) => setTimeout(() => resolve(self.moduleRan), 300)),
    style: getComputedStyle(document.getElementById('styled')).color,
    image: document.getElementById('shot').naturalWidth,
  }
  const form = Object.assign(document.createElement('form'), { method: 'post', action: elsewhere + '/sign-out' })
  document.body.append(form)
  form.submit()
  document.title = JSON.stringify(outcome)
}
addEventListener('load', go)
</script>`

const parts = {
  'report/index.html': hostile,
  'report/data/style.css': '#styled { color: rgb(1, 2, 3) }',
  'report/data/shot.svg':
    '<svg xmlns="http://www.w3.org/2000/svg" width="7" height="7"><script>parent.svgRan = 1</script></svg>',
  'report/data/part.js': 'self.partRan = "yes"',
  'report/data/module.js': 'self.moduleRan = "yes"; export {}',
  'report/data/part.json': '{"part":"of the report"}',
  'alone.svg':
    '<svg xmlns="http://www.w3.org/2000/svg"><script>document.documentElement.setAttribute("ran", self.origin + document.cookie)</script></svg>',
}

let app: TestApp
let projectId: string
let cookie: string
let token: string
beforeAll(async () => {
  app = await createTestApp()
  app.config.baseUrl = app.url.replace('127.0.0.1', 'localhost')
  const user = await createUser(app)
  projectId = (await createProjectFor(app, { user })).id
  cookie = (await createSessionFor(app, user)).cookie
  token = await createTokenFor(app, { user })
  for (const [name, content] of Object.entries(parts)) {
    await createFileFor(app, { projectId, name, content, contentType: 'text/html' })
  }
})
afterAll(() => app[Symbol.asyncDispose]())

const link = async (name: string) =>
  (await app.client(token).files.createViewLink.mutate({ projectId, runId: 'run-1', name })).url

/** Opens a browser with a signed-in user. */
async function signedIn() {
  const browser = await openBrowser()
  const value = cookie.slice(sessionCookie.length + 1)
  await browser.addCookies([{ name: sessionCookie, value, url: app.config.baseUrl, httpOnly: true, sameSite: 'Lax' }])
  return browser
}

test('scripts of a report run, but cannot access the session, the API or the opener', async () => {
  const spied: string[] = []
  const spy = createServer((req, res) => {
    spied.push(String(req.url))
    res.end()
  })
  await new Promise<void>((listening) => void spy.listen(0, '127.0.0.1', listening))
  await using browser = await signedIn()
  const cookies: (string | undefined)[] = []
  app.server.on('request', (req) => {
    if (req.headers.origin === 'null' || req.url?.startsWith('/view/')) cookies.push(req.headers.cookie)
  })
  const home = await browser.newPage()
  await home.goto(app.config.baseUrl)
  await home.getByRole('heading', { name: 'Projects' }).waitFor()

  const { port } = spy.address() as AddressInfo
  const query = new URLSearchParams({
    file: `/files/${projectId}/run-1/report/index.html`,
    spy: `http://127.0.0.1:${port}/`,
  })
  const opened = browser.waitForEvent('page')
  // Like a dashboard that keeps the handle of the window.
  await home.evaluate(`void window.open(${JSON.stringify(`${await link('report/index.html')}#${query.toString()}`)})`)
  const report = await opened
  await expect.poll(() => report.title(), { timeout: 10_000 }).toContain('{')
  const outcome = JSON.parse(await report.title()) as Record<string, unknown>
  expect(outcome).toEqual({
    origin: 'null',
    cookie: 'refused: SecurityError',
    setCookie: 'refused: SecurityError',
    storage: 'refused: SecurityError',
    session: 'refused: TypeError',
    blind: 'refused: TypeError',
    rpc: 'refused: TypeError',
    file: 'refused: TypeError',
    opener: 'null',
    top: 'true',
    popup: 'null',
    worker: expect.stringContaining('refused: '),
    outside: 'refused: TypeError',
    own: 'of the report',
    script: 'yes',
    module: 'yes',
    style: 'rgb(1, 2, 3)',
    image: 7,
  })
  expect(spied).toEqual([])
  // The browser sends Lax cookies with the navigation itself, where they are ignored, and with no request of the report.
  expect(cookies.length).toBeGreaterThan(8)
  expect(cookies.slice(1).filter((sent) => sent?.includes(sessionCookie))).toEqual([])
  expect(new URL(report.url()).pathname).toContain('/view/')
  await home.reload()
  await home.getByRole('heading', { name: 'Projects' }).waitFor()
  await new Promise((closed) => spy.close(closed))
})

test('no page, of Assay or of another site, can frame a report', async () => {
  await using browser = await signedIn()
  const tab = await browser.newPage()
  const url = await link('report/index.html')
  await tab.route('**/framing', (route) => route.fulfill({ contentType: 'text/html', body: `<iframe src="${url}">` }))
  await tab.goto(`${app.config.baseUrl}/framing`)
  await expect.poll(() => tab.frames()[1]?.url()).toBe('chrome-error://chromewebdata/')
})

test('a viewed SVG has an opaque origin, too', async () => {
  await using browser = await signedIn()
  const tab = await browser.newPage()
  await tab.goto(await link('alone.svg'))
  // Its script throws when it reads the cookie, before it records anything.
  expect(await tab.evaluate('[self.origin, document.documentElement.getAttribute("ran")]')).toEqual(['null', null])
})

test.each(['report/index.html', 'alone.svg', 'report/data/part.js'])(
  '%s is downloaded from /files and never shown',
  async (name) => {
    await using browser = await signedIn()
    const tab = await browser.newPage()
    await tab.goto(app.config.baseUrl)
    const begun = tab.waitForEvent('download')
    await tab.evaluate(`location.href = '/files/${projectId}/run-1/${name}'`)
    const download = await begun
    expect(download.suggestedFilename()).toBe(name.split('/').at(-1))
    expect(new URL(tab.url()).pathname).toBe('/')
    // The policy of the dashboard runs only its own scripts, and a download says that it is none.
    const script = tab.waitForEvent('console', (message) => message.text().includes('script'))
    await tab.evaluate(
      `import('/files/${projectId}/run-1/${name}').then(() => console.error('script ran'), (error) => console.error('script refused', error.message))`,
    )
    expect((await script).text()).toMatch(/refused|MIME|not executed|blocked|Failed to load/i)
  },
)
