import Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createOrganizationFor, createProjectFor, createTokenFor, createUser } from '../testing/factories.ts'

const secret = 'whsec_of_the_payment_provider'
const prices = { team: ['price_team', 'price_team_yearly'], unlimited: ['price_unlimited'] }
const path = '/api/webhooks/billing'
let app: TestApp
beforeAll(async () => void (app = await createTestApp({ billing: { secret, prices } })))
afterAll(() => app[Symbol.asyncDispose]())

let made = 0
const newName = (kind: string) => `${kind}_${++made}`

async function setUp() {
  const user = await createUser(app)
  const { id: organizationId } = await createOrganizationFor(app, { user })
  const client = app.client(await createTokenFor(app, { user }))
  const getPlan = () => client.billing.getPlan.query({ organizationId })
  return { user, organizationId, client, getPlan, subscription: newName('sub') }
}

interface Sent {
  id?: string
  created?: number
  timestamp?: number
  signedWith?: string
}

async function send(type: string, object: object, { id, created, timestamp, signedWith }: Sent = {}) {
  const payload = JSON.stringify({
    id: id ?? newName('evt'),
    object: 'event',
    type,
    created: created ?? Math.floor(Date.now() / 1_000),
    data: { object },
  })
  const signature = Stripe.webhooks.generateTestHeaderString({
    payload,
    secret: signedWith ?? secret,
    ...(timestamp === undefined ? {} : { timestamp }),
  })
  return post(payload, { 'stripe-signature': signature })
}

async function post(body: string, headers: Record<string, string>) {
  const response = await app.fetch(path, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  })
  return { status: response.status, body: (await response.json()) as { duplicate?: boolean; code?: string } }
}

/** Delivers an event, waits until it is processed and returns the outcome. */
async function apply(type: string, object: object, sent: Sent = {}) {
  const id = sent.id ?? newName('evt')
  expect((await send(type, object, { ...sent, id })).status).toBe(200)
  const look = async () => {
    const [row] = await app.dataSource.query<{ status: string; reason: string | null }[]>(
      'SELECT status, reason FROM inbound_deliveries WHERE delivery_id = $1',
      [id],
    )
    return row
  }
  await expect.poll(async () => (await look())?.status, { interval: 20 }).not.toBe('received')
  return look()
}

const subscriptionObject = (id: string, fields: object = {}) => ({
  id,
  object: 'subscription',
  customer: 'cus_1',
  status: 'active',
  items: { data: [{ price: { id: 'price_team' }, current_period_end: 2_000_000_000 }] },
  metadata: {},
  ...fields,
})

test('a checkout and its subscription set the plan, in either order', async () => {
  for (const order of ['checkout first', 'subscription first']) {
    const { organizationId, getPlan, subscription } = await setUp()
    expect(await getPlan()).toEqual({
      organizationId,
      plan: 'free',
      status: null,
      currentPeriodEnd: null,
      limits: { members: 5, projects: 3 },
      usage: { members: 1, projects: 0 },
    })
    const checkout = { id: newName('cs'), client_reference_id: organizationId, subscription, customer: 'cus_1' }
    const steps = [
      () => apply('checkout.session.completed', checkout),
      () => apply('customer.subscription.created', subscriptionObject(subscription)),
    ]
    for (const step of order === 'checkout first' ? steps : steps.toReversed()) {
      expect(await step()).toMatchObject({ status: 'processed' })
    }
    expect(await getPlan(), order).toMatchObject({
      plan: 'team',
      status: 'active',
      currentPeriodEnd: '2033-05-18T03:33:20.000Z',
      limits: { members: 50, projects: 100 },
    })
  }
})

test('follows a subscription through upgrade, failed payment, recovery and end', async () => {
  const { organizationId, getPlan, subscription } = await setUp()
  const start = 1_700_000_000
  const now = (status: string, price: string) =>
    subscriptionObject(subscription, {
      status,
      items: { data: [{ price: { id: price } }] },
      current_period_end: start + 2_592_000,
      metadata: { organizationId, plan: 'free' },
    })
  const stateAfter = async (type: string, object: object, created: number) => {
    await apply(type, object, { created })
    const { plan, status } = await getPlan()
    return [plan, status]
  }
  expect(await stateAfter('customer.subscription.created', now('trialing', 'price_team_yearly'), start)).toEqual([
    'team',
    'trialing',
  ])
  expect(await stateAfter('customer.subscription.updated', now('active', 'price_unlimited'), start + 1)).toEqual([
    'unlimited',
    'active',
  ])
  const invoice = { id: 'in_1', parent: { subscription_details: { subscription } } }
  expect(await stateAfter('invoice.payment_failed', invoice, start + 2)).toEqual(['unlimited', 'past_due'])
  expect(await stateAfter('customer.subscription.updated', now('active', 'price_unlimited'), start + 3)).toEqual([
    'unlimited',
    'active',
  ])
  expect(await stateAfter('invoice.payment_failed', { id: 'in_1', subscription }, start + 4)).toEqual([
    'unlimited',
    'past_due',
  ])
  expect(await stateAfter('customer.subscription.updated', now('unpaid', 'price_unlimited'), start + 5)).toEqual([
    'free',
    'unpaid',
  ])
  expect(await stateAfter('customer.subscription.deleted', now('canceled', 'price_unlimited'), start + 6)).toEqual([
    'free',
    'canceled',
  ])
  const changes = await app.dataSource.query<{ metadata: object }[]>(
    `SELECT metadata FROM audit_logs WHERE action = 'plan_changed' AND metadata->>'organizationId' = $1 ORDER BY sequence`,
    [organizationId],
  )
  expect(changes.map(({ metadata }) => metadata)).toMatchObject([
    { from: 'free', to: 'team', event: 'customer.subscription.created', subscriptionId: subscription },
    { from: 'team', to: 'unlimited' },
    { from: 'unlimited', to: 'free' },
  ])
})

test('events lead to the same state in every order', async () => {
  const start = 1_700_000_000
  const events = (subscription: string, organizationId: string): [string, object, number][] => {
    const metadata = { organizationId }
    return [
      ['customer.subscription.created', subscriptionObject(subscription, { status: 'incomplete', metadata }), start],
      ['customer.subscription.updated', subscriptionObject(subscription, { status: 'active', metadata }), start],
      ['invoice.payment_failed', { id: 'in_1', subscription }, start],
      ['customer.subscription.deleted', subscriptionObject(subscription, { status: 'canceled', metadata }), start + 1],
    ]
  }
  const orders = [
    [0, 1, 2, 3],
    [3, 2, 1, 0],
    [1, 3, 0, 2],
    [2, 0, 3, 1],
  ]
  for (const order of orders) {
    for (const [count, expected] of [
      [3, 'team'],
      [4, 'free'],
    ] as const) {
      const { organizationId, getPlan, subscription } = await setUp()
      const all = events(subscription, organizationId)
      for (const index of order.filter((index) => index < count)) {
        const [type, object, created] = all[index] ?? []
        if (type && object && created) await apply(type, object, { created })
      }
      expect([order, count, (await getPlan()).plan]).toEqual([order, count, expected])
    }
  }
})

test('the better of two subscriptions counts, and the other one when it ends', async () => {
  const { organizationId, getPlan } = await setUp()
  const metadata = { organizationId }
  const [team, unlimited] = [newName('sub'), newName('sub')]
  const items = { data: [{ price: 'price_unlimited' }] }
  await apply('customer.subscription.created', subscriptionObject(unlimited, { metadata, items }))
  await apply('customer.subscription.created', subscriptionObject(team, { metadata }))
  expect((await getPlan()).plan).toBe('unlimited')
  await apply('customer.subscription.deleted', subscriptionObject(unlimited, { metadata, items }))
  expect(await getPlan()).toMatchObject({ plan: 'team', status: 'active' })
})

test('determines the plan by price, or else by metadata, or else not at all', async () => {
  const { organizationId, getPlan } = await setUp()
  const items = { data: [{ price: { id: 'price_of_something_else' } }] }
  const unknown = await apply(
    'customer.subscription.created',
    subscriptionObject(newName('sub'), { items, metadata: { organizationId } }),
  )
  expect(unknown?.reason).toContain('price_of_something_else')
  expect((await getPlan()).plan).toBe('free')
  const metadata = { organizationId, plan: 'unlimited' }
  await apply('customer.subscription.created', subscriptionObject(newName('sub'), { items, metadata }))
  expect((await getPlan()).plan).toBe('unlimited')
})

test('a subscription stays with the first organization that it was linked to', async () => {
  const [first, second] = [await setUp(), await setUp()]
  const { subscription } = first
  await apply(
    'customer.subscription.created',
    subscriptionObject(subscription, { metadata: { organizationId: first.organizationId } }),
  )
  await apply('checkout.session.completed', { id: 'cs_1', client_reference_id: second.organizationId, subscription })
  expect([(await first.getPlan()).plan, (await second.getPlan()).plan]).toEqual(['team', 'free'])
})

test('accepts and ignores unknown events', async () => {
  expect(await apply('payment_intent.created', { id: 'pi_1' })).toMatchObject({ status: 'ignored' })
  expect(await apply('checkout.session.completed', { id: 'cs_1', subscription: null })).toMatchObject({
    status: 'ignored',
  })
  const metadata = { organizationId: '01ARZ3NDEKTSV4RRFFQ69G5FAV' }
  expect(await apply('customer.subscription.created', subscriptionObject(newName('sub'), { metadata }))).toMatchObject({
    status: 'ignored',
    reason: 'The organization does not exist.',
  })
})

test('an event has an effect once, also with repeated and concurrent deliveries', async () => {
  const { organizationId, getPlan, subscription } = await setUp()
  const object = subscriptionObject(subscription, { metadata: { organizationId } })
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => send('customer.subscription.created', object, { id: 'evt_once' })),
  )
  expect(answers.filter(({ body }) => body.duplicate === true)).toHaveLength(9)
  await expect.poll(async () => (await getPlan()).plan).toBe('team')
})

test('rejects bad, old and missing signatures alike, and bodies that are not events', async () => {
  const object = subscriptionObject('sub_x')
  const now = Math.floor(Date.now() / 1_000)
  expect((await send('x', object, { signedWith: 'whsec_another_one_altogether' })).status).toBe(401)
  expect((await send('x', object, { timestamp: now - 301 })).status).toBe(401)
  expect((await send('x', object, { timestamp: now - 290 })).status).toBe(200)
  const payload = '{"no":"event"}'
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret })
  const refused = [
    await post(payload, {}),
    await post(payload, { 'stripe-signature': '' }),
    await post(payload, { 'stripe-signature': signature.replace('v1=', 'v0=') }),
    await post(`${payload} `, { 'stripe-signature': signature }),
  ]
  expect(new Set(refused.map((answer) => JSON.stringify(answer))).size).toBe(1)
  expect(refused[0]?.status).toBe(401)
  expect(await post(payload, { 'stripe-signature': signature })).toMatchObject({ status: 400 })
  const noJson = Stripe.webhooks.generateTestHeaderString({ payload: 'no', secret })
  expect(await post('no', { 'stripe-signature': noJson })).toMatchObject({ status: 400 })
})

test('the plan limits projects, also under concurrency, and the error names a larger plan', async () => {
  const { organizationId, client, user, subscription, getPlan } = await setUp()
  const create = (name: string) =>
    client.projects.createProject.mutate({
      name,
      repository: 'https://example.com/a/b',
      branch: 'main',
      organizationId,
    })
  const made = await Promise.allSettled(Array.from({ length: 8 }, (_, index) => create(`Project ${index}`)))
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
  const refused = made.find((one) => one.status === 'rejected')
  expect(refused?.reason).toMatchObject({
    message:
      'The plan free allows 3 projects, and the organization has 3. The plan team allows 100; an owner can change to it.',
    data: { code: 'PAYMENT_REQUIRED', httpStatus: 402 },
  })
  expect((await getPlan()).usage).toEqual({ members: 1, projects: 3 })
  await apply('customer.subscription.created', subscriptionObject(subscription, { metadata: { organizationId } }))
  expect((await create('One more')).organizationId).toBe(organizationId)

  for (let index = 0; index < 4; index++) await createProjectFor(app, { user })
  const personal = { name: 'Personal', repository: 'https://example.com/a/b', branch: 'main' }
  expect((await client.projects.createProject.mutate(personal)).organizationId).toBeNull()
})

test('the plan limits members and invitations together, also under concurrency', async () => {
  const { organizationId, client, getPlan } = await setUp()
  const invited = await Promise.allSettled(
    Array.from({ length: 8 }, async (_, index) => {
      const email = index % 2 === 0 ? (await createUser(app)).email : `${newName('nobody')}@example.com`
      return client.organizations.inviteMember.mutate({ organizationId, userToInviteEmail: email, role: 'member' })
    }),
  )
  expect(invited.filter(({ status }) => status === 'fulfilled')).toHaveLength(4)
  const refused = invited.find((one) => one.status === 'rejected')
  expect(refused?.reason).toMatchObject({ data: { code: 'PAYMENT_REQUIRED', httpStatus: 402 } })
  expect((await getPlan()).usage).toEqual({ members: 5, projects: 0 })
})

test('without billing everything is allowed, and other users cannot read a plan', async () => {
  await using free = await createTestApp({ role: 'web' })
  const user = await createUser(free)
  const { id: organizationId } = await createOrganizationFor(free, { user })
  const client = free.client(await createTokenFor(free, { user }))
  expect(await client.billing.getPlan.query({ organizationId })).toMatchObject({
    plan: 'unlimited',
    limits: { members: null, projects: null },
  })
  const stranger = free.client(await createTokenFor(free))
  await expect(stranger.billing.getPlan.query({ organizationId })).rejects.toMatchObject({ data: { httpStatus: 404 } })
})
