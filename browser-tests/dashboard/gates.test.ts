import { afterAll, beforeAll, expect, test } from 'vitest'
import { createGateFor, createGateScene, type GateScene } from '../../core/gate/testing.ts'
import {
  createMembershipFor,
  createOrganizationFor,
  createProjectFor,
  createUser,
} from '../../core/testing/factories.ts'
import { fillHostileGate } from '../data/gates.ts'
import { hostileTexts } from '../data/hostile.ts'
import { keyboardProblems } from './keyboard.ts'
import { openDashboard } from './open-dashboard.ts'

let scene: GateScene
beforeAll(async () => {
  scene = await createGateScene()
  scene.app.config.baseUrl = scene.app.url.replace('127.0.0.1', 'localhost')
})
afterAll(() => scene[Symbol.asyncDispose]())

/** The repository is cloned, and several users sign in, each in a browser of their own. */
const slow = { timeout: 3 * 60_000 }

test(
  'a reviewer finds the gate of a pull request, and sees why it fails and which lines no test runs',
  slow,
  async () => {
    await scene.newProject()
    await scene.policy({ mode: 'enforced' })
    const code = scene.lines('a(); // +', 'if (<script>alert(1)</script>) { // -', '  b() // -', '}', 'c() // +')
    const commitSha = await scene.push({ 'src/cart.js': code, 'src/tax.js': scene.lines('tax() // +') })
    const fields = { pullRequest: '42', targetBranch: 'main' }
    await scene.upload({
      commitSha,
      tests: { adds: 'passed', pays: 'failed' },
      files: ['src/cart.js'],
      name: 'unit',
      fields,
    })
    const { id } = await scene.check({ head: commitSha })
    await createGateFor(scene.app, { projectId: scene.projectId, branch: 'other', pullRequest: 7 })

    await using dashboard = await openDashboard(scene.app, scene.user)
    const { tab } = dashboard
    await dashboard.open(`/projects/${scene.projectId}`)
    await tab.keyboard.press('g')
    await tab.keyboard.press('g')
    const list = tab.getByRole('table', { name: 'Gates' })
    await expect.poll(() => list.getByRole('row').count()).toBe(3)
    expect(await dashboard.violations()).toEqual([])
    await tab.getByRole('combobox', { name: /^State/ }).selectOption('Failure')
    await tab.waitForURL(/state=failure/)
    await tab.getByRole('searchbox', { name: 'Pull request' }).fill('#42')
    await tab.waitForURL(/pullRequest=42/)
    await list.getByRole('link', { name: '#7 other' }).waitFor({ state: 'detached' })
    await list.getByRole('link', { name: '#42 feature' }).press('Enter')
    await tab.waitForURL(`${scene.app.config.baseUrl}/projects/${scene.projectId}/gates/${id}`)

    await tab.getByText('The gate is enforced and blocks the change.').waitFor()
    const reasons = tab.getByRole('table', { name: 'Reasons' })
    await reasons
      .getByRole('row', { name: /Fails No new failures 1 test fails with the change: cart › pays\./ })
      .waitFor()
    await reasons
      .getByRole('row', { name: /Fails Coverage of changed lines 2 of 4 changed lines are covered/ })
      .waitFor()
    await tab.getByRole('link', { name: 'src/tax.js' }).first().waitFor()
    const file = tab.getByRole('article', { name: 'src/cart.js' })
    await file.getByRole('region', { name: 'Code of src/cart.js' }).getByText('<script>alert(1)</script>').waitFor()
    expect(await file.getByRole('link', { name: '2–3' }).getAttribute('href')).toContain('line=2')
    expect(await tab.locator('main script').count()).toBe(0)
    expect(await dashboard.violations()).toEqual([])
    expect(dashboard.complaints).toEqual([])
    expect(await keyboardProblems(tab)).toEqual([])

    await tab
      .getByRole('table', { name: 'Tests that fail with the change' })
      .getByRole('link', { name: 'pays', exact: true })
      .press('Enter')
    await tab.getByRole('heading', { name: 'pays', level: 1 }).waitFor()
  },
)

test('a gate that waits is decided while its page is open', slow, async () => {
  await scene.newProject()
  await scene.policy({ uploads: { names: ['unit', 'end to end'] } })
  const commitSha = await scene.push({ 'src/cart.js': scene.lines('a() // +') })
  await scene.upload({ commitSha, tests: { adds: 'passed' }, name: 'unit' })
  const { id } = await scene.check({ head: commitSha })
  await using dashboard = await openDashboard(scene.app, scene.user)
  const { tab } = dashboard
  await dashboard.open(`/projects/${scene.projectId}/gates/${id}`)
  const reasons = tab.getByRole('table', { name: 'Reasons' })
  await reasons.getByRole('row', { name: /Waits Expected uploads An upload is missing: end to end/ }).waitFor()
  await tab.getByText('The gate waits for results.').waitFor()
  expect(await dashboard.violations()).toEqual([])
  await scene.upload({ commitSha, tests: { pays: 'passed' }, name: 'end to end' })
  await tab.getByText('All rules hold.').waitFor()
  await reasons.getByRole('row', { name: /Holds Coverage of changed lines 1 of 1 changed line is covered/ }).waitFor()
  await scene.upload({ commitSha, tests: { pays: 'failed' }, name: 'end to end' })
  // A decided gate is asked again when the user comes back to its page.
  await tab.reload()
  await tab.getByText('At least one rule does not hold.').waitFor()
  expect(dashboard.complaints).toEqual([])
})

test('another tenant finds no gate, and hostile texts are shown as texts', slow, async () => {
  const { app, user } = scene
  const { id: projectId } = await createProjectFor(app, { user })
  const testIds = hostileTexts.map((_, index) => `00000000-0000-4000-9000-00000000000${index}`)
  const gateId = await fillHostileGate(app, projectId, hostileTexts, testIds)
  const path = `/projects/${projectId}/gates/${gateId}`
  {
    await using dashboard = await openDashboard(app, user)
    const { tab } = dashboard
    await dashboard.open(path)
    await tab.getByText('and 20 more tests.').waitFor()
    await tab.setViewportSize({ width: 360, height: 800 })
    await expect.poll(() => tab.evaluate('document.documentElement.scrollWidth')).toBe(360)
    expect(await tab.locator('main').innerText()).toContain('<U+202E>evil')
    expect(await tab.evaluate('window.attacked')).toBeUndefined()
    expect(await tab.locator('main img, main script').count()).toBe(0)
    expect(await dashboard.violations()).toEqual([])
    await dashboard.open(`/projects/${projectId}/gates?branch=%3Cscript%3E&pullRequest=99999999999999999999`)
    await tab.getByRole('heading', { name: 'No gate matches' }).waitFor()
    expect(dashboard.complaints).toEqual([])
    await dashboard.open(`/projects/${projectId}/gates/01ARZ3NDEKTSV4RRFFQ69G5FAV`)
    expect(await tab.getByRole('alert').innerText()).toContain('This page does not exist')
  }
  await using foreign = await openDashboard(app, await createUser(app))
  for (const page of [path, `/projects/${projectId}/gates`, `/projects/${projectId}/settings?tab=gate`]) {
    await foreign.tab.goto(app.config.baseUrl + page)
    await foreign.tab.getByText('This page does not exist, or you have no access to it.').first().waitFor()
    expect(await foreign.tab.locator('main').innerText()).not.toContain('evil')
  }
})

test('a member previews and changes the rules, and only an admin enforces the gate', slow, async () => {
  const { app, user: admin, client } = scene
  const organization = await createOrganizationFor(app, { user: admin })
  const member = await createUser(app)
  await createMembershipFor(app, { organizationId: organization.id, user: member, role: 'member' })
  await scene.newProject()
  const place = { organizationId: organization.id, repository: scene.repository.path }
  const { id: projectId } = await createProjectFor(app, { user: admin, ...place })
  scene.projectId = projectId
  const commitSha = await scene.push({ 'src/cart.js': scene.lines('a() // +', 'b() // +', 'c() // +', 'd() // -') })
  await scene.upload({ commitSha, tests: { adds: 'passed' } })
  await scene.check({ head: commitSha })
  const policy = () => client.gate.getPolicy.query({ projectId })
  const path = `/projects/${projectId}/settings?tab=gate`
  {
    await using dashboard = await openDashboard(app, member)
    const { tab } = dashboard
    await dashboard.open(path)
    expect(await tab.getByLabel('Mode').isDisabled()).toBe(true)
    const preview = tab.getByRole('region', { name: 'Preview', exact: true })
    await tab.getByLabel('Covered changed lines, in percent').fill('70')
    await preview.getByRole('button', { name: 'Preview' }).press('Enter')
    await preview.getByText('Of the latest 1 gate, 1 would be different').waitFor()
    await preview.getByRole('row', { name: /Neutral Success/ }).waitFor()
    await tab.getByRole('button', { name: 'Add component' }).press('Enter')
    const component = tab.getByRole('group', { name: 'component 1' })
    await component.getByLabel('Name').fill('billing')
    await component.getByLabel('Files').fill('billing/**\n tax/**')
    await component.getByLabel('Covered changed lines, in percent').fill('auto')
    await preview.getByText('The rules have changed since.').waitFor()
    expect(await dashboard.violations()).toEqual([])
    await tab.getByRole('button', { name: 'Save' }).press('Enter')
    await tab.getByText('The rules of the gate were saved.').waitFor()
    expect(await policy()).toMatchObject({
      mode: 'informational',
      rules: { patchTarget: 70, noNewFailures: true },
      components: [{ name: 'billing', paths: ['billing/**', 'tax/**'], patchTarget: 'auto', upload: null }],
    })
    expect(dashboard.complaints).toEqual([])
  }
  {
    await using dashboard = await openDashboard(app, admin)
    const { tab } = dashboard
    await dashboard.open(path)
    await tab.getByLabel('Mode').selectOption('enforced')
    await tab.getByRole('button', { name: 'Save' }).press('Enter')
    await tab.getByText('The rules of the gate were saved.').waitFor()
    expect((await policy()).mode).toBe('enforced')
  }
  await using dashboard = await openDashboard(app, member)
  const { tab } = dashboard
  await dashboard.open(path)
  await tab.getByText('The gate is enforced. Changing its rules requires the role admin.').waitFor()
  await tab.getByRole('checkbox', { name: 'No test becomes flaky' }).uncheck()
  expect(await tab.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
})
