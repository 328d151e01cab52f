import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../core/testing/app.ts'
import { createUser } from '../../core/testing/factories.ts'
import { openDashboard } from './open-dashboard.ts'

let app: TestApp
beforeAll(async () => {
  app = await createTestApp({ role: 'web' })
  app.config.baseUrl = app.url.replace('127.0.0.1', 'localhost')
})
afterAll(() => app[Symbol.asyncDispose]())

test('the page of the system says whether capacity is short, and follows the queues', async () => {
  const user = await createUser(app)
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  await dashboard.open('/system')
  await tab.getByText('Capacity is sufficient.').waitFor()
  expect(await tab.getByRole('table', { name: 'Queues of the server' }).getByRole('row').count()).toBe(7)
  expect(await tab.getByRole('table', { name: 'Checks of the server' }).innerText()).toContain('Database')
  expect(await dashboard.violations()).toEqual([])
  expect(dashboard.complaints).toEqual([])
})
