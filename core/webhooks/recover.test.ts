import pg from 'pg'
import { ulid } from 'ulid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Role } from '../identity/organizations/schema.ts'
import { announceProject } from '../projects/announce.ts'
import { createTestApp, type TestApp } from '../testing/app.ts'
import {
  createMembershipFor,
  createOrganizationFor,
  createProjectFor,
  createTokenFor,
  createUser,
} from '../testing/factories.ts'
import { deliveriesChannel } from '../events/emit.ts'
import { WebhookDeliveryEntity, type WebhookDeliveryRow, WebhookEntity, type WebhookRow } from './entity.ts'
import { createWebhookFor } from './testing.ts'

const dayMs = 86_400_000
const now = () => new Date()
const daysAgo = (days: number) => new Date(Date.now() - days * dayMs)

let app: TestApp
beforeAll(async () => void (app = await createTestApp({ role: 'web' })))
afterAll(() => app[Symbol.asyncDispose]())

const deliveries = () => app.dataSource.getRepository(WebhookDeliveryEntity)

/** Creates an organization with a project and a webhook that is 20 days old. */
async function setUp(fields: Partial<WebhookRow> = {}) {
  const user = await createUser(app)
  const { id: organizationId } = await createOrganizationFor(app, { user, name: 'Shop' })
  const project = await createProjectFor(app, { user, organizationId })
  const age = { createdAt: daysAgo(20) }
  const webhook = await createWebhookFor(app, { userId: user.id, organizationId, ...age, ...fields })
  const { webhooks } = app.client(await createTokenFor(app, { user }))
  const recover = (since = daysAgo(60)) =>
    webhooks.recover.mutate({ webhookId: webhook.id, since: since.toISOString() })
  const happen = (at = now, of = project) =>
    announceProject({ db: app.dataSource.manager, now: at, config: app.config }, 'project.updated', of)
  const sent = () => deliveries().find({ where: { webhookId: webhook.id }, order: { eventId: 'ASC' } })
  return { user, organizationId, project, webhook, recover, happen, sent }
}

const change = ({ id }: Pick<WebhookRow, 'id'>, fields: Partial<WebhookRow>) =>
  app.dataSource.getRepository(WebhookEntity).update({ id }, fields)

test('sends only failed and cancelled deliveries again, unchanged and with a new retry schedule', async () => {
  const { happen, recover, sent } = await setUp()
  const states: Partial<WebhookDeliveryRow>[] = [
    { status: 'failed', attemptCount: 6, scheduledAttempts: 6, responseStatus: 500, nextAttemptAt: null },
    { status: 'cancelled', nextAttemptAt: null },
    { status: 'succeeded', attemptCount: 1, scheduledAttempts: 1, nextAttemptAt: null },
    { status: 'in_flight', attemptCount: 1, scheduledAttempts: 1 },
    { status: 'pending', attemptCount: 2, scheduledAttempts: 2, nextAttemptAt: daysAgo(-1) },
  ]
  for (const _ of states) await happen()
  for (const [index, { id }] of (await sent()).entries()) await deliveries().update({ id }, states[index] ?? {})
  const before = await sent()

  expect(await recover()).toEqual({ recovered: 2, nextSince: null })
  const after = await sent()
  const again = { status: 'pending', trigger: 'scheduled', scheduledAttempts: 0, nextAttemptAt: expect.any(Date) }
  expect(after.slice(0, 2)).toEqual(before.slice(0, 2).map((row) => ({ ...row, ...again })))
  expect(after[0]?.attemptCount).toBe(6)
  expect(after.slice(2)).toEqual(before.slice(2))
  expect(await recover()).toEqual({ recovered: 0, nextSince: null })
})

test('creates deliveries for events during inactivity once, as they would have been sent then', async () => {
  const { user, project, webhook, organizationId, happen, recover, sent } = await setUp({ active: false })
  const witness = await createWebhookFor(app, { userId: user.id, organizationId })
  await happen()
  await app.dataSource.query(`UPDATE organizations SET name = 'Renamed' WHERE id = $1`, [organizationId])
  await app.dataSource.query('DELETE FROM projects WHERE id = $1', [project.id])
  expect(await sent()).toEqual([])
  await change(webhook, { active: true })

  // The other calls fail because a recovery is running, or find nothing left.
  const both = await Promise.allSettled([recover(), recover()])
  const made = both.flatMap((one) => (one.status === 'fulfilled' ? one.value.recovered : []))
  expect(made.reduce((sum, recovered) => sum + recovered, 0)).toBe(1)
  for (const one of both) if (one.status === 'rejected') expect(String(one.reason)).toContain('already running')
  const [delivery, ...more] = await sent()
  expect(more).toEqual([])
  expect(delivery).toMatchObject({ status: 'pending', trigger: 'scheduled', attemptCount: 0, event: 'project.updated' })
  const [then] = await deliveries().findBy({ webhookId: witness.id })
  expect(delivery?.body).toBe(then?.body.replace(then.id, delivery?.id ?? ''))
  expect(JSON.parse(delivery?.body ?? '')).toMatchObject({ id: delivery?.id, organization: { name: 'Shop' } })
})

test('recovers only subscribed events of its own projects, since its creation and the given time', async () => {
  const { user, organizationId, project, webhook, happen, recover, sent } = await setUp({ active: false })
  const sibling = await createProjectFor(app, { user, organizationId })
  const foreign = await setUp()
  const own = await createWebhookFor(app, {
    userId: user.id,
    organizationId,
    projectId: project.id,
    createdAt: daysAgo(20),
    active: false,
  })
  await happen(() => daysAgo(21))
  await happen(() => daysAgo(10))
  await happen(() => daysAgo(5))
  await happen(() => daysAgo(1), sibling)
  await foreign.happen(() => daysAgo(1))

  expect(await recover(daysAgo(6))).toEqual({ recovered: 2, nextSince: null })
  const times = (rows: WebhookDeliveryRow[]) => rows.map(({ body }) => JSON.parse(body).timestamp.slice(0, 10))
  const day = (days: number) => daysAgo(days).toISOString().slice(0, 10)
  expect(times(await sent())).toEqual([day(5), day(1)])
  expect(await recover()).toEqual({ recovered: 1, nextSince: null })

  const { webhooks } = app.client(await createTokenFor(app, { user }))
  const since = daysAgo(60).toISOString()
  expect(await webhooks.recover.mutate({ webhookId: own.id, since })).toMatchObject({ recovered: 2 })
  await change(webhook, { events: ['project.deleted'] })
  await deliveries().update({ webhookId: webhook.id }, { status: 'failed' })
  expect(await recover()).toEqual({ recovered: 0, nextSince: null })
})

test('does not recover events older than 30 days, even if they are not deleted yet', async () => {
  const { happen, recover, sent } = await setUp({ active: false, createdAt: daysAgo(90) })
  await happen(() => daysAgo(31))
  await happen(() => daysAgo(29))
  expect(await recover()).toEqual({ recovered: 1, nextSince: null })
  expect(await sent()).toHaveLength(1)
})

test('only admins can recover, and only their own webhooks that are not deleted', async () => {
  const { organizationId, webhook, happen, recover, sent } = await setUp()
  await happen()
  await deliveries().update({ webhookId: webhook.id }, { status: 'failed' })
  const since = daysAgo(1).toISOString()
  const by = async (role?: Role) => {
    const user = await createUser(app)
    if (role) await createMembershipFor(app, { organizationId, user, role })
    return app.client(await createTokenFor(app, { user })).webhooks.recover.mutate({ webhookId: webhook.id, since })
  }
  await expect(by()).rejects.toMatchObject({ data: { code: 'NOT_FOUND' } })
  await expect(by('member')).rejects.toMatchObject({ data: { code: 'FORBIDDEN' } })
  expect((await sent())[0]?.status).toBe('failed')
  expect(await by('admin')).toMatchObject({ recovered: 1 })
  await change(webhook, { deletedAt: new Date() })
  await expect(recover()).rejects.toMatchObject({ data: { code: 'NOT_FOUND' } })
})

test('allows one recovery per owner and two overall; neither other calls nor result writes wait', async () => {
  const [first, second, third] = [await setUp(), await setUp(), await setUp()] as const
  // Blocks everything that reads events.
  const blocker = app.dataSource.createQueryRunner()
  await blocker.startTransaction()
  await blocker.query('LOCK TABLE events IN ACCESS EXCLUSIVE MODE')
  const busy = async () => {
    const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
    return (await app.dataSource.query<unknown[]>(waiting)).length
  }
  const conflict = { data: { code: 'CONFLICT' }, message: expect.stringContaining('Try again') as string }
  try {
    const running = [first.recover()]
    await expect.poll(busy).toBe(1)
    await expect(first.recover()).rejects.toMatchObject(conflict)
    const { user, organizationId } = first
    const sibling = await createWebhookFor(app, { userId: user.id, organizationId })
    const { webhooks } = app.client(await createTokenFor(app, { user }))
    const input = { webhookId: sibling.id, since: daysAgo(1).toISOString() }
    await expect(webhooks.recover.mutate(input)).rejects.toMatchObject(conflict)
    running.push(second.recover())
    await expect.poll(busy).toBe(2)
    await expect(third.recover()).rejects.toMatchObject(conflict)
    // The lock that result writes take.
    const lock = 'SELECT FROM webhooks WHERE id = $1 FOR NO KEY UPDATE NOWAIT'
    await app.dataSource.query(lock, [first.webhook.id])
    await blocker.commitTransaction()
    expect(await Promise.all(running)).toEqual(running.map(() => ({ recovered: 0, nextSince: null })))
    expect(await third.recover()).toMatchObject({ recovered: 0 })
  } finally {
    await blocker.release()
  }
})

test('recovers ten thousand per call and the rest with the next; each call notifies the dispatchers', async () => {
  const { project, organizationId, recover, sent } = await setUp({ active: false })
  const startedAt = daysAgo(2).getTime()
  await app.dataSource.query(
    `INSERT INTO events (id, type, project_id, organization_id, envelope, created_at)
     SELECT id, 'project.updated', $2, $3, '{"event":"project.updated"}', at FROM unnest($1::text[], $4::timestamptz[]) AS e (id, at)`,
    [
      Array.from({ length: 10_002 }, (_, index) => ulid(startedAt + index)),
      project.id,
      organizationId,
      Array.from({ length: 10_002 }, (_, index) => new Date(startedAt + index)),
    ],
  )
  const listener = new pg.Client({ connectionString: app.config.databaseUrl })
  await listener.connect()
  try {
    let heard = 0
    listener.on('notification', () => heard++)
    await listener.query(`LISTEN ${deliveriesChannel}`)
    const first = await recover()
    expect(first).toEqual({ recovered: 10_000, nextSince: new Date(startedAt + 10_000).toISOString() })
    expect(await recover(new Date(first.nextSince ?? 0))).toEqual({ recovered: 2, nextSince: null })
    await expect.poll(() => heard).toBe(2)
    await recover()
    expect(new Set((await sent()).map(({ id }) => id)).size).toBe(10_002)
    expect(heard).toBe(2)
  } finally {
    await listener.end()
  }
})
