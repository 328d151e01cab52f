import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { decodeTime } from 'ulid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { contextFor } from '../testing/context.ts'
import { createOrganizationFor, createProjectFor, createUser } from '../testing/factories.ts'
import { presentCreated, presentUpdated } from '../projects/announce.ts'
import { deliveriesChannel, emit } from './emit.ts'
import { WebhookDeliveryEntity, type WebhookRow } from '../webhooks/entity.ts'
import { createWebhookFor } from '../webhooks/testing.ts'

let app: TestApp
beforeAll(async () => {
  app = await createTestApp({ role: 'web' })
})
afterAll(() => app[Symbol.asyncDispose]())

async function setUp() {
  const user = await createUser(app)
  const organization = await createOrganizationFor(app, { user, name: 'Söhne & "Co"\\ 🌍' })
  const project = await createProjectFor(app, { user, organizationId: organization.id, name: 'Shop "№ 1"' })
  const webhook = (fields: Partial<WebhookRow>) => createWebhookFor(app, { userId: user.id, ...fields })
  return { user, organization, project, webhook }
}

const deliveriesOf = (webhook: WebhookRow) =>
  app.dataSource.getRepository(WebhookDeliveryEntity).findBy({ webhookId: webhook.id })

const within = (work: (tx: ReturnType<typeof contextFor>) => Promise<void>) =>
  app.dataSource.transaction((db) => work({ ...contextFor(app), db }))

test('creates a delivery for each subscribed webhook of the project and of its organization, with only the fields of the schema', async () => {
  const { user, organization, project, webhook } = await setUp()
  const organizationId = organization.id
  const other = await createProjectFor(app, { user, organizationId })
  const wanted = [await webhook({ organizationId, projectId: project.id }), await webhook({ organizationId })]
  const unwanted = [
    await webhook({ organizationId, projectId: other.id }),
    await webhook({ organizationId: (await createOrganizationFor(app, { user })).id }),
    await webhook({ projectId: (await createProjectFor(app, { user })).id }),
    await webhook({ organizationId, events: ['project.deleted'] }),
    await webhook({ organizationId, active: false }),
    await webhook({ organizationId, deletedAt: new Date() }),
  ]
  const data = { ...presentUpdated(project), name: 'a\u2028"b"\\' }
  await within((tx) =>
    emit(tx, { type: 'project.updated', project, data: { ...data, secret: 'whsec_x' } as typeof data }),
  )
  for (const one of wanted) {
    const [delivery, ...more] = await deliveriesOf(one)
    expect(more).toEqual([])
    expect(delivery).toMatchObject({
      event: 'project.updated',
      status: 'pending',
      attemptCount: 0,
      trigger: 'scheduled',
    })
    expect(delivery?.id).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/)
    expect(delivery?.body).toBe(JSON.stringify(JSON.parse(delivery?.body ?? '')))
    expect(JSON.parse(delivery?.body ?? '')).toEqual({
      id: delivery?.id,
      event: 'project.updated',
      timestamp: delivery?.createdAt.toISOString(),
      data: { ...data, url: `${app.config.baseUrl}/projects/${project.id}` },
      project: { id: project.id, name: 'Shop "№ 1"', repository: project.repository },
      organization: { id: organizationId, name: organization.name },
    })
  }
  for (const one of unwanted) expect(await deliveriesOf(one)).toEqual([])
})

test('a paused webhook collects deliveries', async () => {
  const { project, webhook, organization } = await setUp()
  const paused = await webhook({ organizationId: organization.id, pausedAt: new Date() })
  await within((tx) => emit(tx, { type: 'project.updated', project, data: presentUpdated(project) }))
  expect(await deliveriesOf(paused)).toHaveLength(1)
})

test('a change that is rolled back is not announced', async () => {
  const { project, webhook, organization } = await setUp()
  const listening = await webhook({ organizationId: organization.id })
  const failing = within(async (tx) => {
    await emit(tx, { type: 'project.updated', project, data: presentUpdated(project) })
    throw new Error('taken back')
  })
  await expect(failing).rejects.toThrow('taken back')
  expect(await deliveriesOf(listening)).toEqual([])
  const events = await app.dataSource.query('SELECT FROM events WHERE project_id = $1', [project.id])
  expect(events).toEqual([])
})

test('the envelope of a personal project has no organization, and that of a new project no project', async () => {
  const { user, webhook } = await setUp()
  const project = await createProjectFor(app, { user })
  const listening = await webhook({ projectId: project.id, events: ['project.created'] })
  await within((tx) => emit(tx, { type: 'project.created', project, data: presentCreated(project) }))
  const [delivery] = await deliveriesOf(listening)
  expect(Object.keys(JSON.parse(delivery?.body ?? '{}'))).toEqual(['id', 'event', 'timestamp', 'data'])
})

test('wakes the dispatcher when the change is committed, and only if there is a delivery', async () => {
  const { project, webhook, organization } = await setUp()
  const listener = new pg.Client({ connectionString: app.config.databaseUrl })
  await listener.connect()
  try {
    let heard = 0
    listener.on('notification', () => heard++)
    await listener.query(`LISTEN ${deliveriesChannel}`)
    await within((tx) => emit(tx, { type: 'project.updated', project, data: presentUpdated(project) }))
    await sleep(50)
    expect(heard).toBe(0)
    await webhook({ organizationId: organization.id })
    await within((tx) => emit(tx, { type: 'project.updated', project, data: presentUpdated(project) }))
    await expect.poll(() => heard).toBe(1)
  } finally {
    await listener.end()
  }
})

test('ids created by the database sort by time, like those created in code', async () => {
  const [{ ids }] = await app.dataSource.query<[{ ids: string[] }]>(
    `SELECT array_agg(new_ulid(timestamptz '2026-11-20T12:00:00.123Z' + n * interval '1 ms') ORDER BY n) AS ids
       FROM generate_series(0, 99) AS n`,
  )
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set(ids.map((id) => id.slice(10))).size).toBe(100)
  expect(new Date(decodeTime(ids[0] ?? '')).toISOString()).toBe('2026-11-20T12:00:00.123Z')
})
