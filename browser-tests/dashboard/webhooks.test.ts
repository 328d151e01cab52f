import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../core/testing/app.ts'
import {
  createMembershipFor,
  createOrganizationFor,
  createProjectFor,
  createUser,
} from '../../core/testing/factories.ts'
import { httpReceiver, type Receiver } from '../../core/testing/receiver.ts'
import { createDeliveryFor, createWebhookFor } from '../../core/webhooks/testing.ts'
import { openDashboard } from './open-dashboard.ts'

let app: TestApp
let receiver: Receiver
let answer = { status: 200, body: 'thanks' }
beforeAll(async () => {
  receiver = await httpReceiver((request, response) => {
    request.resume()
    response.writeHead(answer.status, { 'Content-Type': 'text/plain' }).end(answer.body)
  })
  app = await createTestApp()
  app.config.baseUrl = app.url.replace('127.0.0.1', 'localhost')
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

test('an admin creates a webhook, tries it, and reads what a broken receiver answered', async () => {
  const user = await createUser(app)
  const project = await createProjectFor(app, { user })
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  await dashboard.open(`/projects/${project.id}/webhooks`)
  await tab.getByText('No webhooks').waitFor()
  await tab.getByRole('link', { name: 'Create webhook' }).first().press('Enter')
  await tab.getByLabel('URL').fill(`${receiver.url}/hook`)
  await tab.getByRole('button', { name: 'Create webhook' }).click()
  expect(await tab.getByRole('region', { name: 'Secret' }).innerText()).toMatch(/^whsec_/)
  await tab.getByRole('button', { name: 'I have copied it' }).click()

  answer = { status: 500, body: `<script>alert(1)</script>\u202E${'x'.repeat(9_000)}` }
  await tab.getByRole('button', { name: 'Send test event' }).click()
  await tab.getByText('The receiver did not accept the event.').waitFor()
  const body = tab.getByRole('group', { name: 'Body of the answer' })
  expect(await body.innerText()).toContain('<script>alert(1)</script><U+202E>xxx')
  await tab
    .getByRole('button', { name: /^Show all/ })
    .first()
    .click()
  expect((await body.innerText()).length).toBeGreaterThan(9_000)
  expect(await dashboard.violations()).toEqual([])

  answer = { status: 200, body: 'thanks' }
  await tab.getByRole('button', { name: 'Send another' }).click()
  await tab.getByText('The receiver accepted the event.').waitFor()
  await tab.keyboard.press('Escape')
  await tab.getByRole('table', { name: 'Deliveries of the webhook' }).getByText('Succeeded').waitFor()
  expect(dashboard.complaints).toEqual([])
})

test('filters and the selected delivery are in the address, and a delivery is sent again', async () => {
  const user = await createUser(app)
  const project = await createProjectFor(app, { user })
  answer = { status: 200, body: 'thanks' }
  const webhook = await createWebhookFor(app, { userId: user.id, projectId: project.id, url: `${receiver.url}/hook` })
  const failed = await createDeliveryFor(app, { webhookId: webhook.id, status: 'failed' })
  await createDeliveryFor(app, { webhookId: webhook.id, status: 'succeeded' })
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  await dashboard.open(`/projects/${project.id}/webhooks/${webhook.id}`)
  await tab.getByLabel('Status').selectOption('failed')
  await expect
    .poll(() => tab.getByRole('table', { name: 'Deliveries of the webhook' }).getByRole('row').count())
    .toBe(2)
  await tab.getByRole('button', { name: new RegExp(failed.id) }).press('Enter')
  await tab.getByRole('dialog').waitFor()
  expect(Object.fromEntries(new URL(tab.url()).searchParams)).toEqual({ status: 'failed', delivery: failed.id })
  await tab.reload()
  await tab.getByRole('button', { name: 'Send again' }).press('Enter')
  await tab.getByRole('dialog').getByText('Succeeded').first().waitFor()

  await tab.keyboard.press('Escape')
  await tab.getByRole('button', { name: 'Pause' }).click()
  await tab.getByText('Deliveries wait until it is resumed.').waitFor()
  await tab.getByRole('button', { name: 'Undo' }).click()
  await tab.getByRole('button', { name: 'Pause' }).waitFor()
  expect(await dashboard.violations()).toEqual([])
  expect(dashboard.complaints).toEqual([])
})

test('a viewer sees deliveries and can change nothing, and another tenant sees no webhook', async () => {
  const owner = await createUser(app)
  const organization = await createOrganizationFor(app, { user: owner })
  const project = await createProjectFor(app, { user: owner, organizationId: organization.id })
  const viewer = await createUser(app)
  await createMembershipFor(app, { organizationId: organization.id, user: viewer, role: 'viewer' })
  const webhook = await createWebhookFor(app, {
    userId: owner.id,
    organizationId: organization.id,
    projectId: project.id,
  })
  await using dashboard = await openDashboard(app, viewer)
  await dashboard.open(`/projects/${project.id}/webhooks/${webhook.id}`)
  await dashboard.tab.getByText('No deliveries yet').waitFor()
  expect(await dashboard.tab.getByRole('button', { name: /Send|Pause|Edit|Rotate|Delete|Recover/ }).count()).toBe(0)

  await using foreign = await openDashboard(app, await createUser(app))
  await foreign.tab.goto(`${app.config.baseUrl}/projects/${project.id}/webhooks/${webhook.id}`)
  expect(await foreign.tab.getByRole('alert').innerText()).toContain('does not exist, or you have no access')
})
