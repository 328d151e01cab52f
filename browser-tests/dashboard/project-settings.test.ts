import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../core/testing/app.ts'
import {
  createMembershipFor,
  createOrganizationFor,
  createProjectFor,
  createTokenFor,
  createUser,
} from '../../core/testing/factories.ts'
import { createGitRepository, type GitRepository } from '../../engines/source/testing/git-repository.ts'
import { openDashboard } from './open-dashboard.ts'

let app: TestApp
let repository: GitRepository
beforeAll(async () => {
  app = await createTestApp()
  app.config.baseUrl = app.url.replace('127.0.0.1', 'localhost')
  repository = await createGitRepository({
    'package.json': '{"name":"shop","scripts":{"test":"node --test"}}',
    'a.test.js': "import test from 'node:test'\n",
  })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await repository[Symbol.asyncDispose]()
})

test('an admin sees the plan of settings before saving them', async () => {
  const user = await createUser(app)
  const project = await createProjectFor(app, { user, repository: repository.path })
  const client = app.client(await createTokenFor(app, { user }))
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  await dashboard.open(`/projects/${project.id}/settings`)
  await tab.getByRole('link', { name: 'Tests', exact: true }).and(tab.locator('.tab')).press('Enter')
  await tab.getByRole('textbox', { name: 'Test command' }).fill('make check')
  await tab.getByLabel('Least coverage, in percent of lines').fill('80.5')
  await tab.getByRole('button', { name: 'Show the plan' }).click()
  await tab.getByRole('region', { name: 'Test command' }).getByText('make check').waitFor()
  expect(await client.projects.getProjectSettings.query({ projectId: project.id })).toMatchObject({ testCommand: null })
  expect(await dashboard.violations()).toEqual([])
  await tab.getByRole('textbox', { name: 'Test command' }).fill('make check test')
  await tab.getByText('The settings have changed since.').waitFor()

  // Another user changes a field that this one did not touch.
  await client.projects.updateProjectSettings.mutate({
    projectId: project.id,
    settings: { installCommand: 'make deps' },
  })
  await tab.getByRole('button', { name: 'Discard changes' }).waitFor()
  await tab.getByRole('textbox', { name: 'Test command' }).press('Enter')
  await tab.getByText('The settings were saved.').waitFor()
  expect(await client.projects.getProjectSettings.query({ projectId: project.id })).toMatchObject({
    testCommand: 'make check test',
    coverageThreshold: 80.5,
    installCommand: 'make deps',
  })
  expect(dashboard.complaints).toEqual([])
})

test('a user is asked before leaving settings that are not saved', async () => {
  const user = await createUser(app)
  const project = await createProjectFor(app, { user, name: 'Shop' })
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  await dashboard.open(`/projects/${project.id}/settings`)
  await tab.getByLabel('Name', { exact: true }).fill('Store')
  await tab.getByRole('link', { name: 'Runs', exact: true }).press('Enter')
  const dialog = tab.getByRole('dialog', { name: 'Discard unsaved changes?' })
  await dialog.waitFor()
  expect(await dashboard.violations()).toEqual([])
  await dialog.getByRole('button', { name: 'Cancel' }).press('Enter')
  expect(await tab.getByLabel('Name', { exact: true }).inputValue()).toBe('Store')

  await tab.getByRole('link', { name: 'Tests', exact: true }).and(tab.locator('.tab')).press('Enter')
  await dialog.getByRole('button', { name: 'Discard changes' }).press('Enter')
  await tab.getByRole('textbox', { name: 'Test command' }).waitFor()
  await tab.getByRole('link', { name: 'General', exact: true }).press('Enter')
  expect(await tab.getByLabel('Name', { exact: true }).inputValue()).toBe('Shop')
  await tab.getByLabel('Name', { exact: true }).fill('Store')
  await tab.getByRole('button', { name: 'Save' }).press('Enter')
  await tab.getByText('The project was saved.').waitFor()
  await tab.getByRole('link', { name: 'Runs', exact: true }).press('Enter')
  await tab.getByRole('heading', { name: 'Runs' }).waitFor()
  expect(dashboard.complaints).toEqual([])
})

test('variables are set and removed by name, and their values are not shown', async () => {
  const user = await createUser(app)
  const project = await createProjectFor(app, { user })
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  await dashboard.open(`/projects/${project.id}/settings?tab=environment`)
  await tab.getByLabel('Name', { exact: true }).fill('NPM_TOKEN')
  await tab.getByLabel('Value').fill('a secret value')
  await tab.getByRole('button', { name: 'Set variable' }).press('Enter')
  await tab.getByRole('heading', { name: '1 variable' }).waitFor()
  expect(await tab.content()).not.toContain('a secret value')
  expect(await dashboard.violations()).toEqual([])
  await tab.getByRole('button', { name: 'Remove NPM_TOKEN' }).press('Enter')
  await tab.getByLabel(/^Type/).fill('NPM_TOKEN')
  await tab.keyboard.press('Enter')
  await tab.getByRole('heading', { name: '0 variables' }).waitFor()
  expect(dashboard.complaints).toEqual([])
})

test('the secret for the code host is shown once, and a delivery appears with its effect', async () => {
  const user = await createUser(app)
  const project = await createProjectFor(app, { user })
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  await dashboard.open(`/projects/${project.id}/settings?tab=code-host`)
  await tab.getByRole('button', { name: 'Create or rotate secret' }).click()
  await tab.getByRole('button', { name: 'Create secret' }).click()
  const secret = await tab.getByRole('region', { name: 'Secret', exact: true }).innerText()
  await tab.getByRole('button', { name: 'I have copied it' }).click()
  const body = JSON.stringify({ zen: 'x', repository: { id: 1, clone_url: project.repository } })
  const sent = await app.fetch(`/api/webhooks/code-host/${project.id}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-github-event': 'ping',
      'x-github-delivery': 'first',
      'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    },
    body,
  })
  expect(sent.status).toBe(200)
  await tab.getByRole('table', { name: 'Deliveries of the code host' }).getByText('ping', { exact: true }).waitFor()
  expect(await dashboard.violations()).toEqual([])
  expect(dashboard.complaints).toEqual([])
})

test('a viewer can change nothing, another tenant finds nothing, and an owner deletes the project by its name', async () => {
  const owner = await createUser(app)
  const organization = await createOrganizationFor(app, { user: owner })
  const viewer = await createUser(app)
  await createMembershipFor(app, { organizationId: organization.id, user: viewer, role: 'viewer' })
  const name = '<img src=x onerror=alert(1)>'
  const project = await createProjectFor(app, { user: owner, organizationId: organization.id, name })
  const path = `/projects/${project.id}/settings`
  {
    await using dashboard = await openDashboard(app, viewer)
    const { tab } = dashboard
    await dashboard.open(`${path}?tab=runs`)
    await tab.getByText('Your role is viewer.').waitFor()
    await tab.getByRole('checkbox', { name: 'Releases' }).check()
    expect(await tab.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    await dashboard.open(`${path}?tab=danger`)
    expect(await tab.getByRole('button', { name: 'Delete project' }).isDisabled()).toBe(true)
  }
  {
    await using foreign = await openDashboard(app, await createUser(app))
    await foreign.tab.goto(app.config.baseUrl + path)
    expect(await foreign.tab.getByRole('alert').innerText()).toContain('does not exist, or you have no access')
  }
  await using dashboard = await openDashboard(app, owner)
  const { tab } = dashboard
  await dashboard.open(`${path}?tab=danger`)
  await tab.getByRole('button', { name: 'Delete project' }).click()
  await tab.getByLabel(/^Type/).fill(name)
  await tab.keyboard.press('Enter')
  await tab.getByText(`The project ${name} was deleted.`).waitFor()
  expect(dashboard.complaints).toEqual([])
})
