import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../core/testing/app.ts'
import { createProjectFor, createSessionFor, createTokenFor, createUser } from '../../core/testing/factories.ts'
import { openDashboard } from './open-dashboard.ts'

let app: TestApp
beforeAll(async () => {
  app = await createTestApp({ role: 'web' })
  app.config.baseUrl = app.url.replace('127.0.0.1', 'localhost')
})
afterAll(() => app[Symbol.asyncDispose]())

const hostile = '<script>alert(1)</script>\u202Etxt'

test('a user creates a token for CI with the keyboard, uses it, and revokes it', async () => {
  const user = await createUser(app)
  await createProjectFor(app, { user, name: 'Shop' })
  const client = app.client(await createTokenFor(app, { user }))
  await client.tokens.create.mutate({ name: hostile, scopes: ['tests:read'] })
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  await dashboard.open('/settings/tokens')
  expect(await tab.getByRole('main').innerText()).toContain('<script>alert(1)</script>')
  await tab.getByRole('link', { name: 'Create token' }).press('Enter')
  await tab.getByRole('dialog').waitFor()
  await tab.keyboard.type('Nightly')
  await tab.getByRole('radio', { name: 'CI' }).press('Space')
  await tab.getByLabel('Restricted to').selectOption({ label: 'Project: Shop' })
  expect(await tab.getByRole('checkbox', { name: 'tests:run' }).isChecked()).toBe(true)
  expect(await tab.getByRole('checkbox', { name: 'org:admin' }).isChecked()).toBe(false)
  expect(await dashboard.violations()).toEqual([])
  await tab.getByRole('button', { name: 'Create token' }).press('Enter')

  const plain = await tab.getByRole('region', { name: 'Token', exact: true }).innerText()
  expect(await app.client(plain).tokens.current.query()).toMatchObject({
    name: 'Nightly',
    projectId: expect.any(String),
    scopes: ['projects:read', 'tests:read', 'tests:run', 'artifacts:read'],
  })
  // A reload does not open the form again.
  expect(new URL(tab.url()).search).toBe('')
  await tab.getByRole('button', { name: 'I have copied it' }).press('Enter')
  await tab.getByRole('cell', { name: 'Project Shop' }).waitFor()
  expect(await tab.content()).not.toContain(plain)

  await tab.getByRole('button', { name: 'Revoke Nightly' }).press('Enter')
  await tab.getByRole('button', { name: 'Revoke token' }).press('Enter')
  await tab.getByText('The token Nightly was revoked.').waitFor()
  await expect(app.client(plain).tokens.current.query()).rejects.toMatchObject({ data: { httpStatus: 401 } })
  await tab.getByRole('link', { name: 'Show 1 expired or revoked token' }).click()
  await tab.getByText('Revoked', { exact: true }).waitFor()
  expect(await dashboard.violations()).toEqual([])
  expect(dashboard.complaints).toEqual([])
})

test('a user changes the name, and sees what another page did', async () => {
  const user = await createUser(app)
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  await dashboard.open('/settings?done=password-changed')
  await tab.getByText('Your password was changed, and all other sessions were ended.').waitFor()
  await tab.getByLabel('Name', { exact: true }).fill(hostile)
  await tab.getByRole('button', { name: 'Save name' }).press('Enter')
  await tab.getByText('Your name was saved.').waitFor()
  expect(await tab.getByLabel('Name', { exact: true }).inputValue()).toBe(hostile)
  await tab.getByRole('button', { name: 'Dismiss' }).first().click()
  expect(new URL(tab.url()).search).toBe('')
  expect(await dashboard.violations()).toEqual([])

  await dashboard.open(`/settings?error=access_denied`)
  expect(await tab.getByRole('alert').innerText()).toContain('You did not allow the link')
  await dashboard.open(`/settings?error=${encodeURIComponent('constructor<script>')}&done=__proto__`)
  expect(await tab.getByRole('alert').innerText()).toContain('The account could not be linked.')
  expect(dashboard.complaints).toEqual([])
})

test('a user ends another session, and the own one stays', async () => {
  const user = await createUser(app)
  const { cookie } = await createSessionFor(app, user)
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  await dashboard.open('/settings/sessions')
  await tab.getByText('You are signed in at 2 places.').waitFor()
  expect(await dashboard.violations()).toEqual([])
  await tab.getByRole('button', { name: /^End the session/ }).click()
  await tab.getByRole('button', { name: 'End session' }).click()
  await tab.getByText('You are signed in at 1 place.').waitFor()
  expect((await app.fetch('/trpc/auth.getProfile', { cookie })).status).toBe(401)
  expect(dashboard.complaints).toEqual([])
})
