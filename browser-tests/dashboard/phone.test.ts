import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../core/testing/app.ts'
import { createOrganizationFor, createProjectFor, createUser } from '../../core/testing/factories.ts'
import { openDashboard } from './open-dashboard.ts'

let app: TestApp
beforeAll(async () => {
  app = await createTestApp({ role: 'web' })
  app.config.baseUrl = app.url.replace('127.0.0.1', 'localhost')
})
afterAll(() => app[Symbol.asyncDispose]())

const phone = { width: 360, height: 800 }

test('the bar of a project shows the link of the page', async () => {
  const user = await createUser(app)
  const project = await createProjectFor(app, { user })
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  await tab.setViewportSize(phone)
  for (const [path, name] of [
    ['settings', 'Settings'],
    ['strength', 'Strength'],
    ['runs', 'Runs'],
  ] as const) {
    await dashboard.open(`/projects/${project.id}/${path}`)
    const link = tab.getByRole('navigation', { name: 'Project' }).getByRole('link', { name, exact: true })
    await expect.poll(async () => isInside(await link.boundingBox())).toBe(true)
    expect(await tab.evaluate('[scrollX, scrollY]')).toEqual([0, 0])
  }
})

test('each row of a table is a card with every value in view, and still a row for screen readers', async () => {
  const user = await createUser(app)
  const organization = await createOrganizationFor(app, { user })
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  await tab.setViewportSize(phone)
  await dashboard.open(`/organizations/${organization.slug}?tab=members`)
  const row = tab.getByRole('table', { name: 'Members' }).getByRole('row', { name: user.email })
  for (const cell of [row.getByRole('combobox'), row.getByRole('button')]) {
    expect(isInside(await cell.boundingBox())).toBe(true)
  }
  expect(await tab.getByRole('columnheader', { name: 'Role' }).count()).toBe(1)
  expect(await dashboard.violations()).toEqual([])
  expect(dashboard.complaints).toEqual([])
})

const isInside = (box: { x: number; width: number } | null) =>
  box !== null && box.x >= 0 && box.x + box.width <= phone.width
