import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { createUser } from '../../testing/factories.ts'
import { times } from '../../testing/organization-scene.ts'
import { newId } from '../../base/ids.ts'
import type { WebhookRow } from '../entity.ts'
import { createWebhookFor } from '../testing.ts'
import { ownersOf, Owners } from './owners.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp({ role: 'web' })))
afterAll(() => app[Symbol.asyncDispose]())

async function createWebhooks(count: number, fields: Partial<WebhookRow> = {}): Promise<string[]> {
  const { id: userId } = await createUser(app)
  const row = await createWebhookFor(app, { userId, ...fields })
  const copies = await app.dataSource.query<{ id: string }[]>(
    `INSERT INTO webhooks (id, user_id, organization_id, url, events, secret, active, created_at, updated_at)
     SELECT id || n, user_id, organization_id, url, events, secret, active, created_at, updated_at
       FROM webhooks, generate_series(2, $2) AS n WHERE id = $1 RETURNING id`,
    [row.id, count],
  )
  return [row.id, ...copies.map(({ id }) => id)]
}

/** Takes all slots that these webhooks can get, without releasing them, and returns their number. */
async function fill(owners: Owners, webhookIds: string[]): Promise<number> {
  const before = owners.free
  await owners.learn(app.dataSource.manager, webhookIds)
  const found = await app.dataSource.query<{ id: string; owners: string[] }[]>(
    `SELECT w.id, ${ownersOf} AS owners FROM webhooks w WHERE w.id = ANY ($1)`,
    [webhookIds],
  )
  const ownersById = new Map(found.map((row) => [row.id, row.owners]))
  for (;;) {
    const shares = owners.share(webhookIds, 16)
    if (shares.size === 0) return before - owners.free
    for (const [id, share] of shares) owners.began(ownersById.get(id) ?? [], share)
  }
}

test('each owner gets at most half of the slots that the others leave, so that another owner gets one', async () => {
  const owners = new Owners(512)
  const taken: number[] = []
  for (const _ of times(6)) taken.push(await fill(owners, await createWebhooks(100)))
  expect(taken).toEqual([256, 128, 64, 32, 16, 8])
  const [another = ''] = await createWebhooks(1)
  await owners.learn(app.dataSource.manager, [another])
  expect(owners.share([another], 16).get(another)).toBeGreaterThan(0)
})

test('one user with several organizations counts as one owner, and so does an organization of several users', async () => {
  const owners = new Owners(512)
  const { id: userId } = await createUser(app)
  const webhookIds: string[] = []
  for (const _ of times(3))
    webhookIds.push(...(await createWebhooks(100, { userId, organizationId: newId(new Date()) })))
  expect(await fill(owners, webhookIds)).toBe(256)
  const organizationId = newId(new Date())
  expect(
    await fill(
      owners,
      [await createWebhooks(50, { organizationId }), await createWebhooks(50, { organizationId })].flat(),
    ),
  ).toBe(128)
})

test('free slots are divided evenly among endpoints, and planning a share takes no slot', async () => {
  const owners = new Owners(512)
  const webhookIds = await createWebhooks(64)
  await owners.learn(app.dataSource.manager, webhookIds)
  expect([...owners.share(webhookIds, 16).values()]).toEqual(times(32).map(() => 8))
  expect([...owners.share(webhookIds.slice(0, 2), 16).values()]).toEqual([16, 16])
  expect(owners.free).toBe(512)
})
