import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { noteProblem } from '../../core/code-host-connections/problems.ts'
import type { UserRow } from '../../core/identity/users/entity.ts'
import { createTestApp, type TestApp } from '../../core/testing/app.ts'
import {
  createMembershipFor,
  createOrganizationFor,
  createProjectFor,
  createUser,
} from '../../core/testing/factories.ts'
import { type GiteaHost, giteaPath, startGiteaHost } from '../../core/testing/gitea-host.ts'
import { type GitLabHost, gitLabPath, startGitLabHost } from '../../core/testing/gitlab-host.ts'
import { keyboardProblems } from './keyboard.ts'
import { openDashboard } from './open-dashboard.ts'

const token = 'glpat-tokenOfThePage'

let app: TestApp
let gitLab: GitLabHost
let gitea: GiteaHost
beforeAll(async () => {
  ;[gitLab, gitea, app] = await Promise.all([startGitLabHost(), startGiteaHost(), createTestApp()])
  app.config.baseUrl = app.url.replace('127.0.0.1', 'localhost')
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await gitLab[Symbol.asyncDispose]()
  await gitea[Symbol.asyncDispose]()
})
beforeEach(() => {
  gitLab.tokens.set(token, { username: 'bot', scopes: ['api'] })
  gitLab.members.set('bot', 30)
  gitea.tokens.set(token, { login: 'bot' })
  gitea.collaborators.set('bot', 'write')
})

/** A project of an organization, with the path of its settings for the code host. */
async function setUp(repository: string) {
  const admin = await createUser(app)
  const organization = await createOrganizationFor(app, { user: admin })
  const { id: projectId } = await createProjectFor(app, { user: admin, organizationId: organization.id, repository })
  const join = async (role: 'viewer' | 'member'): Promise<UserRow> => {
    const user = await createUser(app)
    await createMembershipFor(app, { organizationId: organization.id, user, role })
    return user
  }
  return { admin, join, projectId, path: `/projects/${projectId}/settings?tab=code-host` }
}

/** Several users sign in, each in a browser of their own. */
const slow = { timeout: 4 * 60_000 }

test('an admin connects GitLab after the host has said what the token lacks', slow, async () => {
  const { admin, path } = await setUp(`${gitLab.url}/${gitLabPath}.git`)
  gitLab.tokens.set('glpat-reads', { username: 'bot', scopes: ['read_api'] })
  await using dashboard = await openDashboard(app, admin)
  const { tab } = dashboard
  await dashboard.open(path)
  const section = tab.getByRole('region', { name: 'Post results' })
  await section.getByText('No connection is set.').waitFor()
  await section.getByRole('button', { name: 'Set connection' }).press('Enter')
  const dialog = tab.getByRole('dialog', { name: 'Set connection' })
  await dialog.getByRole('combobox', { name: 'Code host' }).selectOption('GitLab')
  await dialog.getByText('the role Developer or higher').waitFor()
  expect(await dashboard.violations()).toEqual([])
  const check = dialog.getByRole('button', { name: 'Check and set' })
  expect(await check.isDisabled()).toBe(true)
  await dialog.getByLabel('Token').fill('glpat-unknown')
  await dialog.getByLabel('Token').press('Enter')
  await dialog.getByRole('alert').getByText('The code host rejects the token').waitFor()
  await dialog.getByLabel('Token').fill('glpat-reads')
  await check.press('Enter')
  await dialog.getByRole('alert').getByText('Token: The token lacks the scope api.').waitFor()
  await dialog.getByLabel('API URL').fill('http://10.0.0.1/api/v4')
  await check.press('Enter')
  await dialog
    .getByRole('alert')
    .getByText(/^API URL: /)
    .waitFor()
  expect(await dashboard.violations()).toEqual([])

  await dialog.getByLabel('API URL').fill('')
  await dialog.getByLabel('Token').fill(` ${token}\n`)
  await check.press('Enter')
  await tab.getByText('The code host accepted the token, and the connection was set.').waitFor()
  await dialog.waitFor({ state: 'detached' })
  await section.getByText('Connected').waitFor()
  await section.getByText(gitLab.apiUrl).waitFor()
  await section.getByText('you', { exact: true }).waitFor()
  await tab.getByText('On GitLab, open the project’s Settings').waitFor()
  expect(await tab.content()).not.toContain(token)
  expect(await dashboard.violations()).toEqual([])
  expect(await keyboardProblems(tab)).toEqual([])

  await tab.reload()
  await section.getByText('Connected').waitFor()
  expect(await tab.content()).not.toContain(token)
  // The refusals of the host, which the browser logs as well.
  expect(dashboard.complaints.filter((text) => !text.includes('status of 4'))).toEqual([])
})

test('an admin replaces and removes a connection', slow, async () => {
  const { admin, path } = await setUp(`${gitea.url}/${giteaPath}`)
  await using dashboard = await openDashboard(app, admin)
  const { tab } = dashboard
  const section = tab.getByRole('region', { name: 'Post results' })
  await dashboard.open(path)
  await section.getByRole('button', { name: 'Set connection' }).press('Enter')
  await tab.getByRole('combobox', { name: 'Code host' }).selectOption('Gitea or Forgejo')
  await tab.getByLabel('Token').fill(token)
  await tab.keyboard.press('Enter')
  await section.getByText('Connected').waitFor()
  gitea.tokens.set('another', { login: 'bot' })
  await section.getByRole('button', { name: 'Replace connection' }).press('Enter')
  const dialog = tab.getByRole('dialog', { name: 'Replace connection' })
  expect(await dialog.getByRole('combobox', { name: 'Code host' }).inputValue()).toBe('gitea')
  expect(await dialog.getByLabel('Token').inputValue()).toBe('')
  await dialog.getByLabel('Token').fill('another')
  await tab.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })

  await section.getByRole('button', { name: 'Remove connection' }).press('Enter')
  await tab
    .getByRole('dialog', { name: 'Remove connection' })
    .getByRole('button', { name: 'Remove connection' })
    .press('Enter')
  await section.getByText('No connection is set.').waitFor()
  expect(dashboard.complaints).toEqual([])
})

test('viewers and members see the connection and why it fails, and can change nothing', slow, async () => {
  const { admin, join, projectId, path } = await setUp(`${gitLab.url}/${gitLabPath}`)
  {
    await using dashboard = await openDashboard(app, admin)
    const { tab } = dashboard
    await dashboard.open(path)
    await tab.getByRole('button', { name: 'Set connection' }).press('Enter')
    await tab.getByRole('combobox', { name: 'Code host' }).selectOption('GitLab')
    await tab.getByLabel('Token').fill(token)
    await tab.keyboard.press('Enter')
    await tab.getByText('Connected').waitFor()
  }
  await noteProblem(app.dataSource.manager, projectId, 'The code host rejects the token: <b>revoked</b>.', new Date())
  for (const role of ['viewer', 'member'] as const) {
    await using dashboard = await openDashboard(app, await join(role))
    const { tab } = dashboard
    await dashboard.open(path)
    const section = tab.getByRole('region', { name: 'Post results' })
    await section.getByText('Failing').waitFor()
    await section.getByText('The code host rejects the token: <b>revoked</b>.').waitFor()
    await tab.getByText(`Your role is ${role}. Changing this requires the role admin`).waitFor()
    expect(await section.getByRole('button').count()).toBe(0)
    expect(await dashboard.violations()).toEqual([])
    expect(dashboard.complaints).toEqual([])
  }
  await using foreign = await openDashboard(app, await createUser(app))
  await foreign.tab.goto(app.config.baseUrl + path)
  await foreign.tab.getByText('This page does not exist, or you have no access to it.').first().waitFor()
  expect(await foreign.tab.locator('main').innerText()).not.toContain(gitLab.apiUrl)
})
