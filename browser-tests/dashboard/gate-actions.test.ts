import { expect, test } from 'vitest'
import { border, cart, fixed } from '../../core/changes/testing/cart.ts'
import { createChangeScene } from '../../core/changes/testing/scene.ts'
import { createGateScene } from '../../core/gate/testing.ts'
import { MembershipEntity } from '../../core/identity/organizations/entity.ts'
import {
  createMembershipFor,
  createOrganizationFor,
  createProjectFor,
  createUser,
} from '../../core/testing/factories.ts'
import { createChange, ended, unproved } from './judged-records.ts'
import { keyboardProblems } from './keyboard.ts'
import { openDashboard } from './open-dashboard.ts'

/** Repositories are cloned, tests run in the sandbox, and users sign in, each in a browser of their own. */
const slow = { timeout: 5 * 60_000 }
const patient = { timeout: 120_000 }

test('a member runs the tests of a commit and has its change verified, until all rules hold', slow, async () => {
  await using scene = await createChangeScene()
  const { app, client, user } = scene
  app.config.baseUrl = app.url.replace('127.0.0.1', 'localhost')
  const { id: projectId, repository } = await scene.project(cart)
  await client.gate.updatePolicy.mutate({ projectId, policy: { mode: 'enforced', rules: { requireProof: true } } })
  const head = await scene.change(repository, { ...fixed, 'test/border.test.js': border })
  const { id } = await client.gate.check.mutate({ projectId, head })
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  await dashboard.open(`/projects/${projectId}/gates/${id}`)
  const reasons = tab.getByRole('table', { name: 'Reasons' })
  await reasons.getByRole('row', { name: /Waits Test runs No test has run/ }).waitFor()
  await tab.getByRole('button', { name: 'Run the tests' }).press('Enter')
  await tab.getByRole('link', { name: /^Run: (?:Queued|Running|Passed)/ }).waitFor()
  expect(await dashboard.violations()).toEqual([])
  await tab.getByRole('link', { name: 'Run: Passed' }).waitFor(patient)
  await reasons.getByRole('row', { name: /Holds Test runs 1 run of the commit ended/ }).waitFor(patient)

  const proof = reasons.getByRole('row', { name: /Proof/ })
  await proof.getByRole('button', { name: 'Verify the change' }).press('Enter')
  await proof.getByRole('link', { name: /^Verification: / }).waitFor()
  expect(await proof.getByRole('button').count()).toBe(0)
  await tab.getByText('All rules hold.').waitFor(patient)
  await reasons.getByRole('row', { name: /Holds Proof `?assay verify`? proved the change/ }).waitFor()
  const { changes } = await client.changes.list.query({ projectId })
  expect(changes).toMatchObject([{ headSha: head, verdict: 'proved' }])
  await proof.getByRole('link', { name: 'Verification: Proved' }).press('Enter')
  await tab.waitForURL(`**/changes/${changes[0]?.id}`)
  expect(dashboard.complaints).toEqual([])
})

test('each reason leads to what satisfies it, and only members see what they may do', slow, async () => {
  await using scene = await createGateScene()
  const { app, user } = scene
  app.config.baseUrl = app.url.replace('127.0.0.1', 'localhost')
  await scene.newProject()
  const organization = await createOrganizationFor(app, { user })
  const member = await createUser(app)
  await createMembershipFor(app, { organizationId: organization.id, user: member, role: 'member' })
  const place = { organizationId: organization.id, repository: scene.repository.path }
  const { id: projectId } = await createProjectFor(app, { user, ...place })
  scene.projectId = projectId
  await scene.policy({ rules: { requireProof: true, requireMeasured: true } })
  const commitSha = await scene.push({
    'src/cart.js': scene.lines('a() // +', 'b() // -'),
    'src/tax.js': scene.lines('tax() // +'),
  })
  await scene.upload({ commitSha, tests: { adds: 'passed', pays: 'failed' }, files: ['src/cart.js'], name: 'unit' })
  const gate = await scene.check({ head: commitSha })
  const path = `/projects/${projectId}/gates/${gate.id}`
  await using dashboard = await openDashboard(app, member)
  const { tab } = dashboard
  await dashboard.open(path)
  const row = (name: RegExp) => tab.getByRole('table', { name: 'Reasons' }).getByRole('row', { name })
  await row(/Waits Proof/)
    .getByRole('button', { name: 'Verify the change' })
    .waitFor()
  await row(/Fails Coverage of changed lines/)
    .getByRole('link', { name: 'The uncovered lines' })
    .press('Enter')
  await tab.waitForURL(/#files$/)
  await row(/Fails Measured code/)
    .getByRole('link', { name: 'The files without a report' })
    .press('Enter')
  await tab.waitForURL(/#unmeasured$/)
  expect(await tab.locator('#unmeasured').count()).toBe(1)
  expect(await dashboard.violations()).toEqual([])
  expect(await keyboardProblems(tab)).toEqual([])

  // A verification that nobody announced to the gate.
  const changeId = await createChange(
    app,
    { projectId, userId: user.id },
    {
      ...ended,
      headSha: commitSha,
      baseSha: gate.baseSha,
      verdict: 'unproved',
      evidence: unproved,
    },
  )
  await tab.getByRole('button', { name: 'Check again' }).press('Enter')
  await tab.getByText('The gate was checked again: Failure.').waitFor()
  const decided = row(/Fails Proof/).getByRole('link', { name: 'Verification: Unproved' })
  expect(await decided.getAttribute('href')).toBe(`/projects/${projectId}/changes/${changeId}`)
  expect(
    await row(/Fails Proof/)
      .getByRole('button')
      .count(),
  ).toBe(0)

  await scene.policy({ uploads: { names: ['unit', 'end to end'] } })
  await tab.reload()
  const commands = row(/Waits Expected uploads/).getByRole('region', { name: 'Commands for CI' })
  expect(await commands.innerText()).toBe("assay upload --name 'end to end'\nassay upload --done   # no more will come")
  expect(await dashboard.violations()).toEqual([])
  expect(dashboard.complaints).toEqual([])

  await app.dataSource.getRepository(MembershipEntity).update({ userId: member.id }, { role: 'viewer' })
  await tab.getByRole('button', { name: 'Run the tests' }).press('Enter')
  await tab.getByText(/requires? the role member/).waitFor()
  await tab.reload()
  await row(/Fails Proof/)
    .getByRole('link', { name: 'Verification: Unproved' })
    .waitFor()
  expect(await tab.getByRole('button', { name: /Check again|Run the tests|Verify/ }).count()).toBe(0)
  await row(/Fails No new failures/)
    .getByRole('link', { name: 'pays' })
    .press('Enter')
  await tab.getByRole('heading', { name: 'pays', level: 1 }).waitFor()
})
