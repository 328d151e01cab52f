import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../core/testing/app.ts'
import { createMembershipFor, createOrganizationFor, createUser } from '../../core/testing/factories.ts'
import { openDashboard } from './open-dashboard.ts'

let app: TestApp
beforeAll(async () => {
  app = await createTestApp({ role: 'web' })
  app.config.baseUrl = app.url.replace('127.0.0.1', 'localhost')
})
afterAll(() => app[Symbol.asyncDispose]())

test('a user creates an organization, invites a member, takes the invitation back and deletes the organization', async () => {
  const user = await createUser(app)
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  await dashboard.open('/organizations')
  await tab.getByText('No organizations').waitFor()
  await tab.getByRole('link', { name: 'Create organization' }).first().press('Enter')
  await tab.getByRole('dialog').waitFor()
  await tab.keyboard.type('Ä <b>Team</b>')
  expect(await tab.getByLabel('Slug').inputValue()).toBe('a-b-team-b')
  await tab.getByLabel('Slug').fill(`team-${user.id.slice(-8)}`.toLowerCase())
  await tab.getByRole('button', { name: 'Create organization' }).press('Enter')
  await tab.getByText('1 member', { exact: true }).waitFor()
  expect(await tab.getByRole('heading', { level: 1 }).innerText()).toBe('Ä <b>Team</b>')

  await tab.getByRole('link', { name: 'Invite' }).press('Enter')
  await tab.getByLabel('E-mail address').fill('ann@example.com')
  await tab.getByRole('radio', { name: 'viewer' }).press('Space')
  expect(await dashboard.violations()).toEqual([])
  await tab.getByRole('button', { name: 'Invite' }).press('Enter')
  await tab.getByText('1 member, 1 open invitation').waitFor()
  await tab.getByLabel('Role of ann@example.com').selectOption('admin')
  await tab.getByText('ann@example.com now has the role admin.').waitFor()
  await tab.getByRole('button', { name: 'Revoke ann@example.com' }).click()
  await tab.getByRole('button', { name: 'Revoke invitation' }).click()
  await tab.getByText('1 member', { exact: true }).waitFor()
  expect(await dashboard.violations()).toEqual([])

  await tab.getByRole('link', { name: 'Settings' }).first().click()
  await tab.getByRole('button', { name: 'Delete organization' }).click()
  const confirm = tab.getByRole('dialog').getByRole('button', { name: 'Delete organization' })
  expect(await confirm.isDisabled()).toBe(true)
  await tab.getByLabel(/^Type/).fill('Ä <b>Team</b>')
  await confirm.press('Enter')
  await tab.getByText('No organizations').waitFor()
  expect(dashboard.complaints).toEqual([])
})

test('a viewer cannot change members, leaves, and then finds no organization', async () => {
  const owner = await createUser(app)
  const organization = await createOrganizationFor(app, { user: owner, name: 'Acme' })
  const viewer = await createUser(app)
  await createMembershipFor(app, { organizationId: organization.id, user: viewer, role: 'viewer' })
  await using dashboard = await openDashboard(app, viewer)
  const { tab } = dashboard
  await dashboard.open(`/organizations/${organization.slug}?tab=members`)
  await tab.getByText('2 members').waitFor()
  expect(await tab.getByRole('combobox').count()).toBe(0)
  expect(await tab.getByRole('link', { name: 'Invite' }).count()).toBe(0)
  await tab.getByRole('button', { name: `Leave ${viewer.email}` }).press('Enter')
  await tab.getByLabel(/^Type/).fill('Acme')
  await tab.keyboard.press('Enter')
  await tab.getByText('No organizations').waitFor()
  await tab.goto(`${app.config.baseUrl}/organizations/${organization.slug}`)
  expect(await tab.getByRole('alert').innerText()).toContain('does not exist, or you have no access')
})

test('each part of an organization is accessible and has an address', async () => {
  const user = await createUser(app)
  const { slug } = await createOrganizationFor(app, { user })
  await using dashboard = await openDashboard(app, user)
  for (const part of ['projects', 'webhooks', 'plan', 'settings']) {
    await dashboard.open(`/organizations/${slug}?tab=${part}`)
    expect([part, await dashboard.violations()]).toEqual([part, []])
  }
  expect(dashboard.complaints).toEqual([])
})
