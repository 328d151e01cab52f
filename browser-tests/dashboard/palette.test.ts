import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../core/testing/app.ts'
import { createProjectFor, createRunFor, createUser } from '../../core/testing/factories.ts'
import { openDashboard } from './open-dashboard.ts'

let app: TestApp
beforeAll(async () => {
  app = await createTestApp({ role: 'web' })
  app.config.baseUrl = app.url.replace('127.0.0.1', 'localhost')
})
afterAll(() => app[Symbol.asyncDispose]())

test('a search finds projects and commits with the keyboard alone, and nothing of others', async () => {
  const user = await createUser(app)
  const name = 'Unmistakable <b>\u202Eshop'
  const project = await createProjectFor(app, { user, name })
  await createProjectFor(app, { name: 'Unmistakable of another user' })
  const commitSha = 'deadbeef'.repeat(5)
  await createRunFor(app, { projectId: project.id, commitSha, status: 'COMPLETED' })
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  await dashboard.open('/settings')
  const search = tab.getByRole('dialog', { name: 'Search' })
  await tab.keyboard.press('/')
  await search.waitFor()
  await tab.keyboard.type('unmistak')
  const results = tab.getByRole('listbox', { name: 'Results' })
  await results.getByText('Unmistakable <b><U+202E>shop').waitFor()
  expect(await results.getByRole('option').count()).toBe(1)
  expect(await dashboard.violations()).toEqual([])
  await tab.keyboard.press('Enter')
  await tab.waitForURL(`**/projects/${project.id}`)

  await tab.keyboard.press('/')
  await tab.keyboard.type('deadbee')
  await results.getByText('Commit', { exact: true }).waitFor()
  const kinds = await results.locator('.palette-kind').allInnerTexts()
  for (const _ of kinds.slice(0, kinds.indexOf('Commit'))) await tab.keyboard.press('ArrowDown')
  await tab.keyboard.press('Enter')
  await tab.waitForURL(`**/projects/${project.id}/runs?commit=${commitSha}`)

  await tab.keyboard.press('/')
  await tab.keyboard.type('nothing has this name')
  await tab.getByText('Nothing found.').waitFor()
  await tab.keyboard.press('Escape')
  expect(dashboard.complaints).toEqual([])
})
