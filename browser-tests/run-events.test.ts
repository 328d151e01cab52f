import { expect, test } from 'vitest'
import { sessionCookie } from '../core/identity/sessions/cookie.ts'
import { openRunLog } from '../core/test-runs/log/log.ts'
import { createTestApp } from '../core/testing/app.ts'
import { createProjectFor, createRunFor, createSessionFor, createUser } from '../core/testing/factories.ts'
import { openBrowser } from './browser.ts'
import { startDashboard } from './foreign-dashboard.ts'

test("a dashboard's EventSource follows a run over a lost connection, each line once, and stops after its end", async () => {
  await using dashboard = await startDashboard()
  await using app = await createTestApp({ role: 'web', corsOrigins: [dashboard.origin] })
  app.config.baseUrl = app.url.replace('127.0.0.1', 'localhost')
  const user = await createUser(app)
  const project = await createProjectFor(app, { user })
  const { id: runId } = await createRunFor(app, { projectId: project.id, status: 'RUNNING' })
  const options = { mask: (line: string) => line, firstLine: 0, maxBytes: 1_000_000, onError: () => {} }
  const log = openRunLog(app.dataSource.manager, runId, options)

  await using browser = await openBrowser()
  const { cookie } = await createSessionFor(app, user)
  const value = cookie.slice(sessionCookie.length + 1)
  await browser.addCookies([{ name: sessionCookie, value, url: app.config.baseUrl, httpOnly: true, sameSite: 'Lax' }])
  const tab = await browser.newPage()
  await tab.goto(dashboard.origin)
  await tab.evaluate(
    `const seen = { lines: [], opened: 0, ends: 0 }
     const events = new EventSource(${JSON.stringify(`${app.config.baseUrl}/api/test-runs/${runId}/events`)}, { withCredentials: true })
     events.addEventListener('open', () => seen.opened++)
     events.addEventListener('log', ({ data }) => seen.lines.push(JSON.parse(data).text))
     events.addEventListener('end', () => seen.ends++)
     self.seen = () => ({ ...seen, state: events.readyState })`,
  )
  const seen = () => tab.evaluate('seen()')

  log.say('one')
  log.say('two')
  await expect.poll(seen, { timeout: 10_000 }).toEqual({ lines: ['one', 'two'], opened: 1, ends: 0, state: 1 })
  app.server.closeAllConnections()
  log.say('three')
  const again = { lines: ['one', 'two', 'three'], opened: 2, ends: 0, state: 1 }
  await expect.poll(seen, { timeout: 10_000 }).toEqual(again)

  await app.dataSource.query(`UPDATE test_runs SET status = 'CANCELLED' WHERE id = $1`, [runId])
  // The client did not close the stream, so the browser reconnects and learns that the run has ended.
  await expect.poll(seen, { timeout: 15_000 }).toEqual({ ...again, ends: 1, state: 2 })
})
