import { afterAll, beforeAll, expect, test } from 'vitest'
import { createOrganizationScene, failure, times } from '../testing/organization-scene.ts'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { dumpDatabase } from '../testing/dump.ts'
import { createProjectFor, createTokenFor, createUser } from '../testing/factories.ts'
import { createDeliveryFor, createWebhookFor } from './testing.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp({ role: 'web' })))
afterAll(() => app[Symbol.asyncDispose]())

const url = 'https://receiver.example.com/hook?of=us'
const hook = { url, events: ['project.updated' as const, 'webhook.test' as const] }

async function setUp() {
  const { organizationId, owner: user, client, join } = await createOrganizationScene(app)
  const { id: projectId } = await createProjectFor(app, { user, organizationId })
  const confinedTo = async (confines: { organizationId?: string; projectId?: string }) =>
    app.client(await createTokenFor(app, { user, ...confines }))
  return { user, organizationId, projectId, client, join, confinedTo }
}

test('creates a webhook for a project or for a whole organization', async () => {
  const { organizationId, projectId, client } = await setUp()
  const { webhook: ofProject } = await client.webhooks.create.mutate({ ...hook, projectId })
  const { secret, ...listed } = ofProject
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(listed).toEqual({
    id: expect.stringMatching(/^[0-9A-Z]{26}$/),
    scope: 'project',
    organizationId,
    projectId,
    url,
    description: null,
    events: hook.events,
    active: true,
    pausedAt: null,
    disabledReason: null,
    failingSince: null,
    postponedUntil: null,
    previousSecretUntil: null,
    deliveryCount: 0,
    lastDeliveryAt: null,
    createdAt: expect.any(String),
    updatedAt: listed.createdAt,
  })
  const { webhook: same } = await client.webhooks.create.mutate({ ...hook, projectId, organizationId })
  expect(same).toMatchObject({ scope: 'project', organizationId, projectId })
  const { webhook: wide } = await client.webhooks.create.mutate({ ...hook, organizationId })
  expect(wide).toMatchObject({ scope: 'organization', organizationId, projectId: null })

  const ofTheProject = await client.webhooks.list.query({ projectId })
  expect(ofTheProject.webhooks.map(({ id, scope }) => [id, scope])).toEqual([
    [wide.id, 'organization'],
    [same.id, 'project'],
    [ofProject.id, 'project'],
  ])
  expect(ofTheProject.webhooks[2]).toEqual(listed)
  const ofOrganization = await client.webhooks.list.query({ organizationId })
  expect(ofOrganization.webhooks.map(({ id }) => id)).toEqual([wide.id])
})

test('a webhook of a personal project has no organization', async () => {
  const user = await createUser(app)
  const { id: projectId } = await createProjectFor(app, { user })
  const client = app.client(await createTokenFor(app, { user }))
  const { webhook } = await client.webhooks.create.mutate({ ...hook, projectId })
  expect(webhook).toMatchObject({ scope: 'project', organizationId: null, projectId })
  expect((await client.webhooks.list.query({ projectId })).webhooks).toHaveLength(1)
})

test('rejects a call without project and organization, or with two that do not belong together', async () => {
  const { projectId, client, organizationId } = await setUp()
  const { organizationId: other } = await setUp()
  const { id: personal } = await createProjectFor(app)
  const calls = [
    client.webhooks.create.mutate(hook),
    client.webhooks.list.query({}),
    client.webhooks.create.mutate({ ...hook, projectId, organizationId: other }),
    client.webhooks.list.query({ projectId, organizationId: other }),
  ]
  for (const outcome of await Promise.allSettled(calls)) expect(outcome).toMatchObject(failure('BAD_REQUEST'))
  const foreign = client.webhooks.create.mutate({ ...hook, projectId: personal, organizationId })
  await expect(foreign).rejects.toMatchObject({ data: { code: 'NOT_FOUND' } })
})

test('a restricted token sees and creates only webhooks within its scope', async () => {
  const { organizationId, projectId, client, confinedTo } = await setUp()
  const { organizationId: other, projectId: elsewhere } = await setUp()
  const { webhook: wide } = await client.webhooks.create.mutate({ ...hook, organizationId })
  const ofProject = await confinedTo({ projectId })
  const ofOrganization = await confinedTo({ organizationId })

  const { webhook: own } = await ofProject.webhooks.create.mutate({ ...hook, projectId })
  expect((await ofProject.webhooks.list.query({ projectId })).webhooks.map(({ id }) => id)).toEqual([own.id])
  expect((await ofOrganization.webhooks.list.query({ projectId })).webhooks.map(({ id }) => id)).toEqual([
    own.id,
    wide.id,
  ])
  const refused = [
    ofProject.webhooks.create.mutate({ ...hook, organizationId }),
    ofProject.webhooks.list.query({ organizationId }),
    ofProject.webhooks.update.mutate({ webhookId: wide.id, active: false }),
    ofProject.webhooks.deliveries.query({ webhookId: wide.id }),
    ofProject.webhooks.rotateSecret.mutate({ webhookId: wide.id }),
    ofOrganization.webhooks.create.mutate({ ...hook, projectId: elsewhere }),
    ofOrganization.webhooks.create.mutate({ ...hook, organizationId: other }),
  ]
  for (const outcome of await Promise.allSettled(refused)) expect(outcome).toMatchObject(failure('NOT_FOUND'))
})

test('a restricted token need not name its scope', async () => {
  const { organizationId, projectId, confinedTo } = await setUp()
  const ofProject = await confinedTo({ projectId })
  const { webhook: own } = await ofProject.webhooks.create.mutate(hook)
  expect(own).toMatchObject({ scope: 'project', organizationId, projectId })
  expect((await ofProject.webhooks.list.query({})).webhooks.map(({ id }) => id)).toEqual([own.id])

  const ofOrganization = await confinedTo({ organizationId })
  const { webhook: wide } = await ofOrganization.webhooks.create.mutate(hook)
  expect(wide).toMatchObject({ scope: 'organization', organizationId, projectId: null })
  expect((await ofOrganization.webhooks.list.query({})).webhooks.map(({ id }) => id)).toEqual([wide.id])
})

test.each(['viewer', 'member', 'admin'] as const)('a %s sees the URL, and only admins see its query', async (role) => {
  const { client, join, organizationId, projectId } = await setUp()
  const { webhook: own } = await client.webhooks.create.mutate({ ...hook, projectId })
  const { webhook: wide } = await client.webhooks.create.mutate({ ...hook, organizationId })
  const { client: reader } = await join(role)
  const shown = role === 'admin' ? url : 'https://receiver.example.com/hook?…'
  const answers = [
    ...(await reader.webhooks.list.query({ projectId })).webhooks,
    ...(await reader.webhooks.list.query({ organizationId })).webhooks,
    (await reader.webhooks.get.query({ webhookId: own.id })).webhook,
    (await reader.webhooks.get.query({ webhookId: wide.id })).webhook,
  ]
  expect(answers.map((webhook) => webhook.url)).toEqual([shown, shown, shown, shown, shown])
})

test('stores a description, at most 200 characters long', async () => {
  const { projectId, client } = await setUp()
  const description = 'Tells the team of “Löwe” 🦁 what broke'
  const { webhook } = await client.webhooks.create.mutate({ ...hook, projectId, description: ` ${description}\n` })
  const webhookId = webhook.id
  const read = async () => (await client.webhooks.get.query({ webhookId })).webhook.description
  expect([webhook.description, await read()]).toEqual([description, description])
  const text = 'x'.repeat(200)
  await client.webhooks.update.mutate({ webhookId, description: text })
  await client.webhooks.update.mutate({ webhookId, active: false })
  expect(await read()).toBe(text)
  const tooLong = client.webhooks.update.mutate({ webhookId, description: `${text}x` })
  await expect(tooLong).rejects.toMatchObject({ message: 'description: must have at most 200 characters' })
  await client.webhooks.update.mutate({ webhookId, description: null })
  expect(await read()).toBeNull()
})

test('a webhook of one project cannot subscribe to project.created', async () => {
  const { organizationId, projectId, client } = await setUp()
  const events = ['project.created' as const, 'project.updated' as const]
  const refusal = { data: { code: 'BAD_REQUEST' }, message: expect.stringContaining('cannot receive project.created') }
  await expect(client.webhooks.create.mutate({ ...hook, events, projectId })).rejects.toMatchObject(refusal)
  const { webhook } = await client.webhooks.create.mutate({ ...hook, projectId })
  await expect(client.webhooks.update.mutate({ webhookId: webhook.id, events })).rejects.toMatchObject(refusal)
  const { webhook: wide } = await client.webhooks.create.mutate({ ...hook, organizationId })
  expect((await client.webhooks.update.mutate({ webhookId: wide.id, events })).webhook.events).toEqual(events)
})

test.each([
  ['create', { events: ['project.updated'] }, 'url: must be an address such as https://ci.example.com/hooks/assay'],
  ['create', { url }, 'events: must be a list of events, such as ["test_run.failed"]'],
  ['create', { url, events: ['x'] }, 'events.0: must be one of test_run.started, test_run.completed, '],
  ['recover', { webhookId: 'x', since: 'yesterday' }, 'since: must be a time such as 2026-11-20T12:00:00Z'],
  ['recover', { webhookId: 'x' }, 'since: must be a time such as 2026-11-20T12:00:00Z'],
  ['rotateSecret', { webhookId: 'x', overlapHours: 169 }, 'overlapHours: must be a number from 0 to 168'],
  ['rotateSecret', { webhookId: 'x', overlapHours: 'all' }, 'overlapHours: must be a number from 0 to 168'],
  [
    'deliveries',
    { webhookId: 'x', limit: 1.5, offset: -1 },
    'limit: must be a whole number from 1 to 100; offset: must',
  ],
  ['test', { webhookId: 'x', waitSeconds: 46 }, 'waitSeconds: must be a whole number from 0 to 45'],
])('webhooks.%s rejects %j with the allowed values', async (name, input, message) => {
  const response = await app.fetch(`/trpc/webhooks.${name}`, {
    method: 'POST',
    token: await createTokenFor(app),
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
  })
  expect([response.status, await response.json()]).toEqual([
    400,
    expect.objectContaining({ message: expect.stringContaining(message) }),
  ])
})

test('rejects unknown, repeated and missing events', async () => {
  const { projectId, client } = await setUp()
  const lists: string[][] = [[], ['project.updated', 'project.updated'], ['project.exploded'], ['']]
  for (const events of lists) {
    const call = client.webhooks.create.mutate({ ...hook, projectId, events: events as typeof hook.events })
    await expect(call).rejects.toMatchObject({
      data: { code: 'BAD_REQUEST' },
      message: expect.stringContaining('events'),
    })
  }
})

test('rejects a URL that must not be called', async () => {
  const { projectId, client } = await setUp()
  const { webhook } = await client.webhooks.create.mutate({ ...hook, projectId })
  for (const wrong of [
    '',
    'receiver.example.com',
    'ftp://a.example.com/',
    'https://u:p@a.example.com/',
    'http://10.0.0.1/',
  ]) {
    const creating = client.webhooks.create.mutate({ ...hook, projectId, url: wrong })
    await expect(creating).rejects.toMatchObject({ data: { code: 'BAD_REQUEST' } })
    const updating = client.webhooks.update.mutate({ webhookId: webhook.id, url: wrong })
    await expect(updating).rejects.toMatchObject({ data: { code: 'BAD_REQUEST' } })
  }
})

const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 'k').toString('base64')}`

test('accepts a secret from the caller if receivers can use it', async () => {
  const { projectId, client } = await setUp()
  for (const secret of [secretOf(24), secretOf(64)]) {
    const { webhook } = await client.webhooks.create.mutate({ ...hook, projectId, secret })
    expect(webhook.secret).toBe(secret)
  }
  const unusable = [
    secretOf(23),
    secretOf(65),
    secretOf(32).slice('whsec_'.length),
    secretOf(32).slice(0, -1),
    `whsec_${Buffer.alloc(32, 0xff).toString('base64url')}`,
    `${secretOf(32)}\n`,
    'whsec_',
  ]
  for (const secret of unusable) {
    const call = client.webhooks.create.mutate({ ...hook, projectId, secret })
    await expect(call).rejects.toMatchObject({
      data: { code: 'BAD_REQUEST' },
      message: 'secret: must be whsec_ followed by 24 to 64 bytes in base64; leave it out to have a secret generated',
    })
  }
})

test.each([
  ['a project', 50],
  ['an organization', 100],
] as const)('%s has at most %d webhooks, also under concurrency', async (owner, max) => {
  const { user, organizationId, projectId, client } = await setUp()
  const scope = owner === 'a project' ? { projectId } : { organizationId }
  const row = { userId: user.id, organizationId, projectId: owner === 'a project' ? projectId : null }
  await Promise.all(times(max - 5).map(() => createWebhookFor(app, row)))
  await createWebhookFor(app, { ...row, deletedAt: new Date() })
  const outcomes = await Promise.allSettled(times(50).map(() => client.webhooks.create.mutate({ ...hook, ...scope })))
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
  for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome).toMatchObject(failure('CONFLICT'))
  expect((await client.webhooks.list.query(scope)).webhooks).toHaveLength(max)
  // The two limits are independent.
  await client.webhooks.create.mutate({ ...hook, ...(owner === 'a project' ? { organizationId } : { projectId }) })
})

test('a secret is shown once, and is stored nowhere in plain text', async () => {
  const { projectId, client } = await setUp()
  const { webhook } = await client.webhooks.create.mutate({ ...hook, projectId })
  const webhookId = webhook.id
  const { secret } = await client.webhooks.rotateSecret.mutate({ webhookId })
  const given = secretOf(40)
  await client.webhooks.create.mutate({ ...hook, projectId, secret: given })
  const { id: deliveryId } = await createDeliveryFor(app, { webhookId })
  const answers = [
    await client.webhooks.list.query({ projectId }),
    await client.webhooks.update.mutate({ webhookId, events: ['project.deleted'] }),
    await client.webhooks.pause.mutate({ webhookId }),
    await client.webhooks.resume.mutate({ webhookId }),
    await client.webhooks.test.mutate({ webhookId, waitSeconds: 0 }),
    await client.webhooks.retryDelivery.mutate({ deliveryId }),
    await client.webhooks.deliveries.query({ webhookId }),
    await client.webhooks.getDelivery.query({ deliveryId }),
    await client.webhooks.delete.mutate({ webhookId }),
    await client.auth.getAuditLogs.query({ limit: 100 }),
  ]
  const everything = [JSON.stringify(answers), await dumpDatabase(app), ...app.logLines].join('\n')
  for (const one of [webhook.secret, secret, given]) {
    expect(everything).not.toContain(one)
    expect(everything).not.toContain(one.slice('whsec_'.length))
  }
})

test('the error for localhost names the setting that allows private networks', async () => {
  await using closed = await createTestApp({ role: 'web', outboundAllowCidrs: [] })
  const { organizationId, client } = await createOrganizationScene(closed)
  const { webhook } = await client.webhooks.create.mutate({ ...hook, organizationId })
  for (const refused of ['http://localhost:8080/', 'http://127.0.0.1:8080/']) {
    const message = expect.stringMatching(/^(localhost|127\.0\.0\.1) is not an address .* OUTBOUND_ALLOW_CIDRS /)
    const refusal = { data: { code: 'BAD_REQUEST' }, message }
    const creating = client.webhooks.create.mutate({ ...hook, url: refused, organizationId })
    await expect(creating).rejects.toMatchObject(refusal)
    await expect(client.webhooks.update.mutate({ webhookId: webhook.id, url: refused })).rejects.toMatchObject(refusal)
  }
})
