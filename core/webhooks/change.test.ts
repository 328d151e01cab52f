import { presentUpdated } from '../projects/announce.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { decrypt } from '../base/crypto.ts'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { contextFor } from '../testing/context.ts'
import { createProjectFor, createTokenFor, createUser } from '../testing/factories.ts'
import { failure, times } from '../testing/organization-scene.ts'
import { emit } from '../events/emit.ts'
import { WebhookDeliveryEntity, WebhookEntity, type WebhookRow } from './entity.ts'
import { secretPlace } from './secret.ts'
import { createDeliveryFor, createWebhookFor, testSecret } from './testing.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp({ role: 'web' })))
afterAll(() => app[Symbol.asyncDispose]())

async function setUp(fields: Partial<WebhookRow> = {}) {
  const user = await createUser(app)
  const project = await createProjectFor(app, { user })
  const webhook = await createWebhookFor(app, { userId: user.id, projectId: project.id, ...fields })
  const client = app.client(await createTokenFor(app, { user }))
  const stored = () => app.dataSource.getRepository(WebhookEntity).findOneByOrFail({ id: webhook.id })
  const happen = () =>
    app.dataSource.transaction((db) =>
      emit({ ...contextFor(app), db }, { type: 'project.updated', project, data: presentUpdated(project) }),
    )
  const deliveries = () => app.dataSource.getRepository(WebhookDeliveryEntity).findBy({ webhookId: webhook.id })
  return { user, client, project, webhookId: webhook.id, stored, happen, deliveries }
}

const audited = (webhookId: string) =>
  app.dataSource.query<{ action: string; metadata: Record<string, unknown> }[]>(
    `SELECT action, metadata FROM audit_logs WHERE metadata->>'webhookId' = $1 ORDER BY sequence`,
    [webhookId],
  )

test('changes only the given fields', async () => {
  const { client, webhookId, stored } = await setUp()
  const before = await stored()
  const { webhook } = await client.webhooks.update.mutate({ webhookId, events: ['analysis.completed'] })
  expect(webhook).toMatchObject({ events: ['analysis.completed'], url: before.url, active: true })
  expect(await stored()).toEqual({ ...before, events: ['analysis.completed'], updatedAt: expect.any(Date) })
  const { webhook: moved } = await client.webhooks.update.mutate({ webhookId, url: 'https://new.example.com' })
  expect(moved.url).toBe('https://new.example.com/')
})

test('an update without changes writes nothing', async () => {
  const { client, webhookId, stored } = await setUp({ pausedAt: new Date(), events: ['project.updated'] })
  const before = await stored()
  const { url, events, active, description } = before
  const calls = [
    await client.webhooks.update.mutate({ webhookId }),
    await client.webhooks.update.mutate({ webhookId, url, events, active, description }),
    await client.webhooks.pause.mutate({ webhookId }),
  ]
  for (const { webhook } of calls) expect(webhook.updatedAt).toBe(before.updatedAt.toISOString())
  expect(await stored()).toEqual(before)
  expect(await audited(webhookId)).toEqual([])
})

test('id, secret, project and organization cannot be changed', async () => {
  const { client, webhookId, project, stored } = await setUp()
  const before = await stored()
  const other = { id: 'x', secret: testSecret, organizationId: 'x', projectId: 'x', userId: 'x' }
  for (const [name, value] of Object.entries(other)) {
    const call = client.webhooks.update.mutate({ webhookId, active: true, [name]: value })
    await expect(call).rejects.toThrow(name)
  }
  expect(await stored()).toEqual(before)
  expect(before.projectId).toBe(project.id)
})

test('an inactive webhook gets no deliveries', async () => {
  const { client, webhookId, happen, deliveries } = await setUp()
  await client.webhooks.update.mutate({ webhookId, active: false })
  await happen()
  expect(await deliveries()).toEqual([])
  await client.webhooks.update.mutate({ webhookId, active: true })
  await happen()
  expect(await deliveries()).toHaveLength(1)
})

test('activating a disabled webhook or changing its URL resets its failures', async () => {
  const failing = { failingSince: new Date(0), failuresInRow: 99, openUntil: new Date(Date.now() + 60_000) }
  const blank = { failingSince: null, failuresInRow: 0, openUntil: null }
  const { client, webhookId, stored } = await setUp({ ...failing, active: false, disabledReason: 'gone' })
  const [listed] = (await client.webhooks.list.query({ projectId: (await stored()).projectId ?? '' })).webhooks
  expect(listed).toMatchObject({
    active: false,
    disabledReason: 'gone',
    failingSince: failing.failingSince.toISOString(),
    postponedUntil: failing.openUntil.toISOString(),
  })
  await client.webhooks.update.mutate({ webhookId, events: ['project.updated'], active: false })
  expect(await stored()).toMatchObject({ ...failing, disabledReason: 'gone' })
  await client.webhooks.update.mutate({ webhookId, active: true })
  expect(await stored()).toMatchObject({ ...blank, active: true, disabledReason: null })

  await app.dataSource.getRepository(WebhookEntity).update({ id: webhookId }, failing)
  await client.webhooks.update.mutate({ webhookId, url: (await stored()).url })
  expect(await stored()).toMatchObject(failing)
  await client.webhooks.update.mutate({ webhookId, url: 'https://other.example.com/' })
  expect(await stored()).toMatchObject(blank)
})

test('a paused webhook collects deliveries until it is resumed', async () => {
  const { client, webhookId, happen, deliveries } = await setUp()
  const { webhook } = await client.webhooks.pause.mutate({ webhookId })
  expect(webhook).toMatchObject({ active: true, pausedAt: expect.any(String) })
  expect((await client.webhooks.pause.mutate({ webhookId })).webhook.pausedAt).toBe(webhook.pausedAt)
  await happen()
  expect(await deliveries()).toMatchObject([{ status: 'pending' }])
  const resumed = await client.webhooks.resume.mutate({ webhookId })
  expect(resumed.webhook).toMatchObject({ active: true, pausedAt: null })
  expect(await deliveries()).toMatchObject([{ status: 'pending' }])
})

test('a rotation keeps the previous secret for the requested time', async () => {
  const { client, webhookId, stored } = await setUp()
  const first = await client.webhooks.rotateSecret.mutate({ webhookId })
  const read = (encrypted: string | null) =>
    encrypted && decrypt(app.config.secretKey, secretPlace(webhookId), encrypted)
  let row = await stored()
  expect([read(row.secret), read(row.previousSecret)]).toEqual([first.secret, testSecret])
  const hours = (Date.parse(first.previousSecretUntil ?? '') - row.updatedAt.getTime()) / 3_600_000
  expect(hours).toBe(24)

  const second = await client.webhooks.rotateSecret.mutate({ webhookId, overlapHours: 168 })
  row = await stored()
  expect([read(row.secret), read(row.previousSecret)]).toEqual([second.secret, first.secret])

  const third = await client.webhooks.rotateSecret.mutate({ webhookId, overlapHours: 0 })
  row = await stored()
  expect(third.previousSecretUntil).toBeNull()
  expect([read(row.secret), row.previousSecret, row.previousSecretUntil]).toEqual([third.secret, null, null])
  for (const overlapHours of [-1, 169]) {
    const call = client.webhooks.rotateSecret.mutate({ webhookId, overlapHours })
    await expect(call).rejects.toMatchObject({ data: { code: 'BAD_REQUEST' } })
  }
})

test('concurrent changes are all kept', async () => {
  const { client, webhookId, stored } = await setUp()
  const before = await stored()
  const [rotated, ...others] = await Promise.all([
    client.webhooks.rotateSecret.mutate({ webhookId }),
    client.webhooks.update.mutate({ webhookId, url: 'https://other.example.com/' }),
    client.webhooks.update.mutate({ webhookId, events: ['project.deleted'] }),
    client.webhooks.pause.mutate({ webhookId }),
  ])
  expect(others).toHaveLength(3)
  const after = await stored()
  expect(after).toMatchObject({ url: 'https://other.example.com/', events: ['project.deleted'] })
  expect(after.pausedAt).not.toBeNull()
  expect(decrypt(app.config.secretKey, secretPlace(webhookId), after.secret)).toBe(rotated.secret)
  expect(after.previousSecret).toBe(before.secret)
})

test('concurrent rotations leave the last secret and the one before it', async () => {
  const { client, webhookId, stored } = await setUp()
  const rotated = await Promise.all(times(6).map(() => client.webhooks.rotateSecret.mutate({ webhookId })))
  const { secret, previousSecret } = await stored()
  const good = [secret, previousSecret].map((encrypted) =>
    decrypt(app.config.secretKey, secretPlace(webhookId), encrypted ?? ''),
  )
  expect(new Set(good).size).toBe(2)
  for (const one of good) expect(rotated.map((each) => each.secret)).toContain(one)
})

test('deleting a webhook cancels its pending deliveries and keeps the history for a while', async () => {
  const { client, webhookId, project, stored, happen, deliveries } = await setUp()
  const { id: waiting } = await createDeliveryFor(app, { webhookId })
  const { id: sending } = await createDeliveryFor(app, { webhookId, status: 'in_flight', nextAttemptAt: null })
  const { id: ended } = await createDeliveryFor(app, { webhookId, status: 'succeeded', nextAttemptAt: null })
  const { message } = await client.webhooks.delete.mutate({ webhookId })
  expect(message).toBe('The webhook to receiver.example.com is deleted. Cancelled deliveries: 1.')
  await happen()
  const statuses = Object.fromEntries((await deliveries()).map(({ id, status }) => [id, status]))
  expect(statuses).toEqual({ [waiting]: 'cancelled', [sending]: 'in_flight', [ended]: 'succeeded' })
  expect(await stored()).toMatchObject({ active: false, deletedAt: expect.any(Date) })
  expect((await client.webhooks.list.query({ projectId: project.id })).webhooks).toEqual([])

  const calls = [
    client.webhooks.update.mutate({ webhookId, active: true }),
    client.webhooks.pause.mutate({ webhookId }),
    client.webhooks.resume.mutate({ webhookId }),
    client.webhooks.delete.mutate({ webhookId }),
    client.webhooks.rotateSecret.mutate({ webhookId }),
    client.webhooks.deliveries.query({ webhookId }),
    client.webhooks.test.mutate({ webhookId, waitSeconds: 0 }),
    client.webhooks.getDelivery.query({ deliveryId: ended }),
    client.webhooks.retryDelivery.mutate({ deliveryId: ended }),
  ]
  for (const outcome of await Promise.allSettled(calls)) expect(outcome).toMatchObject(failure('NOT_FOUND'))
})

test('every change is in the audit log, with only the host of the URL', async () => {
  const { client, project } = await setUp()
  const created = await client.webhooks.create.mutate({
    url: 'https://receiver.example.com:8443/hook/s3cret?key=s3cret',
    events: ['project.updated'],
    projectId: project.id,
  })
  const webhookId = created.webhook.id
  await client.webhooks.update.mutate({ webhookId, events: ['project.deleted'], active: false })
  await client.webhooks.pause.mutate({ webhookId })
  await client.webhooks.pause.mutate({ webhookId })
  await client.webhooks.resume.mutate({ webhookId })
  const { previousSecretUntil } = await client.webhooks.rotateSecret.mutate({ webhookId })
  await client.webhooks.delete.mutate({ webhookId })
  const scope = { webhookId, organizationId: null, projectId: project.id }
  const host = 'receiver.example.com:8443'
  expect(await audited(webhookId)).toEqual([
    { action: 'webhook_created', metadata: { ...scope, host } },
    { action: 'webhook_updated', metadata: { ...scope, host, changed: ['events', 'active'] } },
    { action: 'webhook_updated', metadata: { ...scope, host, changed: ['paused'] } },
    { action: 'webhook_updated', metadata: { ...scope, host, changed: ['paused'] } },
    { action: 'webhook_secret_rotated', metadata: { ...scope, previousSecretUntil } },
    { action: 'webhook_deleted', metadata: { ...scope, host } },
  ])
})
